/* The result of a partitioner, for people and for programs. */
#ifndef DG_CLI_PARTITION_PRINT_H
#define DG_CLI_PARTITION_PRINT_H

#include "base/text.h"
#include "partition/explain.h"

void dg_partition_text(struct dg_writer *out, const struct dg_run *run,
                       const struct dg_explanation *explanation);
void dg_partition_json(struct dg_writer *out, const struct dg_run *run);

#endif
