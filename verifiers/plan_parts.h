/* The longer queries about the methods of a program. */
#ifndef DG_VERIFIERS_PLAN_PARTS_H
#define DG_VERIFIERS_PLAN_PARTS_H

#include "verifiers/verifier.h"

/* Whole methods: plan_methods.c. */
extern const char dg_query_container_meta[], dg_query_method_name[],
    dg_query_method_unique[],
    dg_query_method_set[], dg_query_value_getter[], dg_query_metadata[],
    dg_query_returns[];

/* Their operators and instructions: plan_ops.c. */
extern const char dg_query_instruction_kind[], dg_query_op_index[], dg_query_op_name[],
    dg_query_op_available[], dg_query_op_training[];

/* What kernels refuse of sizes, types and dim orders: plan_infer.c. */
enum dg_status dg_check_inferred(const struct dg_findings *found, struct dg_error *err);

/* For dg_rule.not_checked of rules that need the operators of a runtime. */
#define DG_NO_OPS                                                                      \
    "SELECT 'no operators are given (--ops LIST)' WHERE NOT EXISTS"                    \
    " (SELECT 1 FROM setting WHERE name = 'op')"

#endif
