/* A policy as its file has it. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/input.h"
#include "gate/baseline.h"
#include "gate/day.h"
#include "gate/policy_file.h"
#include "gate/policy_words.h"

#define FILE_NAME "delegraph.yaml"
#define OTHER_NAME "delegraph.yml"

enum { HIGHEST = 64 /* folders above */ };

/* Of the file as a whole, beside dg_policy_keys. */
static const char *const top_keys[] = {"version", "programs", "suppressions"};
static const char *const numerics[] = {"rtol", "atol", "min-snr"};

static bool is_number(struct dg_text text)
{
    char *end;
    double number = strtod(text.data, &end);

    return text.size && isdigit((unsigned char)*text.data) && !*end &&
           isfinite(number) && strcspn(text.data, "xX") == text.size;
}

/* What can be said without knowing rules and budgets. */
static bool may_be(enum dg_policy_key key, const struct dg_policy_entry *entry)
{
    switch (key) {
    case DG_POLICY_FAIL_ON:
        return dg_severity_number(entry->value) < DG_N_SEVERITIES ||
               dg_text_is(entry->value, "never");
    case DG_POLICY_SEVERITY:
        return dg_severity_number(entry->value) < DG_N_SEVERITIES;
    case DG_POLICY_NUMERICS:
    case DG_POLICY_RULES_TIMEOUT:
        return is_number(entry->value);
    default:
        return true;
    }
}

/* Paths are seen from the folder of the policy. */
static void place(const struct dg_policy_reader *reader, enum dg_policy_key key,
                  struct dg_policy_entry *entry)
{
    bool path = (key == DG_POLICY_AGAINST && !dg_text_is(entry->value, "none")) ||
                key == DG_POLICY_RULES || key == DG_POLICY_BASELINE ||
                key == DG_POLICY_SOURCE_ROOT ||
                key == DG_POLICY_SHIMS ||
                (key == DG_POLICY_OPS && !dg_text_is(entry->value, "portable"));

    if (path && *entry->value.data != '/')
        entry->value = dg_format(&reader->policy->memory, "%s%s", reader->beside,
                                 entry->value.data);
}

static bool is_one_of(struct dg_text text, const char *const *names, size_t n_names)
{
    bool found = false;

    for (size_t i = 0; i < n_names; i++)
        found = found || dg_text_is(text, names[i]);
    return found;
}

/* Of a limit and one of growth both hold; of two of a kind one would not. */
static enum dg_status check_kinds(const struct dg_policy_entries *entries,
                                  const struct dg_policy_reader *reader)
{
    const struct dg_policy_entry *last = &entries->items[entries->n_items - 1];

    for (size_t i = 0; i + 1 < entries->n_items; i++) {
        const struct dg_policy_entry *entry = &entries->items[i];

        if (dg_text_equal(entry->name, last->name) &&
            (dg_policy_grows(entry) == dg_policy_grows(last) ||
             dg_policy_lifts(entry) || dg_policy_lifts(last)))
            return dg_policy_refuse(reader, last->line, last->column,
                                    "%.40s beside %.40s: expected one limit, and one of"
                                    " growth",
                                    last->value.data, entry->value.data);
    }
    return DG_OK;
}

static enum dg_status read_named(struct dg_policy_entries *entries,
                                 enum dg_policy_key key,
                                 const struct dg_policy_reader *reader,
                                 const struct dg_yaml *node)
{
    const char *expected = dg_policy_keys[key].expected;
    enum dg_status status = DG_OK;

    if (node->kind != DG_YAML_MAP || !node->first)
        return dg_policy_refuse(reader, node->line, node->column, "expected %s",
                                expected);
    for (const struct dg_yaml *member = node->first; member && !status;
         member = member->next) {
        if (key == DG_POLICY_NUMERICS && !is_one_of(member->key, numerics, 3))
            return dg_policy_refuse_key(reader, member, numerics, 3);
        if (key != DG_POLICY_BUDGETS && member->kind == DG_YAML_LIST)
            return dg_policy_refuse(reader, member->line, member->column,
                                    "a list, expected one word: %s", expected);
        status = dg_policy_read_words(entries, reader, member, member->key, expected);
        if (!status)
            status = check_kinds(entries, reader);
    }
    return status;
}

