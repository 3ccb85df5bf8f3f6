/* What the parts of section memory share. */
#ifndef DG_REPORTS_MEMORY_PARTS_H
#define DG_REPORTS_MEMORY_PARTS_H

#include "graph/lifetime.h"
#include "reports/sections/alive.h"

/* In SQL: the dg_alive_kind of a row of `lifetime` and its `value`. */
#define DG_SQL_ALIVE_KIND                                                              \
    "CASE WHEN first >= 0 THEN 2 WHEN " DG_SQL_IS_STATE " THEN 0 ELSE 1 END"

/* What a run that frees results after their last use keeps alive: of methods that have
 * no memory plan. */
enum dg_status dg_memory_unplanned(struct dg_page *page,
                                   const struct dg_report_input *input,
                                   struct dg_error *err);

/* Nodes of a graph whose operators may give a view, and do not. */
typedef void dg_memory_copy_fn(void *context, int64_t node);
enum dg_status dg_memory_copies(struct dg_store *store, int64_t graph,
                                dg_memory_copy_fn *visit, void *context,
                                struct dg_error *err);

#endif
