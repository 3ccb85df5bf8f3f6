/* Looks as Graphviz attributes, and the legend of those that a picture has. */
#ifndef DG_REPORTS_PICTURE_DOT_LEGEND_H
#define DG_REPORTS_PICTURE_DOT_LEGEND_H

#include "reports/picture/look.h"
#include "reports/picture/skeleton.h"

void dg_draw_look(Agnode_t *node, const struct dg_look *look,
                  const struct dg_colors *colors);
void dg_draw_offence(Agnode_t *node);

/* As a cluster of its own. */
void dg_draw_legend(const struct dg_skeleton *skeleton);

#endif
