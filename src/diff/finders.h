/* The steps of a comparison: first what is which, then what is different. */
#ifndef DG_DIFF_FINDERS_H
#define DG_DIFF_FINDERS_H

#include "diff/diff_parts.h"

/* Which graph is which. Words of places, and of attributes that are graphs, are the
 * same in both programs then. */
void dg_diff_pair_graphs(struct dg_diffing *diffing);

/* Which symbol of sizes is which, by the nodes that are: types of the new program are
 * told in symbols of the old one then. */
enum dg_status dg_diff_rename_symbols(struct dg_diffing *diffing, struct dg_error *err);

void dg_diff_pair_outputs(struct dg_diffing *diffing);

/* Which constant, delegate or state of a .pte is which of the other program. */
void dg_diff_pair_resources(struct dg_diffing *diffing);

/* Each finds differences of its kinds. */
enum dg_status dg_diff_methods(struct dg_diffing *diffing, struct dg_error *err);
void dg_diff_graphs(struct dg_diffing *diffing);
void dg_diff_nodes(struct dg_diffing *diffing);
void dg_diff_edges(struct dg_diffing *diffing);
enum dg_status dg_diff_order(struct dg_diffing *diffing, struct dg_error *err);
void dg_diff_outputs(struct dg_diffing *diffing);
void dg_diff_states(struct dg_diffing *diffing);
enum dg_status dg_diff_contents(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_weights(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_extras(struct dg_diffing *diffing, struct dg_error *err);
void dg_diff_layouts(struct dg_diffing *diffing);
enum dg_status dg_diff_delegates(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_inside(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_flops(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_findings(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_file_sizes(struct dg_diffing *diffing, struct dg_error *err);

#endif
