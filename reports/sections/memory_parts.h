/* What the parts of section memory share. */
#ifndef DG_REPORTS_MEMORY_PARTS_H
#define DG_REPORTS_MEMORY_PARTS_H

#include "reports/sections/alive.h"

/* What a run that frees results after their last use keeps alive: of methods that have
 * no memory plan. */
enum dg_status dg_memory_unplanned(struct dg_page *page,
                                   const struct dg_report_input *input,
                                   struct dg_error *err);

#endif
