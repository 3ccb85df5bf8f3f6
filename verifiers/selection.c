/* Which rules are chosen: by id, by pattern or by family. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "verifiers/verifier_parts.h"

static bool matches(const char *pattern, const char *id, const char *family)
{
    return !strcmp(pattern, family) || !fnmatch(pattern, id, 0);
}

bool dg_rule_matches(const char *pattern, const char *id)
{
    char family[DG_RULE_ID_SIZE];

    snprintf(family, sizeof(family), "%.*s", (int)strcspn(id, "/"), id);
    return matches(pattern, id, family);
}

static bool matches_any(const char *const *patterns, size_t n, const char *id,
                        const char *family)
{
    for (size_t i = 0; i < n; i++) {
        if (matches(patterns[i], id, family))
            return true;
    }
    return false;
}

bool dg_is_named(const struct dg_selection *selection, const char *id,
                 const char *family)
{
    return selection && selection->select &&
           matches_any(selection->select, selection->n_select, id, family);
}

bool dg_selected(const struct dg_selection *selection, const char *id,
                 const char *family)
{
    if (!selection)
        return true;
    if (selection->select && !dg_is_named(selection, id, family))
        return false;
    return !matches_any(selection->ignore, selection->n_ignore, id, family);
}

bool dg_selects(const struct dg_selection *selection, const char *id)
{
    char family[DG_RULE_ID_SIZE];

    snprintf(family, sizeof(family), "%.*s", (int)strcspn(id, "/"), id);
    return dg_selected(selection, id, family);
}
