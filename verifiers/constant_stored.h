/* Queries about state as files hold it. */
#ifndef DG_VERIFIERS_CONSTANT_STORED_H
#define DG_VERIFIERS_CONSTANT_STORED_H

extern const char dg_query_dtype_serializable[], dg_query_data_real[],
    dg_query_external_fqn[], dg_query_constant_nbytes[], dg_query_copy_identical[],
    dg_query_double_owned[];

#endif
