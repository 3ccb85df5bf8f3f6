/* Shapes and colours of a picture. */
#ifndef DG_REPORTS_DOT_LOOK_H
#define DG_REPORTS_DOT_LOOK_H

#include <cgraph.h>

#include "reports/dot_model.h"

/* Set an attribute of a graph, node or edge of Graphviz. */
void dg_set_look(void *object, const char *name, const char *value);

void dg_default_look(Agraph_t *graph);
void dg_frame_look(Agraph_t *cluster, const struct dg_frame *frame);

/* `backend` counts the backends of delegates from 0 on. */
void dg_box_look(Agnode_t *node, const struct dg_box *box, size_t backend);
void dg_link_look(Agedge_t *edge, const struct dg_link *link);

/* The looks that the picture has, as a cluster of their own. */
void dg_draw_legend(Agraph_t *graph, const struct dg_picture *picture);

#endif
