/* The rules about graphs that are written in C. */
#ifndef DG_VERIFIERS_GRAPH_PARTS_H
#define DG_VERIFIERS_GRAPH_PARTS_H

#include "verifiers/verifier.h"

/* Calls `look` for each graph id that `sql` gives. */
enum dg_status dg_each_graph(const struct dg_findings *found, const char *sql,
                             enum dg_status (*look)(const struct dg_findings *, int64_t,
                                                    struct dg_error *),
                             struct dg_error *err);

/* For dg_rule.may_find: whether an edge leads backwards. */
enum dg_status dg_may_lead_back(bool *may, struct dg_store *store,
                                struct dg_error *err);

enum dg_status dg_check_acyclic(const struct dg_findings *found, struct dg_error *err);
enum dg_status dg_check_names(const struct dg_findings *found, struct dg_error *err);
enum dg_status dg_check_dead(const struct dg_findings *found, struct dg_error *err);
enum dg_status dg_check_contiguous(const struct dg_findings *found,
                                   struct dg_error *err);

enum dg_status dg_check_edge_dtype(const struct dg_findings *found,
                                   struct dg_error *err);
enum dg_status dg_check_out_variants(const struct dg_findings *found,
                                     struct dg_error *err);

/* Queries about operators. */
extern const char dg_query_op_kind[], dg_query_op_functional[], dg_query_op_opaque[],
    dg_query_edge_op[], dg_query_dim_order_mode[];

#endif
