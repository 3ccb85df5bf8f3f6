/* Which operators have kernels, as rows. */
#include "exec/runnable.h"

#include <string.h>

#include "exec/schedule_fx.h"
#include "graph/runnable_sql.h"
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

/* Rows come by operator: one is looked up once. */
struct last {
    struct dg_arena memory;
    const char *op;
    bool counts, cpu, cuda; /* `counts`: it does more than to say what runs next */
};

static void look_up(struct last *last, const char *op)
{
    const struct dg_kernel *kernel;

    if (last->op && !strcmp(last->op, op))
        return;
    dg_arena_clear(&last->memory);
    last->op = dg_copy(&last->memory, dg_text(op));
    kernel = kernel_of(op);
    last->counts = !dg_fx_is_control(op);
    last->cpu = kernel && kernel->tolerance != DG_TOLERANCE_RANDOM;
    last->cuda = last->cpu && dg_kernel_on_cuda(kernel);
}

static enum dg_status add(struct dg_store *store, const struct dg_rows *call,
                          const struct last *op, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        store, "INSERT OR IGNORE INTO temp.runnable VALUES (?1, ?2, ?3, ?4, ?5)", err);

    dg_rows_bind_int(&rows, 1, dg_rows_int(call, 0));
    dg_rows_bind_text(&rows, 2, dg_text(op->op));
    dg_rows_bind_int(&rows, 3, dg_rows_int(call, 2));
    dg_rows_bind_int(&rows, 4, op->cpu);
    dg_rows_bind_int(&rows, 5, op->cuda);
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_runnable_store(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = dg_store_exec(store, DG_SQL_RUNNABLE_TABLE, err);
    struct last last = {0};
    struct dg_rows calls;

    if (status)
        return status;
    calls = dg_rows_all(store, DG_SQL_RUNNABLE_CALLS, err);
    while (!status && dg_rows_next(&calls)) {
        look_up(&last, dg_rows_text(&calls, 1));
        if (last.counts)
            status = add(store, &calls, &last, err);
    }
    dg_arena_clear(&last.memory);
    return dg_rows_close(&calls, status, err);
}
