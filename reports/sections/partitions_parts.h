/* What the parts of section partitions share. */
#ifndef DG_REPORTS_PARTITIONS_PARTS_H
#define DG_REPORTS_PARTITIONS_PARTS_H

#include "partition/explain.h"
#include "reports/sections/amount.h"

/* The newest plan: partitions, what crosses their borders, why calls are in none. */
enum dg_status dg_partitions_plan(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err);

/* Why calls are in no partition; `command` tells more. */
void dg_partitions_why(struct dg_page *page, const struct dg_explanation *explanation,
                       const struct dg_plan_totals *totals, const char *command);

/* Delegates that the program has, and their pictures. */
enum dg_status dg_partitions_delegates(struct dg_page *page,
                                       const struct dg_report_input *input,
                                       struct dg_error *err);

#endif
