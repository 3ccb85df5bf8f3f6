/* What rules found in the newest builds of all names, the worst first. */
#include <math.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "base/text_set.h"
#include "reports/fleet/section.h"
#include "reports/picture/picture.h"

enum { MOST_ROWS = 30, MOST_NAMES = 3, MOST_COMMANDS = 3, LONGEST_RULE = 250 };

struct broken { /* a rule */
    const struct dg_fleet_rule *rule;
    const struct dg_fleet_name *names[2][MOST_NAMES]; /* where it is new, and others */
    size_t n_names[2];
    double n_findings;
};

struct broken_rules {
    struct broken *items;
    size_t n_items;
    struct dg_text_set keys;
};

/* The build before has none of them. */
static bool is_new(const struct dg_trend *trend)
{
    return trend->n > 1 && trend->values[trend->n - 2] == 0;
}

static void add(struct broken_rules *found, const struct dg_fleet_name *name,
                const struct dg_fleet_rule *rule)
{
    uint32_t at = dg_text_set_add(&found->keys, rule->key);
    int old = !is_new(&rule->trend);
    struct broken *broken;

    if (at == found->n_items)
        DG_APPEND(found->items, found->n_items)->rule = rule;
    broken = &found->items[at];
    if (broken->n_names[old] < MOST_NAMES)
        broken->names[old][broken->n_names[old]] = name;
    broken->n_names[old]++;
    broken->n_findings += dg_trend_newest(&rule->trend);
}

static int worst_first(const void *a, const void *b)
{
    const struct broken *one = a, *other = b;
    size_t one_in = one->n_names[0] + one->n_names[1];
    size_t other_in = other->n_names[0] + other->n_names[1];

    if (*one->rule->severity.data != *other->rule->severity.data)
        return *one->rule->severity.data == 'e' ? -1 : 1;
    if (one->n_names[0] != other->n_names[0])
        return one->n_names[0] > other->n_names[0] ? -1 : 1;
    if (one_in != other_in)
        return one_in > other_in ? -1 : 1;
    return dg_text_compare(one->rule->key, other->rule->key);
}

static const char *which(struct dg_page *page, const struct broken *broken)
{
    struct dg_writer text = {0};
    size_t n = 0, all = broken->n_names[0] + broken->n_names[1];

    for (int old = 0; old < 2; old++)
        for (size_t i = 0; i < broken->n_names[old] && i < MOST_NAMES && n < MOST_NAMES;
             i++, n++) {
            dg_print(&text, "%s", n ? ", " : "");
            dg_write_text(&text,
                          dg_elide(&page->memory, broken->names[old][i]->name, 60));
            dg_print(&text, old ? "" : " (new)");
        }
    if (all > n)
        dg_print(&text, " and %zu more", all - n);
    return dg_keep(&page->memory, &text).data;
}

static void add_table(struct dg_page *page, const struct dg_fleet_input *input,
                      const struct broken_rules *found)
{
    dg_page_table(page, "fleet-findings", "Broken rules, new ones first");
    dg_table_columns(page, "Severity:severity", "Rule:code", "Names:count",
                     "New in:count", "Findings:count", "Which:text", NULL);
    for (size_t i = 0; i < found->n_items && i < MOST_ROWS; i++) {
        const struct broken *broken = &found->items[i];

        dg_table_text(page, broken->rule->severity);
        dg_table_text(page, dg_fleet_shown(page, broken->rule->rule));
        dg_table_number(page, (double)(broken->n_names[0] + broken->n_names[1]));
        dg_table_number(page, (double)broken->n_names[0]);
        dg_table_number(page, broken->n_findings);
        dg_table_text(page, dg_text(which(page, broken)));
    }
    if (found->n_items > MOST_ROWS)
        dg_table_more(page, found->n_items - MOST_ROWS,
                      "delegraph query %s \"SELECT build.name, measure.name, value FROM"
                      " measure JOIN build ON build.id = build_id WHERE measure.name"
                      " GLOB '*:*' ORDER BY build_id DESC\"",
                      input->path);
}

/* The program says where; of data that was given with it the store knows. */
static void add_commands(struct dg_page *page, const struct dg_fleet_input *input,
                         const struct broken_rules *found)
{
    for (size_t i = 0; i < found->n_items && i < MOST_COMMANDS; i++) {
        const struct broken *broken = &found->items[i];
        const struct dg_fleet_name *name = broken->names[!broken->n_names[0]][0];

        if (broken->rule->rule.size <= LONGEST_RULE)
            dg_page_command(page, "delegraph check %s --artifact %lld --select %s",
                            input->path, (long long)dg_fleet_newest(name)->artifact,
                            dg_shell_word(&page->memory, broken->rule->rule).data);
    }
}

static void say_unknown(struct dg_page *page, const struct dg_fleet *fleet)
{
    size_t n = 0;

    for (size_t i = 0; i < fleet->n_names; i++)
        n += !fleet->names[i].newest_by_rule;
    if (n)
        dg_page_say(
            page, DG_TONE_WARN,
            "Of %zu name%s the store has no findings by rule, only how many there"
            " are: an earlier version added the newest build.",
            n, n == 1 ? "" : "s");
}

static enum dg_status write(struct dg_page *page, const struct dg_fleet_input *input,
                            struct dg_error *err)
{
    struct broken_rules found = {0};

    for (size_t i = 0; i < input->fleet->n_names; i++) {
        const struct dg_fleet_name *name = &input->fleet->names[i];

        for (size_t k = 0; k < name->n_rules && name->newest_by_rule; k++)
            if (dg_trend_newest(&name->rules[k].trend) > 0)
                add(&found, name, &name->rules[k]);
    }
    dg_sort(found.items, found.n_items, sizeof(*found.items), worst_first);
    if (found.n_items)
        add_table(page, input, &found);
    say_unknown(page, input->fleet);
    add_commands(page, input, &found);
    dg_text_set_clear(&found.keys);
    free(found.items);
    return DG_OK;
}

const struct dg_fleet_section dg_fleet_section_findings = {
    .id = "findings",
    .title = "Findings of the newest builds",
    .write = write,
};
