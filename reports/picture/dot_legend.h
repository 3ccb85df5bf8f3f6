/* Styles as Graphviz attributes, and the legend of those that a picture has. */
#ifndef DG_REPORTS_PICTURE_DOT_LEGEND_H
#define DG_REPORTS_PICTURE_DOT_LEGEND_H

#include "reports/picture/graphviz_graph.h"
#include "reports/picture/style.h"

void dg_draw_style(Agnode_t *node, const struct dg_style *look,
                   const struct dg_colors *colors);
void dg_draw_highlight(Agnode_t *node);

/* As a cluster of its own. */
void dg_draw_legend(const struct dg_graphviz_graph *drawing);

#endif
