/* The result of a partitioner, for people and for programs. */
#ifndef DG_CLI_PARTITION_PRINT_H
#define DG_CLI_PARTITION_PRINT_H

#include "base/text.h"
#include "cli/plan_lowers.h"
#include "partition/explain.h"

void dg_partition_text(struct dg_writer *out, const struct dg_run *run,
                       const struct dg_explanation *explanation);
/* `errors` of the plan that was written, or NULL. */
void dg_partition_json(struct dg_writer *out, const struct dg_run *run,
                       const struct dg_plan_errors *errors);

#endif
