/* What delegates were lowered from, as if it still stood where it is called. */
#ifndef DG_REPORTS_VIEWS_FLATTENED_H
#define DG_REPORTS_VIEWS_FLATTENED_H

#include "reports/views/skeleton.h"

/* Uses lead from what makes a value to what reads it, through calls of delegates whose
 * graphs are stored; the calls themselves read and make nothing any more. Branches read
 * from the node that calls them. */
enum dg_status dg_skeleton_flatten(struct dg_skeleton *skeleton,
                                   const struct dg_view_input *in);

#endif
