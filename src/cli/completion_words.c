/* The values that completion knows, from the tables that the commands read. */
#include "cli/completion_words.h"

#include <string.h>

#include "base/arena.h"
#include "cli/named.h"
#include "diff/diff.h"
#include "partition/support.h"
#include "reports/listing.h"
#include "verifiers/backends.h"
#include "verifiers/verifier.h"

static void write_rules(struct dg_writer *out)
{
    for (const struct dg_verifier *const *v = dg_verifiers; *v; v++) {
        dg_print(out, "%s ", (*v)->name);
        for (const struct dg_rule *rule = (*v)->rules; rule->name; rule++)
            dg_print(out, "%s/%s ", (*v)->name, rule->name);
    }
}

static void write_limits(struct dg_writer *out)
{
    for (const struct dg_rule *rule = dg_verifier_budget.rules; rule->name; rule++)
        if (rule->unjudged) /* of a measure */
            dg_print(out, "%s= ", rule->name);
}

static void write_queries(struct dg_writer *out)
{
    const char *cursor = NULL;
    struct dg_named query;

    while (dg_named_next(&cursor, &query))
        dg_print(out, "@%.*s ", (int)query.name.size, query.name.data);
}

static void write_kinds(struct dg_writer *out)
{
    for (const struct dg_listing *kind = dg_listings; kind->what; kind++)
        dg_print(out, "%s ", kind->what);
}

static void write_support_lists(struct dg_writer *out)
{
    const char *name;

    for (size_t i = 0; (name = dg_support_backend(i)); i++)
        dg_print(out, "%s ", name);
}

static void write_backends(struct dg_writer *out)
{
    struct dg_arena memory = {0};
    const char *name;

    for (size_t i = 0; (name = dg_backend_shipped(i, &memory)); i++)
        dg_print(out, "%s ", name);
    dg_arena_clear(&memory);
}

static void write_differences(struct dg_writer *out)
{
    for (unsigned class = 1; dg_diff_class_name(class); class <<= 1)
        dg_print(out, "%s ", dg_diff_class_name(class));
}

static const struct dg_completion_words words[] = {
    {"diff", "ignore", true, write_differences},
    {NULL, "select", true, write_rules},
    {NULL, "ignore", true, write_rules},
    {NULL, "limit", false, write_limits},
    {NULL, "backends", true, write_backends},
    {"rules", NULL, false, write_rules},
    {"query", NULL, false, write_queries},
    {"ls", "what", false, write_kinds},
    {"partition", "backend", false, write_support_lists},
    {"explain", "backend", false, write_support_lists},
};

const struct dg_completion_words *dg_completion_words(const char *command,
                                                      const char *option)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        bool same = option ? words[i].option && !strcmp(words[i].option, option)
                           : !words[i].option;

        if (same && (!words[i].command || !strcmp(words[i].command, command)))
            return &words[i];
    }
    return NULL;
}
