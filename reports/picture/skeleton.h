/* A picture as a graph of libcgraph, with what its layout depends on: clusters in
 * clusters, nodes and edges in their order. Looks and sizes are added by others. */
#ifndef DG_REPORTS_PICTURE_SKELETON_H
#define DG_REPORTS_PICTURE_SKELETON_H

#include <cgraph.h>

#include "reports/picture/scene.h"

struct dg_skeleton {
    struct dg_scene scene;
    Agraph_t *graph;
    Agraph_t **clusters; /* by frame; NULL: not drawn */
    Agnode_t **nodes;    /* by box; likewise */
    Agedge_t **edges;    /* by link; likewise */
};

void dg_skeleton_open(struct dg_skeleton *skeleton, const struct dg_picture *picture);
void dg_skeleton_close(struct dg_skeleton *skeleton);

/* Set an attribute of a graph, node or edge. */
void dg_set_attribute(void *object, const char *name, const char *value);

#endif
