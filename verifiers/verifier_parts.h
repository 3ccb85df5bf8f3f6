/* What the files that run rules share. */
#ifndef DG_VERIFIERS_VERIFIER_PARTS_H
#define DG_VERIFIERS_VERIFIER_PARTS_H

#include "verifiers/verifier.h"

enum { DG_RULE_ID_SIZE = 80 };

/* How many more there are than are told. A gate judges them too: those of each severity
 * count as such. */
enum dg_status dg_find_rest(const struct dg_findings *found, struct dg_error *err);

/* Whether --select names the rule, and whether it is chosen at all. */
bool dg_is_named(const struct dg_selection *selection, const char *id,
                 const char *family);
bool dg_selected(const struct dg_selection *selection, const char *id,
                 const char *family);

#endif
