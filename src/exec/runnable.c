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

static enum dg_status add(struct dg_store *store, const char *op, struct dg_error *err)
{
    const struct dg_kernel *kernel = kernel_of(op);
    bool runs = kernel && kernel->tolerance != DG_TOLERANCE_RANDOM;
    struct dg_rows rows = dg_rows_all(
        store, "INSERT OR IGNORE INTO temp.runnable VALUES (?1, ?2, ?3, ?4)", err);

    dg_rows_bind_text(&rows, 1, dg_text(op));
    dg_rows_bind_int(&rows, 2, !dg_fx_is_control(op));
    dg_rows_bind_int(&rows, 3, runs);
    dg_rows_bind_int(&rows, 4, runs && dg_kernel_on_cuda(kernel));
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_runnable_store(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = dg_store_exec(store, DG_SQL_RUNNABLE_TABLE, err);
    struct dg_rows rows;

    if (status)
        return status;
    rows = dg_rows_all(store, DG_SQL_RUNNABLE_OPS, err);
    while (!status && dg_rows_next(&rows))
        status = add(store, dg_rows_text(&rows, 0), err);
    return dg_rows_close(&rows, status, err);
}
