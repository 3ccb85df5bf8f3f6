/* What the files of the family `blob` share. */
#ifndef DG_VERIFIERS_BLOB_PARTS_H
#define DG_VERIFIERS_BLOB_PARTS_H

#include "verifiers/verifier.h"

extern const char dg_query_blob_value_unique[], dg_query_blob_value_defined[],
    dg_query_blob_value_written[], dg_query_blob_external_id[],
    dg_query_blob_value_type[], dg_query_blob_quantization[], dg_query_blob_constant[],
    dg_query_blob_node_kind[], dg_query_blob_output_range[], dg_query_blob_window[],
    dg_query_blob_weights[], dg_query_blob_flags[], dg_query_blob_datatype[],
    dg_query_blob_rescale[], dg_query_blob_odd_row[];

enum dg_status dg_check_blob_merged_clamp(const struct dg_findings *found,
                                          struct dg_error *err);
enum dg_status dg_check_blob_long_chain(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_blob_copy_read_twice(const struct dg_findings *found,
                                             struct dg_error *err);
enum dg_status dg_check_blob_acyclic(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_blob_shapes(const struct dg_findings *found,
                                    struct dg_error *err);

#endif
