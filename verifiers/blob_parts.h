/* What the files of the family `blob` share. */
#ifndef DG_VERIFIERS_BLOB_PARTS_H
#define DG_VERIFIERS_BLOB_PARTS_H

#include "verifiers/verifier.h"

/* Nodes of XNNPACK as n, and their graphs as g. */
#define DG_BLOB_NODES_SQL                                                              \
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"           \
    " AND g.format = 'xnnpack'"

extern const char dg_query_blob_value_unique[], dg_query_blob_value_defined[],
    dg_query_blob_value_written[], dg_query_blob_external_id[],
    dg_query_blob_value_type[], dg_query_blob_quantization[], dg_query_blob_constant[],
    dg_query_blob_node_kind[], dg_query_blob_output_range[], dg_query_blob_window[],
    dg_query_blob_weights[], dg_query_blob_flags[], dg_query_blob_datatype[],
    dg_query_blob_rescale[], dg_query_blob_odd_row[], dg_query_blob_unread_result[];

enum dg_status dg_check_blob_merged_clamp(const struct dg_findings *found,
                                          struct dg_error *err);
enum dg_status dg_check_blob_long_chain(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_blob_copy_read_twice(const struct dg_findings *found,
                                             struct dg_error *err);
enum dg_status dg_check_blob_pixel_scales(const struct dg_findings *found,
                                          struct dg_error *err);
enum dg_status dg_check_blob_acyclic(const struct dg_findings *found,
                                     struct dg_error *err);
enum dg_status dg_check_blob_shapes(const struct dg_findings *found,
                                    struct dg_error *err);

#endif
