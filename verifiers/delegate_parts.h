/* The longer queries about delegates. */
#ifndef DG_VERIFIERS_DELEGATE_PARTS_H
#define DG_VERIFIERS_DELEGATE_PARTS_H

/* Of .pte files. */
extern const char dg_query_blob_ref[], dg_query_blob_duplicate[];

/* Of saved programs after lowering. */
extern const char dg_query_users_getitem[], dg_query_input_arity[],
    dg_query_io_meta_match[];

#endif
