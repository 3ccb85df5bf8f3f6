/* Which operators the methods of a store call, and which of them have kernels. */
#ifndef DG_GRAPH_RUNNABLE_H
#define DG_GRAPH_RUNNABLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "store/store.h"

/* Calls of one operator by one method: by its nodes, by nodes inside of its delegates
 * ("xnnpack::Conv2d"), or, as "delegate <backend>", of delegates that cannot be opened.
 */
struct dg_called_op {
    int64_t method;
    struct dg_text op; /* ends with NUL */
    int64_t n;
    bool cpu, cuda; /* who says that they have kernels fills it in */
};

struct dg_called_ops {
    struct dg_called_op *ops; /* by op, then by method; where they are kept, by method,
                                 then by op */
    size_t n_ops;
    struct dg_arena memory;
};

/* Read from the store; starts from {0}. O(nodes + operators of delegates), of which
 * methods may share some: DG_ERR_FORMAT where that is beyond all measure. */
enum dg_status dg_called_ops_read(struct dg_called_ops *called, struct dg_store *store,
                                  struct dg_error *err);

/* What dg_runnable_store() found of one method, which the store owns. */
struct dg_runnable {
    const struct dg_called_op *ops; /* by name */
    size_t n_ops;
};

struct dg_runnable dg_runnable(const struct dg_store *store, int64_t method);
void dg_runnable_keep(struct dg_store *store, struct dg_called_ops *called);

struct dg_runnable_sums {
    int64_t nodes, cpu, cuda;
};

struct dg_runnable_sums dg_runnable_sums(const struct dg_runnable *runnable);

#endif
