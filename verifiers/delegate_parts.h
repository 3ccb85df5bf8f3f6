/* The longer queries about delegates. */
#ifndef DG_VERIFIERS_DELEGATE_PARTS_H
#define DG_VERIFIERS_DELEGATE_PARTS_H

/* Of .pte files. */
extern const char dg_query_blob_ref[], dg_query_blob_duplicate[],
    dg_query_inline_mixed[];

/* Of saved programs after lowering. */
extern const char dg_query_users_getitem[], dg_query_input_arity[],
    dg_query_output_arity[], dg_query_io_order[], dg_query_io_meta_match[];

/* Of plans: control_flow.c. */
extern const char dg_query_nested_in_branch[];

#endif
