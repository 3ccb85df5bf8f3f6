/* What delegates were lowered from, as if it still stood where it is called. */
#ifndef DG_REPORTS_INLINED_H
#define DG_REPORTS_INLINED_H

#include "reports/views/outline.h"

/* Uses lead from what makes a value to what reads it, through calls of delegates whose
 * graphs are stored; the calls themselves read and make nothing any more. Branches read
 * from the node that calls them. */
enum dg_status dg_outline_inline(struct dg_outline *outline,
                                 const struct dg_view_input *in);

#endif
