/* Which type torch computes in when the types of two tensors differ. */
#ifndef DG_BASE_PROMOTE_H
#define DG_BASE_PROMOTE_H

#include "base/tensor.h"

/* Of two tensors with dimensions. DG_TYPE_NONE gives way to the other; also the result
 * where torch has none (f8 or u16 with anything else). */
enum dg_type dg_promote(enum dg_type a, enum dg_type b);

#endif
