/* Which operators have kernels. */
#include "exec/runnable.h"

#include <string.h>

#include "exec/schedule_fx.h"
#include "graph/runnable.h"
#include "kernels/xnnpack.h"

static const struct dg_kernel *kernel_of(const char *op)
{
    struct dg_text name = dg_text(op), inside = dg_text("xnnpack::");
    const struct dg_xnn_kernel *kernel;

    if (!dg_text_begins(name, "xnnpack::"))
        return dg_resolve(op).kernel;
    kernel = dg_xnn_kernel(dg_text(op + inside.size));
    return kernel ? &kernel->kernel : NULL;
}

static void look_up(struct dg_called_op *op)
{
    const struct dg_kernel *kernel = kernel_of(op->op.data);

    op->cpu = kernel && kernel->tolerance != DG_TOLERANCE_RANDOM;
    op->cuda = op->cpu && dg_kernel_on_cuda(kernel);
}

/* Without those that do no more than to say what runs next. Calls come by operator: one
 * is looked up once. */
static void look_up_all(struct dg_called_ops *called)
{
    const struct dg_called_op *last = NULL;
    size_t n = 0;

    for (size_t i = 0; i < called->n_ops; i++) {
        struct dg_called_op *op = &called->ops[n];

        *op = called->ops[i];
        if (dg_fx_is_control(op->op.data))
            continue;
        if (last && dg_text_equal(last->op, op->op)) {
            op->cpu = last->cpu;
            op->cuda = last->cuda;
        } else {
            look_up(op);
        }
        last = op;
        n++;
    }
    called->n_ops = n;
}

enum dg_status dg_runnable_store(struct dg_store *store, struct dg_error *err)
{
    struct dg_called_ops *called = dg_zeroed(1, sizeof(*called));
    enum dg_status status = dg_called_ops_read(called, store, err);

    if (!status)
        look_up_all(called);
    dg_runnable_keep(store, called); /* after a failure there are none */
    return status;
}
