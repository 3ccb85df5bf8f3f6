/* Why calls are in no partition of a plan, and what would change that. */
#include <stdlib.h>

#include "base/sorted.h"
#include "reports/picture/picture.h"
#include "reports/sections/partitions_parts.h"

enum {
    MOST_GROUPS = 20,
    MOST_SIMULATED = 8,
    MOST_SIMULATED_NODES = 400000, /* of all simulations together */
    MOST_ADVICE = 3,
};

struct why {
    struct dg_page *page;
    const struct dg_explanation *explanation;
    const struct dg_plan_totals *totals;
    const char *command; /* "delegraph explain FILE --plan P" */
};

static void list_group(const struct why *why, const struct dg_reason_group *group)
{
    const struct dg_explained *graph = &why->explanation->graphs[group->graph];
    struct dg_page *page = why->page;

    dg_table_text(page, dg_text(group->reason));
    dg_table_text(page, group->op);
    dg_table_number(page, (double)group->ops);
    dg_table_share(page, group->flops,
                   group->unknown_flops == group->ops ? 0 : why->totals->flops);
    dg_table_number(page, (double)group->bytes);
    if (group->simulated)
        dg_table_number(page, (double)group->calls_saved);
    else
        dg_table_none(page);
    dg_table_text(page, graph->nodes->names[group->example]);
    dg_table_text(page, group->text);
}

static void list_groups(const struct why *why, const struct dg_reason_group *groups,
                        size_t n_groups)
{
    struct dg_page *page = why->page;

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    dg_page_table(page, "why-not",
                  "Why calls are in no partition, the costliest first");
    dg_table_columns(page, "Reason:text", "Operator:code", "Ops:count",
                     "Of FLOPs:percent", "Traffic:bytes", "Calls saved:count",
                     "For example:node", "Because:text", NULL);
    for (size_t i = 0; i < n_groups && i < MOST_GROUPS; i++)
        list_group(why, &groups[i]);
    if (n_groups > MOST_GROUPS)
        dg_table_more(page, n_groups - MOST_GROUPS, "%s", why->command);
}

static int compare_saved(const void *a, const void *b)
{
    const struct dg_reason_group *x = a, *y = b;

    if (x->calls_saved != y->calls_saved)
        return x->calls_saved > y->calls_saved ? -1 : 1;
    return strcmp(x->reason, y->reason) ? strcmp(x->reason, y->reason)
                                        : dg_text_compare(x->op, y->op);
}

static void advise(const struct why *why, struct dg_reason_group *groups,
                   size_t n_groups)
{
    struct dg_page *page = why->page;

    dg_sort(groups, n_groups, sizeof(*groups), compare_saved);
    for (size_t i = 0; i < n_groups && i < MOST_ADVICE; i++) {
        const struct dg_reason_group *group = &groups[i];
        struct dg_text op = dg_shell_word(&page->memory, group->op);

        if (group->calls_saved <= 0)
            return;
        page->forms = DG_FORM_HTML | DG_FORM_TEXT;
        dg_page_say(
            page, DG_TONE_NOTE, "Were %.*s delegated: %s fewer.", (int)group->op.size,
            group->op.data,
            dg_amount_of(page, group->calls_saved, "delegate call", "delegate calls"));
        dg_page_command(page, "%s --what-if %.*s", why->command, (int)op.size, op.data);
    }
}

void dg_partitions_why(struct dg_page *page, const struct dg_explanation *explanation,
                       const struct dg_plan_totals *totals, const char *command)
{
    const struct why why = {page, explanation, totals, command};
    struct dg_reason_group *groups;
    size_t n_nodes = 1, most, n_groups;

    for (size_t i = 0; i < explanation->n_graphs; i++)
        n_nodes += explanation->graphs[i].nodes->graph.n_nodes;
    most = MOST_SIMULATED_NODES / n_nodes;
    n_groups = dg_reason_groups(&groups, explanation,
                                most < MOST_SIMULATED ? most : MOST_SIMULATED);
    if (n_groups) {
        list_groups(&why, groups, n_groups);
        advise(&why, groups, n_groups);
    }
    free(groups);
}
