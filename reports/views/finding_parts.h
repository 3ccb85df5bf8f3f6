/* What the parts of view "finding" share. */
#ifndef DG_REPORTS_VIEWS_FINDING_PARTS_H
#define DG_REPORTS_VIEWS_FINDING_PARTS_H

#include "reports/views/node_rows.h"
#include "reports/views/read.h"

struct dg_finding_view {
    struct dg_node_rows nodes;
    struct dg_text rule, severity, message, method;
    int64_t artifact, graph, node, value; /* rows; 0: none */
    bool is_pte;
    size_t *steps; /* boxes of the witness, in order */
    size_t n_steps;
};

/* The nodes of the witness, and the links from each to the next. */
enum dg_status dg_finding_add_witness(struct dg_finding_view *view);

/* The node that is named, what it reads and what reads it. */
enum dg_status dg_finding_add_neighbours(struct dg_finding_view *view);

/* The value of a .pte that is named: its bytes, what else lies there at the same time,
 * and which of the boxes read or write it. */
enum dg_status dg_finding_add_memory(struct dg_finding_view *view);

/* Mark what the rule is about. */
void dg_finding_highlight(struct dg_finding_view *view, size_t box);

#endif
