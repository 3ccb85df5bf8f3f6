/* Rows of a plan on their way into the store: the quick way for very many. */
#ifndef DG_PARTITION_PLAN_ROWS_H
#define DG_PARTITION_PLAN_ROWS_H

#include "partition/partitioned.h"

struct dg_plan_rows {
    struct dg_store *store;
    int64_t run;  /* row of part_run */
    int64_t part; /* row of partition: the last one added */
    struct dg_rows tag, node, spec, reject, remark;
};

/* Begin a plan: everything up to dg_plan_rows_end() is one transaction. Call that even
 * when this fails. */
enum dg_status dg_plan_rows_begin(struct dg_plan_rows *rows, struct dg_store *store,
                                  struct dg_new_plan *plan, struct dg_error *err);
enum dg_status dg_plan_rows_end(struct dg_plan_rows *rows, enum dg_status status,
                                struct dg_error *err);

enum dg_status dg_plan_rows_tag(struct dg_plan_rows *rows, const struct dg_new_tag *tag,
                                struct dg_error *err);
/* Nodes and compile specs of the tag that was added last. */
enum dg_status dg_plan_rows_node(struct dg_plan_rows *rows, int64_t pos, int64_t node,
                                 struct dg_error *err);
enum dg_status dg_plan_rows_spec(struct dg_plan_rows *rows, int64_t pos,
                                 struct dg_text key, struct dg_text value,
                                 struct dg_error *err);

enum dg_status dg_plan_rows_reject(struct dg_plan_rows *rows, int64_t node, int64_t pos,
                                   const char *reason, struct dg_text text,
                                   struct dg_error *err);

/* For the rule "partition/<rule>". Ids that are 0 become NULL. */
struct dg_plan_remark {
    const char *rule;
    int64_t artifact, method, graph, node;
    struct dg_text text;
};

enum dg_status dg_plan_rows_remark(struct dg_plan_rows *rows,
                                   const struct dg_plan_remark *remark,
                                   struct dg_error *err);

#endif
