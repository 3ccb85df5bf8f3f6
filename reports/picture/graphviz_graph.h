/* A picture as a graph of libcgraph, with what its layout depends on: clusters in
 * clusters, nodes and edges in their order. Styles and sizes are added by others. */
#ifndef DG_REPORTS_PICTURE_GRAPHVIZ_GRAPH_H
#define DG_REPORTS_PICTURE_GRAPHVIZ_GRAPH_H

#include "reports/picture/libgraphviz.h"
#include "reports/picture/visible.h"

struct dg_graphviz_graph {
    struct dg_visible visible;
    Agraph_t *graph;
    Agraph_t **clusters; /* by frame; NULL: not drawn */
    Agnode_t **nodes;    /* by box; likewise */
    Agedge_t **edges;    /* by link; likewise */
};

/* Graphviz is loaded (dg_graphviz_load()). */
void dg_graphviz_graph_open(struct dg_graphviz_graph *drawing,
                            const struct dg_picture *picture);
void dg_graphviz_graph_close(struct dg_graphviz_graph *drawing);

/* Set an attribute of a graph, node or edge. */
void dg_set_attribute(void *object, const char *name, const char *value);

#endif
