/* Notes cost something, and the same thing everywhere costs the reader once. */
#ifndef DG_VERIFIERS_FOLD_H
#define DG_VERIFIERS_FOLD_H

#include "verifiers/verifier.h"

/* Make one finding of all notes of the rule that lie in one graph: the first stays, its
 * message counts the others, its witness lists all. Errors and warnings stay apart. */
enum dg_status dg_fold_notes(const struct dg_findings *found, struct dg_error *err);

#endif
