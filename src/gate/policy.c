/* A policy: where it lies, and what holds for one program. */
#include "gate/policy.h"

#include <fnmatch.h>
#include <string.h>

#include "verifiers/budget.h"

#define KEY(constant, name, shape, anywhere, expected)                                 \
    [DG_POLICY_##constant] = {name, DG_POLICY_##shape, anywhere, expected},
const struct dg_policy_key_about dg_policy_keys[DG_POLICY_KEYS] = {
#include "gate/policy_keys.def"
};
#undef KEY

enum dg_policy_key dg_policy_key_find(struct dg_text name, bool top)
{
    int key = 0;

    while (key < DG_POLICY_KEYS && !(dg_text_is(name, dg_policy_keys[key].name) &&
                                     (top || dg_policy_keys[key].anywhere)))
        key++;
    return (enum dg_policy_key)key;
}

const char *dg_policy_name(const struct dg_policy *policy, const char *path,
                           struct dg_arena *memory)
{
    return dg_place_from(policy->folder, path, memory);
}

/* A part of a path between slashes. */
static bool matches_part(const char *glob, const char *path)
{
    char pattern[256], text[256];
    size_t n_pattern = strcspn(glob, "/"), n_text = strcspn(path, "/");

    if (n_pattern >= sizeof(pattern) || n_text >= sizeof(text))
        return false;
    memcpy(pattern, glob, n_pattern);
    memcpy(text, path, n_text);
    pattern[n_pattern] = text[n_text] = '\0';
    return !fnmatch(pattern, text, 0);
}

static const char *next_part(const char *path)
{
    path += strcspn(path, "/");
    return path + (*path == '/');
}

static bool is_any(const char *glob)
{
    return !strncmp(glob, "**", 2) && (!glob[2] || glob[2] == '/');
}

/* "**" is any number of folders. Where what follows it does not fit, it takes one
 * more; the last one alone ever has to. */
static bool matches_path(const char *glob, const char *path)
{
    const char *again = NULL, *from = NULL;

    while (*path) {
        if (*glob && is_any(glob)) {
            again = glob = next_part(glob);
            from = path;
            if (!*again)
                return true;
        } else if (*glob && matches_part(glob, path)) {
            glob = next_part(glob);
            path = next_part(path);
        } else if (again) {
            glob = again;
            path = from = next_part(from);
        } else {
            return false;
        }
    }
    while (*glob && is_any(glob))
        glob = next_part(glob);
    return !*glob;
}

/* Without a slash it is a name, in whatever folder. */
static bool matches_file(const char *glob, const char *path)
{
    const char *slash = strrchr(path, '/');

    while (!strncmp(glob, "./", 2))
        glob += 2;
    return strchr(glob, '/') ? matches_path(glob, path)
                             : matches_part(glob, slash ? slash + 1 : path);
}

bool dg_policy_means(const struct dg_policy_entries *files, const char *program)
{
    bool means = !files->n_items;

    for (size_t i = 0; i < files->n_items && program; i++)
        means = means || matches_file(files->items[i].value.data, program);
    return means;
}

void dg_policy_add(struct dg_policy_entries *entries, struct dg_policy_entry entry,
                   struct dg_arena *memory)
{
    size_t n = entries->n_items;

    if (!(n & (n - 1))) { /* the room is full at powers of two */
        struct dg_policy_entry *more = dg_alloc(memory, n ? 2 * n : 1, sizeof(*more));

        if (n)
            memcpy(more, entries->items, n * sizeof(*more));
        entries->items = more;
    }
    entries->items[entries->n_items++] = entry;
}

bool dg_policy_grows(const struct dg_policy_entry *entry)
{
    return dg_limit_grows(entry->value);
}

bool dg_policy_lifts(const struct dg_policy_entry *entry)
{
    return dg_text_is(entry->value, "none");
}

bool dg_policy_has_growth(const struct dg_policy_part *part)
{
    const struct dg_policy_entries *budgets = &part->keys[DG_POLICY_BUDGETS];
    bool found = false;

    for (size_t i = 0; i < budgets->n_items; i++)
        found = found || dg_policy_grows(&budgets->items[i]);
    return found;
}

/* A limit and one of growth hold at once. */
static bool replaces(const struct dg_policy_entries *later,
                     const struct dg_policy_entry *entry)
{
    bool found = false;

    for (size_t i = 0; i < later->n_items; i++)
        found =
            found || (dg_text_equal(later->items[i].name, entry->name) &&
                      (dg_policy_grows(&later->items[i]) == dg_policy_grows(entry) ||
                       dg_policy_lifts(&later->items[i]) || dg_policy_lifts(entry)));
    return found;
}

/* What is said later wins. */
static void merge(struct dg_policy_entries *into, const struct dg_policy_entries *later,
                  enum dg_policy_shape shape, struct dg_arena *memory)
{
    struct dg_policy_entries before = *into;

    if (!later->n_items)
        return;
    *into = (struct dg_policy_entries){0};
    for (size_t i = 0; i < before.n_items; i++) {
        if (shape == DG_POLICY_ADDED ||
            (shape == DG_POLICY_NAMED && !replaces(later, &before.items[i])))
            dg_policy_add(into, before.items[i], memory);
    }
    for (size_t i = 0; i < later->n_items; i++)
        dg_policy_add(into, later->items[i], memory);
}

static void merge_part(struct dg_policy_part *into, const struct dg_policy_part *later,
                       struct dg_arena *memory)
{
    for (int key = 0; key < DG_POLICY_KEYS; key++)
        merge(&into->keys[key], &later->keys[key], dg_policy_keys[key].shape, memory);
}

struct dg_policy_part *dg_policy_for(const struct dg_policy *policy,
                                     const char *program,
                                     const struct dg_policy_part *given,
                                     struct dg_arena *memory)
{
    struct dg_policy_part *all = dg_alloc(memory, 1, sizeof(*all));

    *all = (struct dg_policy_part){0};
    merge_part(all, &policy->top, memory);
    for (size_t i = 0; i < policy->n_parts && program; i++) {
        if (dg_policy_means(&policy->parts[i].files, program))
            merge_part(all, &policy->parts[i], memory);
    }
    merge_part(all, given, memory);
    return all;
}

const struct dg_policy_entry *dg_policy_last(const struct dg_policy_part *part,
                                             enum dg_policy_key key)
{
    const struct dg_policy_entries *entries = &part->keys[key];

    return entries->n_items ? &entries->items[entries->n_items - 1] : NULL;
}

int dg_policy_severity(const struct dg_policy_part *part, const char *rule)
{
    const struct dg_policy_entries *entries = &part->keys[DG_POLICY_SEVERITY];

    for (size_t i = entries->n_items; i-- > 0;) {
        if (dg_rule_matches(entries->items[i].name.data, rule))
            return dg_severity_number(entries->items[i].value);
    }
    return -1;
}

/* "planned-memory.cuda" is a limit of budget/planned-memory. */
static bool is_limit_of(const struct dg_policy_entry *entry, const char *rule)
{
    size_t size = strcspn(entry->name.data, ".");

    return !strncmp(rule, "budget/", 7) && strlen(rule + 7) == size &&
           !strncmp(rule + 7, entry->name.data, size);
}

const struct dg_policy_entry *dg_policy_budget(const struct dg_policy_part *part,
                                               const char *rule, const char *message)
{
    const struct dg_policy_entries *budgets = &part->keys[DG_POLICY_BUDGETS];
    const struct dg_policy_entry *found = NULL;
    bool named = false;

    for (size_t i = 0; i < budgets->n_items; i++) {
        const struct dg_policy_entry *entry = &budgets->items[i];
        bool names;

        if (!is_limit_of(entry, rule))
            continue;
        names = strstr(message, entry->value.data) != NULL;
        if (!named || names)
            found = entry;
        named = named || names;
    }
    return found;
}

struct dg_text dg_policy_origin(const struct dg_policy *policy,
                                const struct dg_policy_entry *entry,
                                struct dg_arena *memory)
{
    return entry->option ? dg_text(entry->option)
                         : dg_format(memory, "%s:%d", policy->path, entry->line);
}
