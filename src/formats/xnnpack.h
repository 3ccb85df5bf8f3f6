/* What the payload of an XNNPACK delegate says of the calls that it can be used in. */
#ifndef DG_FORMATS_XNNPACK_H
#define DG_FORMATS_XNNPACK_H

#include "base/bytes.h"

/* How many operands it takes and gives: the first of its call, all of them tensors. 0
 * for bytes that are no such payload. */
size_t dg_xnnpack_operands(struct dg_bytes payload);

#endif