static enum dg_status read_key(struct dg_policy_part *part, enum dg_policy_key key,
                               const struct dg_policy_reader *reader,
                               const struct dg_yaml *node)
{
    struct dg_policy_entries *entries = &part->keys[key];
    const char *expected = dg_policy_keys[key].expected;
    enum dg_status status;

    if (dg_policy_keys[key].shape == DG_POLICY_WORD && node->kind == DG_YAML_LIST)
        return dg_policy_refuse(reader, node->line, node->column,
                                "a list, expected one word: %s", expected);
    if (dg_policy_keys[key].shape == DG_POLICY_NAMED)
        status = read_named(entries, key, reader, node);
    else
        status =
            dg_policy_read_words(entries, reader, node, (struct dg_text){0}, expected);
    for (size_t i = 0; i < entries->n_items && !status; i++) {
        struct dg_policy_entry *entry = &entries->items[i];

        if (!may_be(key, entry))
            status = dg_policy_refuse(reader, entry->line, entry->column,
                                      "\"%.60s\" is not what is expected here: %s",
                                      entry->value.data, expected);
        place(reader, key, entry);
    }
    return status;
}

static enum dg_status refuse_setting(const struct dg_policy_reader *reader,
                                     const struct dg_yaml *member, bool top)
{
    const char *names[DG_POLICY_KEYS + 3];
    size_t n = 0;

    for (int key = 0; key < DG_POLICY_KEYS; key++) {
        if (top || dg_policy_keys[key].anywhere)
            names[n++] = dg_policy_keys[key].name;
    }
    if (!top)
        names[n++] = "files";
    for (size_t i = 0; i < 3 && top; i++)
        names[n++] = top_keys[i];
    return dg_policy_refuse_key(reader, member, names, n);
}

static enum dg_status read_part(const struct dg_policy_reader *reader,
                                const struct dg_yaml *node)
{
    struct dg_policy *policy = reader->policy;
    struct dg_policy_part *part = DG_APPEND(policy->parts, policy->n_parts);
    enum dg_status status =
        dg_policy_check_map(reader, node, "a map with files and settings");

    for (const struct dg_yaml *member = node->first; member && !status;
         member = member->next) {
        enum dg_policy_key key = dg_policy_key_find(member->key, false);

        if (dg_text_is(member->key, "files"))
            status = dg_policy_read_files(&part->files, reader, member);
        else if (key < DG_POLICY_KEYS)
            status = read_key(part, key, reader, member);
        else
            status = refuse_setting(reader, member, false);
    }
    if (!status && !part->files.n_items)
        status =
            dg_policy_refuse(reader, node->line, node->column,
                             "files is missing: which programs are meant, for instance "
                             "models/llama_*.pte");
    return status;
}

static enum dg_status read_list(const struct dg_policy_reader *reader,
                                const struct dg_yaml *node,
                                enum dg_status (*read)(const struct dg_policy_reader *,
                                                       const struct dg_yaml *))
{
    enum dg_status status = DG_OK;
    size_t n = 0;

    if (node->kind != DG_YAML_LIST)
        return dg_policy_refuse(reader, node->line, node->column, "expected a list");
    for (const struct dg_yaml *item = node->first; item && !status;
         item = item->next, n++)
        status = n == DG_POLICY_MOST_WORDS
                     ? dg_policy_refuse(reader, item->line, item->column,
                                        "more than %d of them", DG_POLICY_MOST_WORDS)
                     : read(reader, item);
    return status;
}

static enum dg_status read_member(const struct dg_policy_reader *reader,
                                  const struct dg_yaml *member)
{
    enum dg_policy_key key = dg_policy_key_find(member->key, true);

    if (dg_text_is(member->key, "programs"))
        return read_list(reader, member, read_part);
    if (dg_text_is(member->key, "suppressions"))
        return read_list(reader, member, dg_policy_read_pass);
    if (dg_text_is(member->key, "version"))
        return dg_text_is(member->text, "1")
                   ? DG_OK
                   : dg_policy_refuse(reader, member->line, member->column,
                                      "expected version 1");
    if (key < DG_POLICY_KEYS)
        return read_key(&reader->policy->top, key, reader, member);
    return refuse_setting(reader, member, true);
}

