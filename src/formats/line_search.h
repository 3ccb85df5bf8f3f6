/* Python lines of a .pte, whose instructions have none, from the program that it was
 * made from. */
#ifndef DG_FORMATS_LINE_SEARCH_H
#define DG_FORMATS_LINE_SEARCH_H

#include "store/store.h"

/* Instructions of the .pte `artifact` without a stack trace get that of the node of
 * `program` that they came from, where it is an edge program (exir.save). No file says
 * which node that is; but emission keeps order, so where both have as many calls of one
 * operator with results of one type and shape, the first is the first. That is not so
 * where the calls of `program` lie in several branches, nor where it has another number
 * of delegates, around which a backend may have moved them: they must agree on the
 * trace then. O(n log n). */
enum dg_status dg_find_lines(struct dg_store *store, int64_t artifact, int64_t program,
                             struct dg_error *err);

#endif
