/* The rules about control flow that are written in C. */
#ifndef DG_VERIFIERS_CONTROL_FLOW_PARTS_H
#define DG_VERIFIERS_CONTROL_FLOW_PARTS_H

#include "verifiers/planned.h"

enum dg_status dg_check_branch_attr_tag(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_branch_attr_shared(const struct dg_findings *found,
                                           struct dg_error *err);
enum dg_status dg_check_unreachable(const struct dg_findings *found,
                                    struct dg_error *err);
enum dg_status dg_check_loop_terminates(const struct dg_findings *found,
                                        struct dg_error *err);

#endif
