/* Plan files: JSON of format "delegraph-plan", versions 1 and 2 (doc/plan.md). */
#ifndef DG_PARTITION_PLAN_FILE_H
#define DG_PARTITION_PLAN_FILE_H

#include "base/text.h"
#include "partition/partitioned.h"

struct dg_plan_source {
    const char *path;
    struct dg_bytes
        program; /* the program's file, for program_sha256; data NULL: a store */
    bool mapped; /* it is, in memory */
    bool force;  /* take a plan for another program, too */
};

/* Make the plan in the file `path` the newest plan of `artifact`. Unknown methods,
 * nodes and tags become remarks for rules partition/node-known and partition/tag-known;
 * a plan for another program fails with DG_ERR_FORMAT. */
enum dg_status dg_plan_file_read(const struct dg_plan_source *source,
                                 struct dg_store *store, int64_t artifact,
                                 struct dg_error *err);

enum { DG_PLAN_VERSION = 2 }; /* the newest */

/* Write plan `part_run` of the store as JSON of that version. */
enum dg_status dg_plan_file_write(struct dg_writer *out, struct dg_store *store,
                                  int64_t part_run, int version,
                                  struct dg_text program_sha256, struct dg_error *err);

#endif
