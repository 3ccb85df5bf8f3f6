/* The rules about control flow that are written in C. */
#ifndef DG_VERIFIERS_CONTROL_FLOW_PARTS_H
#define DG_VERIFIERS_CONTROL_FLOW_PARTS_H

#include "verifiers/planned.h"

/* Calls that the host runs. */
extern const char dg_query_op_emittable[], dg_query_map_arity[],
    dg_query_predicate_device[];

enum dg_status dg_check_branch_attr_tag(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_branch_attr_shared(const struct dg_findings *found,
                                           struct dg_error *err);
enum dg_status dg_check_unreachable(const struct dg_findings *found,
                                    struct dg_error *err);
enum dg_status dg_check_jump_forward(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_loop_terminates(const struct dg_findings *found,
                                        struct dg_error *err);

#endif
