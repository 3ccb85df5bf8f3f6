/* Limits as people write them: NAME=NUMBER, and which of them take an older program. */
#include "cli/limits.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "verifiers/budget.h"

enum { LONGEST_NAME = 60 };

/* What stands before the "=". */
static struct dg_text name_of(const char *item)
{
    return (struct dg_text){item, strcspn(item, "=")};
}

enum dg_status dg_limit_check(const char *item, struct dg_error *err)
{
    struct dg_text name = name_of(item);
    struct dg_error told = {0};
    struct dg_limit limit;

    if (!item[name.size] || name.size > LONGEST_NAME)
        return dg_fail(err, DG_ERR_USAGE,
                       "%.80s: expected NAME=NUMBER, for instance peak-memory=256KiB",
                       item);
    if (!dg_limit_read(&limit, name, item + name.size + 1, &told))
        return DG_OK;
    return dg_fail(err, told.status, "%.80s: %s", item, told.text);
}

const char *dg_limits_growing(const struct dg_list *limits)
{
    for (size_t i = 0; i < limits->n_items; i++) {
        const char *item = limits->items[i], *equals = strchr(item, '=');

        if (equals && dg_limit_grows(dg_text(equals + 1)))
            return item;
    }
    return NULL;
}

static enum dg_status apply(const char *item, struct dg_store *store,
                            struct dg_error *err)
{
    struct dg_text name = name_of(item);
    struct dg_error told = {0};
    char setting[sizeof("limit.") + LONGEST_NAME] = "limit.";

    if (dg_limit_check(item, &told))
        return dg_fail(err, told.status, "--limit %s", told.text);
    memcpy(setting + strlen(setting), item, name.size);
    return dg_store_set(store, setting, dg_text(item + name.size + 1), err);
}

enum dg_status dg_limits_apply(const struct dg_list *limits, struct dg_store *store,
                               struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < limits->n_items && !status; i++)
        status = apply(limits->items[i], store, err);
    return status;
}
