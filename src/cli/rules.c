/* rules: what check looks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/options.h"
#include "cli/user_rules.h"
#include "verifiers/verifier.h"

struct given {
    const char *format, *output;
    struct dg_user_options user;
};

static const struct dg_option options[] = {
    DG_USER_FOLDERS_OPTION(struct given, user),
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

/* A rule of a family; visiting stops when the visit returns false. */
typedef bool visit_fn(void *context, const char *family, const struct dg_rule *rule);

static void visit_rules(const struct dg_verifier *user, visit_fn *visit, void *context)
{
    const struct dg_verifier *v;

    for (size_t i = 0; (v = dg_verifier_at(i, user)); i++) {
        for (const struct dg_rule *rule = v->rules; rule->name; rule++) {
            if (!visit(context, v->name, rule))
                return;
        }
    }
}

struct print {
    struct dg_writer *out;
    const char *id; /* the only one wanted; NULL: all */
    int n_printed;
};

/* What --select takes is taken here. */
static bool wanted_id(const struct print *print, const char *id)
{
    const struct dg_selection only = {.select = &print->id, .n_select = 1};

    return !print->id || dg_selects(&only, id);
}

static bool is_one_rule(const char *id)
{
    return strchr(id, '/') && !strpbrk(id, "*?[");
}

static bool wanted(const struct print *print, const char *family,
                   const struct dg_rule *rule)
{
    char id[160];

    snprintf(id, sizeof(id), "%s/%s", family, rule->name);
    return wanted_id(print, id);
}

static bool print_line(void *context, const char *family, const struct dg_rule *rule)
{
    struct print *print = context;
    char id[160];

    if (!wanted(print, family, rule))
        return true;
    snprintf(id, sizeof(id), "%s/%s", family, rule->name);
    dg_print(print->out, "%-36s %-8s %s\n", id, dg_severity_name(rule->severity),
             rule->invariant);
    print->n_printed++;
    return true;
}

static void print_fact(struct dg_writer *out, const char *label, const char *fact)
{
    if (fact)
        dg_print(out, "%-10s %s\n", label, fact);
}

static bool print_whole(void *context, const char *family, const struct dg_rule *rule)
{
    struct print *print = context;

    if (!wanted(print, family, rule))
        return true;
    dg_print(print->out, "%s/%s (%s)\n\n", family, rule->name,
             dg_severity_name(rule->severity));
    print_fact(print->out, "holds:", rule->invariant);
    print_fact(print->out, "otherwise:", rule->reason);
    print_fact(print->out, "fix:", rule->fix);
    print_fact(print->out, "example:", rule->example);
    print_fact(print->out, "upstream:", rule->issue);
    print_fact(print->out, "seen in:", rule->level);
    if (rule->runs)
        print_fact(print->out, "runs:", dg_rule_runs_name(rule->runs));
    print->n_printed++;
    return true;
}

static void print_member(struct dg_writer *out, const char *key, const char *value)
{
    dg_print(out, ",\"%s\":", key);
    if (value)
        dg_write_json(out, dg_text(value));
    else
        dg_print(out, "null");
}

static bool print_json(void *context, const char *family, const struct dg_rule *rule)
{
    struct print *print = context;

    if (!wanted(print, family, rule))
        return true;
    dg_print(print->out, "%s\n{\"id\":\"%s/%s\",\"severity\":\"%s\"",
             print->n_printed++ ? "," : "", family, rule->name,
             dg_severity_name(rule->severity));
    print_member(print->out, "invariant", rule->invariant);
    print_member(print->out, "reason", rule->reason);
    print_member(print->out, "fix", rule->fix);
    print_member(print->out, "example", rule->example);
    print_member(print->out, "issue", rule->issue);
    print_member(print->out, "level", rule->level);
    print_member(print->out, "runs", dg_rule_runs_name(rule->runs));
    dg_print(print->out, "}");
    return true;
}

struct names {
    struct dg_arena memory;
    const char **items;
    size_t n_items;
};

static bool collect(void *context, const char *family, const struct dg_rule *rule)
{
    struct names *names = context;

    *DG_APPEND(names->items, names->n_items) =
        dg_format(&names->memory, "%s/%s", family, rule->name).data;
    *DG_APPEND(names->items, names->n_items) = family;
    return true;
}

static int refuse(const char *id, const struct dg_verifier *user)
{
    struct dg_error err = {0};
    struct names names = {0};
    const char *near;

    visit_rules(user, collect, &names);
    for (size_t i = 0; i < dg_n_undecided; i++)
        *DG_APPEND(names.items, names.n_items) = dg_undecided[i].id;
    near = dg_nearest(id, names.items, names.n_items);
    dg_fail(&err, DG_ERR_USAGE, "no rule \"%.80s\"%s%s%s", id,
            near                     ? "; did you mean "
            : strncmp(id, "user", 4) ? "; see delegraph rules"
                                     : "; rules of your own need --rules DIR",
            near ? near : "", near ? "?" : "");
    free(names.items);
    dg_arena_clear(&names.memory);
    return dg_complain(&err);
}

/* What the catalogue has and no rule says. */
static void print_undecided(struct print *print)
{
    for (size_t i = 0; i < dg_n_undecided; i++) {
        const struct dg_undecided *one = &dg_undecided[i];

        if (!wanted_id(print, one->id))
            continue;
        dg_print(print->out, "%-36s %-8s %s\n", one->id, "-", one->why);
        print->n_printed++;
    }
}

static void print_undecided_json(struct print *print)
{
    const char *comma = "";

    dg_print(print->out, "],\"not_decidable\":[");
    for (size_t i = 0; i < dg_n_undecided; i++) {
        if (!wanted_id(print, dg_undecided[i].id))
            continue;
        dg_print(print->out, "%s\n{\"id\":\"%s\"", comma, dg_undecided[i].id);
        print_member(print->out, "why", dg_undecided[i].why);
        dg_print(print->out, "}");
        comma = ",";
        print->n_printed++;
    }
    dg_print(print->out, "]}\n");
}

static int print_rules(const struct given *given, const struct dg_verifier *user,
                       const char *id)
{
    struct dg_writer out = {0};
    struct print print = {.out = &out, .id = id};
    bool json = !strcmp(given->format, "json");

    if (json)
        dg_print(&out, "{\"schema_version\":1,\"rules\":[");
    visit_rules(user,
                json                    ? print_json
                : id && is_one_rule(id) ? print_whole
                                        : print_line,
                &print);
    if (json)
        print_undecided_json(&print);
    else
        print_undecided(&print);
    if (id && !print.n_printed) {
        dg_writer_clear(&out);
        return refuse(id, user);
    }
    return dg_deliver(given->output, &out, DG_EXIT_FINE);
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    const struct dg_verifier *user = NULL;
    struct dg_arena memory = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_rules, &argc, argv, &err);
    int exit_code;

    if (!status)
        status = dg_user_rules_load(&user, &given.user, &memory, &err);
    exit_code = status ? dg_complain(&err)
                       : print_rules(&given, user, argc > 1 ? argv[1] : NULL);
    dg_arena_clear(&memory);
    return exit_code;
}

const struct dg_command dg_command_rules = {
    .name = "rules",
    .synopsis = "[ID]",
    .summary = "what check looks for; with ID, why it matters and what to do",
    .help = "ID is a rule (memory/extent), a family (memory) or a pattern (memory/*). "
            "Rules "
            "whose severity is \"-\" are known invariants that no file can show "
            "broken; the line says why.\n",
    .run = run,
    .options = options,
    .most = 1,
};
