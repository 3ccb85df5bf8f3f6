/* SQL twins of rules that C checks, for the tests. What rules are checked by SQL has it
 * in FAMILY.c and FAMILY_*.c. */
#ifndef DG_VERIFIERS_RULES_AS_SQL_H
#define DG_VERIFIERS_RULES_AS_SQL_H

extern const char dg_sql_list_present[], dg_sql_int_item[], dg_sql_tensor_item[],
    dg_sql_optional_item[], dg_sql_forward_ref[], dg_sql_rank[], dg_sql_order_length[],
    dg_sql_order_permutation[], dg_sql_order_canonical[], dg_sql_storage_offset[],
    dg_sql_dynamism[], dg_sql_layout[];

extern const char dg_sql_arena_ids[], dg_sql_extents[], dg_sql_alignment[],
    dg_sql_far_offsets[];

extern const char dg_sql_output_untagged[], dg_sql_inputs_untagged[],
    dg_sql_output_used_inside[];

#endif
