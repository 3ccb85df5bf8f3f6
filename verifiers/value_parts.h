/* The rules about values that are written in C, and the words they share. */
#ifndef DG_VERIFIERS_VALUE_PARTS_H
#define DG_VERIFIERS_VALUE_PARTS_H

#include "verifiers/verifier.h"

/* clang-format off */

/* SQL: "an int list", "a tensor". */
#define DG_A_KIND(value)                                                               \
    "iif(" value ".kind GLOB '[aeiou]*', 'an ', 'a ') || replace(" value ".kind, '_', ' ')"

/* SQL: how many values a graph has; ids are consecutive. */
#define DG_N_VALUES(graph)                                                             \
    "(SELECT coalesce((SELECT max(id) FROM value WHERE graph_id = " graph ")"          \
    " - (SELECT min(id) FROM value WHERE graph_id = " graph ") + 1, 0))"

/* clang-format on */

/* All rules that the scan of values finds the faults of. */
enum dg_status dg_check_value_faults(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_value_unused(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_static_out(const struct dg_findings *found,
                                   struct dg_error *err);

/* value_signature.c */
extern const char dg_query_value_operand[], dg_query_value_other_operand[],
    dg_query_value_input[], dg_query_value_output[], dg_query_value_input_constant[],
    dg_query_value_output_external[], dg_query_value_move[],
    dg_query_value_constant_written[],
    dg_query_value_input_unique[], dg_query_value_input_primitive[],
    dg_query_value_input_layout[];

#endif
