/* What stands for no row, no index and no number where -1 is none. */
#ifndef DG_BASE_NONE_H
#define DG_BASE_NONE_H

#include <stdint.h>

#define DG_NONE INT64_C(-1)

#endif
