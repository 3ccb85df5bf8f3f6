/* What is left on the host, cut into steps. */
#ifndef DG_REPORTS_STAGES_H
#define DG_REPORTS_STAGES_H

#include "reports/views/parts.h"

/* Put the nodes that are in no part, and can be, into new parts: one for each stage and
 * each key (NULL: each graph). All parts get their `stage` and `order`; those on a
 * common cycle get a number in `tangle`.
 *
 * A stage counts the delegates that must have run before, on the longest way: what is
 * of one stage can be one step, and there are no fewer steps than stages. So the
 * picture has a cycle only where the plan has one, and what lies on a cycle is a step
 * of its own. Instructions of a .pte have an order already: there a step is a stretch
 * between two calls of delegates. */
void dg_stages_find(struct dg_parts *parts, enum dg_box_kind kind,
                    const uint32_t *key_of);

#endif
