/* Arguments and results of operators. */
#include "base/arg.h"

#include <stdlib.h>

void dg_arg_drop(struct dg_arg *arg)
{
    if (arg->kind == DG_ARG_TENSOR)
        dg_tensor_drop(arg->as.tensor);
    if (arg->kind == DG_ARG_LIST) {
        for (size_t i = 0; i < arg->as.list.n_items; i++)
            dg_arg_drop(&arg->as.list.items[i]);
        free(arg->as.list.items);
    }
    *arg = (struct dg_arg){0};
}

void dg_arg_set(struct dg_arg *to, const struct dg_arg *from)
{
    struct dg_arg result = *from;

    if (from->kind == DG_ARG_TENSOR)
        dg_tensor_keep(from->as.tensor);
    if (from->kind == DG_ARG_LIST) {
        result.as.list.items = calloc(from->as.list.n_items + 1, sizeof(*from));
        if (!result.as.list.items)
            abort();
        for (size_t i = 0; i < from->as.list.n_items; i++)
            dg_arg_set(&result.as.list.items[i], &from->as.list.items[i]);
    }
    *to = result;
}
