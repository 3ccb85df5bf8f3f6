/* The rules about partitions that are written in C. */
#ifndef DG_VERIFIERS_PARTITION_PARTS_H
#define DG_VERIFIERS_PARTITION_PARTS_H

#include "verifiers/planned.h"
#include "verifiers/sql.h"

/* What real lowering says of every kind of cycle. */
#define DG_CYCLE_MESSAGE "\"Invalid partition, found dependency cycles\""

/* Calls `look` for each graph that lowering comes to: not for those that delegates were
 * lowered from, nor for branches of calls that go to a delegate as a whole. */
enum dg_status dg_each_lowered(const struct dg_findings *found, dg_planned_fn *look,
                               struct dg_error *err);

/* Node names for a message: a few, then how many more. */
struct dg_text dg_name_nodes(struct dg_arena *memory,
                             const struct dg_partitioned_graph *tagged,
                             const uint32_t *nodes, size_t n_nodes,
                             const char *separator);

extern const char dg_query_preserved_op[];

enum dg_status dg_check_convex(const struct dg_findings *found, struct dg_error *err);
enum dg_status dg_check_mutual_cycle(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_lowering_order(const struct dg_findings *found,
                                       struct dg_error *err);

enum dg_status dg_check_output_untagged(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_inputs_untagged(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_no_delegate_inside(const struct dg_findings *found,
                                           struct dg_error *err);
enum dg_status dg_check_getitem_with_producer(const struct dg_findings *found,
                                              struct dg_error *err);
enum dg_status dg_check_qdq_split(const struct dg_findings *found,
                                  struct dg_error *err);

enum dg_status dg_check_tag_used(const struct dg_findings *found, struct dg_error *err);
enum dg_status dg_check_has_output(const struct dg_findings *found,
                                   struct dg_error *err);
enum dg_status dg_check_getitem_only(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_weakly_connected(const struct dg_findings *found,
                                         struct dg_error *err);
enum dg_status dg_check_backend_known(const struct dg_findings *found,
                                      struct dg_error *err);

enum dg_status dg_check_boundary_kinds(const struct dg_findings *found,
                                       struct dg_error *err);
enum dg_status dg_check_alias_order(const struct dg_findings *found,
                                    struct dg_error *err);
enum dg_status dg_check_support_respected(const struct dg_findings *found,
                                          struct dg_error *err);
enum dg_status dg_check_output_used_inside(const struct dg_findings *found,
                                           struct dg_error *err);
enum dg_status dg_check_maximal(const struct dg_findings *found, struct dg_error *err);

#endif