enum dg_status dg_policy_parse(struct dg_policy *policy, struct dg_text text,
                               const char *beside, struct dg_error *err)
{
    const struct dg_policy_reader reader = {policy, beside, err};
    const struct dg_yaml *root = NULL;
    enum dg_status status =
        dg_yaml_read(&root, text, policy->path, &policy->memory, err);

    if (status)
        return status;
    if (!root || !root->first)
        return dg_policy_refuse(&reader, 1, 1,
                                "expected settings, for instance fail-on: warning");
    status =
        dg_policy_check_map(&reader, root, "settings, for instance fail-on: warning");
    for (const struct dg_yaml *member = root->first; member && !status;
         member = member->next)
        status = read_member(&reader, member);
    return status;
}

/* The folder of a path as it was given, with a slash; "" for here. */
static const char *folder_of(const char *path, struct dg_arena *memory)
{
    const char *slash = strrchr(path, '/');

    return slash ? dg_copy(memory, (struct dg_text){path, (size_t)(slash + 1 - path)})
                 : "";
}

/* It is the user's own file, unlike a program: what is wrong with it is wrong usage. */
static enum dg_status own(const char *path, struct dg_error *err)
{
    struct dg_error inner = *err;

    if (inner.status != DG_ERR_FORMAT)
        return inner.status;
    return dg_fail(err, DG_ERR_USAGE, "--config %.160s: %s", path, inner.text);
}

enum dg_status dg_policy_read(struct dg_policy *policy, const char *path,
                              struct dg_error *err)
{
    struct dg_input input = {0};
    enum dg_status status = dg_input_map(&input, path, err);
    const char *beside = folder_of(path, &policy->memory);
    char *real;

    if (status)
        return own(path, err);
    policy->path = dg_copy(&policy->memory, dg_text(path));
    real = realpath(*beside ? beside : ".", NULL);
    policy->folder = real ? dg_copy(&policy->memory, dg_text(real)) : "";
    free(real);
    status = dg_policy_parse(
        policy, (struct dg_text){(const char *)input.file.data, input.file.size},
        beside, err);
    dg_input_close(&input);
    return status;
}

void dg_policy_clear(struct dg_policy *policy)
{
    free(policy->parts);
    free(policy->passes);
    dg_arena_clear(&policy->memory);
    *policy = (struct dg_policy){0};
}

/* "../../" and a name. */
static const char *above(struct dg_arena *memory, int n, const char *name)
{
    struct dg_writer path = {0};

    for (int i = 0; i < n; i++)
        dg_print(&path, "../");
    dg_print(&path, "%s", name);
    return dg_keep(memory, &path).data;
}

/* How many folders above the working directory the repository lies that it is in; 0: in
 * none, and what lies above is not ours. The root is above itself. */
static int repository_above(struct dg_arena *memory)
{
    struct stat here = {0}, next;

    for (int n = 0; n < HIGHEST; n++) {
        if (!access(above(memory, n, ".git"), F_OK))
            return n;
        if (stat(above(memory, n, "."), &next) ||
            (n && next.st_dev == here.st_dev && next.st_ino == here.st_ino))
            break;
        here = next;
    }
    return 0;
}

/* How many folders above the working directory it lies; -1: nowhere. */
static int find(const char *name, int highest, struct dg_arena *memory)
{
    struct stat state;

    for (int n = 0; n <= highest; n++) {
        if (!lstat(above(memory, n, name), &state)) /* a link to nowhere is one, too */
            return n;
    }
    return -1;
}

enum dg_status dg_policy_find(const char **path, struct dg_arena *memory,
                              struct dg_error *err)
{
    int highest = repository_above(memory);
    int at = find(FILE_NAME, highest, memory);
    int other = find(OTHER_NAME, highest, memory);

    *path = at < 0 ? NULL : above(memory, at, FILE_NAME);
    if (other < 0 || (at >= 0 && at <= other))
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "%s: expected " FILE_NAME
                   ", which is found by its name; or --config",
                   above(memory, other, OTHER_NAME));
}
