/* What the parts of section partitions share. */
#ifndef DG_REPORTS_PARTITIONS_PARTS_H
#define DG_REPORTS_PARTITIONS_PARTS_H

#include "reports/sections/amount.h"

/* The newest plan: partitions, what crosses their borders, why calls are in none. */
enum dg_status dg_partitions_plan(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err);

/* Delegates that the program has, and their pictures. */
enum dg_status dg_partitions_delegates(struct dg_page *page,
                                       const struct dg_report_input *input,
                                       struct dg_error *err);

/* What the host runs between two calls of delegates. */
enum dg_status dg_partitions_breaks(struct dg_page *page,
                                    const struct dg_report_input *input,
                                    struct dg_error *err);

#endif
