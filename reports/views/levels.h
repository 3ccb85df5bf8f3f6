/* What is left on the host, cut into steps. */
#ifndef DG_REPORTS_VIEWS_LEVELS_H
#define DG_REPORTS_VIEWS_LEVELS_H

#include "reports/views/clusters.h"

/* Put the nodes that are in no cluster, and can be, into new clusters: one for each
 * level and each key (NULL: each graph). All clusters get their `level` and `order`;
 * those on a common cycle get a number in `cycle`.
 *
 * A level counts the delegates that must have run before, on the longest way: what is
 * of one level can be one step, and there are no fewer steps than levels. So the
 * picture has a cycle only where the plan has one, and what lies on a cycle is a step
 * of its own. Instructions of a .pte have an order already: there a step is a interval
 * between two calls of delegates. */
void dg_levels_find(struct dg_clusters *clusters, enum dg_box_kind kind,
                    const uint32_t *key_of);

#endif
