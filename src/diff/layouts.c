/* How values lie in memory, beside their types. */
#include "diff/diff_parts.h"
