/* Which operators of ATen the kinds of XNNPACK's nodes stand for. */
#ifndef DG_BASE_XNNPACK_OPS_H
#define DG_BASE_XNNPACK_OPS_H

#include "base/bytes.h"

struct dg_xnn_meaning {
    const char *kind; /* "Conv2d" */
    const char *ops;  /* " conv2d conv1d ": without "aten::"; the first says most of it */
};

/* NULL: the kind is not known. */
const struct dg_xnn_meaning *dg_xnn_meaning(struct dg_text kind);

/* Whether some kind stands for the operator: " conv2d ". */
bool dg_xnn_has_kind_of(const char *op);

#endif
