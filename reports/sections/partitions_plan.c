/* A plan in a report: its partitions, the values at their borders, why-nots. */
#include <inttypes.h>
#include <stdlib.h>

#include "graph/buckets.h"
#include "partition/explain.h"
#include "reports/sections/partitions_parts.h"

enum {
    MOST_PARTS = 50,
    MOST_VALUES = 15,
    MOST_GROUPS = 20,
    MOST_SIMULATED = 8,
    MOST_SIMULATED_NODES = 400000, /* of all simulations together */
    MOST_ADVICE = 3,
};

struct part {
    struct dg_text tag;
    const struct dg_explained *graph;
    int64_t nodes, ops, flops, in, out, constants;
};

/* A value that one side of a border makes and the other reads. */
struct crossing {
    const struct dg_explained *graph;
    uint32_t node, reader; /* the first partition that reads it; DG_NO_PART: host */
    uint32_t n_readers;    /* partitions */
    int64_t nbytes;
};

struct plan {
    struct dg_page *page;
    const struct dg_report_input *input;
    struct dg_explanation explanation;
    struct part *parts;
    size_t n_parts;
    struct crossing *crossings;
    size_t n_crossings;
    const char *command; /* "delegraph explain FILE --plan P" */
};

static void add_input(struct part *part, const struct dg_nodes *nodes, uint32_t node)
{
    if (nodes->marks[node] & DG_MARK_CONSTANT)
        dg_add_to(&part->constants, nodes->nbytes[node]);
    else if (!(nodes->marks[node] & DG_MARK_GET_ATTR))
        dg_add_to(&part->in, nodes->nbytes[node]);
}

/* The first user elsewhere, and in how many partitions there are any. */
static bool find_readers(struct crossing *crossing, uint32_t *seen)
{
    const struct dg_explained *explained = crossing->graph;
    const struct dg_graph *graph = &explained->nodes->graph;
    uint32_t node = crossing->node, home = explained->part_of[node];
    bool leaves = false;

    crossing->reader = DG_NO_PART;
    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t part = explained->part_of[graph->users[k]];

        if (part == home)
            continue;
        leaves = true;
        if (part == DG_NO_PART || seen[part] == node)
            continue;
        seen[part] = node;
        if (!crossing->n_readers++)
            crossing->reader = part;
    }
    return leaves;
}

static void add_member(struct part *part, const struct dg_explanation *explanation,
                       uint32_t node, uint32_t number, uint32_t *seen)
{
    const struct dg_explained *explained = part->graph;
    const struct dg_graph *graph = &explained->nodes->graph;
    struct dg_cost cost = dg_explained_cost(explanation, explained, node);

    part->nodes++;
    part->ops += cost.counts;
    if (cost.counts)
        dg_add_to(&part->flops, cost.flops);
    for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
        uint32_t input = graph->inputs[k];

        if (explained->part_of[input] == number || seen[input] == number)
            continue;
        seen[input] = number;
        add_input(part, explained->nodes, input);
    }
}

static void add_parts(struct plan *plan, const struct dg_explained *explained)
{
    struct dg_arena memory = {0};
    struct dg_buckets members;
    uint32_t n = explained->nodes->graph.n_nodes;
    uint32_t *seen = dg_alloc(&memory, n, sizeof(*seen));
    size_t first = plan->n_parts;

    memset(seen, 0xff, n * sizeof(*seen));
    dg_fill_buckets(&members, explained->part_of, n, explained->n_parts, &memory);
    for (uint32_t p = 0; p < explained->n_parts; p++) {
        struct part *part = DG_APPEND(plan->parts, plan->n_parts);

        part->tag = explained->tags[p];
        part->graph = explained;
        for (uint32_t k = members.begins[p]; k < members.begins[p + 1]; k++)
            add_member(part, &plan->explanation, members.items[k], p, seen);
    }
    seen = dg_alloc(&memory, explained->n_parts, sizeof(*seen));
    memset(seen, 0xff, explained->n_parts * sizeof(*seen));
    for (uint32_t i = 0; i < n; i++) {
        struct crossing crossing = {explained, i, 0, 0, explained->nodes->nbytes[i]};

        if (explained->nodes->marks[i] &
                (DG_MARK_CONSTANT | DG_MARK_GET_ATTR | DG_MARK_OUTPUT) ||
            !find_readers(&crossing, seen))
            continue;
        *DG_APPEND(plan->crossings, plan->n_crossings) = crossing;
        if (explained->part_of[i] != DG_NO_PART)
            dg_add_to(&plan->parts[first + explained->part_of[i]].out, crossing.nbytes);
    }
    dg_arena_clear(&memory);
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->flops != y->flops)
        return x->flops > y->flops ? -1 : 1;
    if (x->ops != y->ops)
        return x->ops > y->ops ? -1 : 1;
    if (x->graph != y->graph)
        return x->graph < y->graph ? -1 : 1;
    return strcmp(x->tag.data, y->tag.data);
}

static int compare_crossings(const void *a, const void *b)
{
    const struct crossing *x = a, *y = b;

    if (x->nbytes != y->nbytes)
        return x->nbytes > y->nbytes ? -1 : 1;
    if (x->graph != y->graph)
        return x->graph < y->graph ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void list_parts(struct plan *plan)
{
    struct dg_page *page = plan->page;
    size_t n = plan->n_parts < MOST_PARTS ? plan->n_parts : MOST_PARTS;

    page->forms = DG_FORM_HTML;
    dg_page_table(page, "partition-list",
                  "Partitions of the plan, the costliest first");
    dg_table_column(page, "Tag", DG_CELL_CODE);
    dg_table_column(page, "Method", DG_CELL_CODE);
    dg_table_column(page, "Nodes", DG_CELL_COUNT);
    dg_table_column(page, "Ops", DG_CELL_COUNT);
    dg_table_column(page, "FLOPs", DG_CELL_COUNT);
    dg_table_column(page, "In", DG_CELL_BYTES);
    dg_table_column(page, "Out", DG_CELL_BYTES);
    dg_table_column(page, "Constants", DG_CELL_BYTES);
    for (size_t i = 0; i < n; i++) {
        const struct part *part = &plan->parts[i];

        dg_table_text(page, part->tag);
        dg_table_text(page, part->graph->nodes->method);
        dg_table_number(page, (double)part->nodes);
        dg_table_number(page, (double)part->ops);
        dg_table_number(page, (double)part->flops);
        dg_table_number(page, (double)part->in);
        dg_table_number(page, (double)part->out);
        dg_table_number(page, (double)part->constants);
    }
    if (n < plan->n_parts)
        dg_table_more(page, plan->n_parts - n, "%s", plan->command);
}

static struct dg_text side_of(const struct dg_explained *graph, uint32_t part)
{
    return part == DG_NO_PART ? dg_text("(host)") : graph->tags[part];
}

static struct dg_text readers_of(struct dg_page *page, const struct crossing *crossing)
{
    struct dg_text first = side_of(crossing->graph, crossing->reader);

    if (crossing->n_readers < 2)
        return first;
    return dg_format(&page->memory, "%.*s and %" PRIu32 " more", (int)first.size,
                     first.data, crossing->n_readers - 1);
}

static void list_crossings(struct plan *plan)
{
    struct dg_page *page = plan->page;
    size_t n = plan->n_crossings < MOST_VALUES ? plan->n_crossings : MOST_VALUES;

    if (!n)
        return;
    page->forms = DG_FORM_HTML;
    dg_page_table(page, "partition-values",
                  "What crosses the borders, the largest first");
    dg_table_column(page, "Value", DG_CELL_NODE);
    dg_table_column(page, "Operator", DG_CELL_CODE);
    dg_table_column(page, "From", DG_CELL_CODE);
    dg_table_column(page, "To", DG_CELL_CODE);
    dg_table_column(page, "Bytes", DG_CELL_BYTES);
    for (size_t i = 0; i < n; i++) {
        const struct crossing *crossing = &plan->crossings[i];
        const struct dg_nodes *nodes = crossing->graph->nodes;

        dg_table_text(page, nodes->names[crossing->node]);
        dg_table_text(page, nodes->ops[crossing->node]);
        dg_table_text(
            page, side_of(crossing->graph, crossing->graph->part_of[crossing->node]));
        dg_table_text(page, readers_of(page, crossing));
        if (crossing->nbytes < 0)
            dg_table_none(page);
        else
            dg_table_number(page, (double)crossing->nbytes);
    }
    if (n < plan->n_crossings)
        dg_table_more(page, plan->n_crossings - n,
                      "delegraph dot %s --view partitions%s",
                      dg_section_path(page, plan->input),
                      dg_section_plan(&page->memory, plan->input));
}

static void say_totals(struct plan *plan, const struct dg_plan_totals *totals)
{
    struct dg_page *page = plan->page;

    page->forms = DG_FORM_ALL;
    dg_page_fact(page, -1, "Plan", "%s, %s",
                 dg_amount_of(page, totals->partitions, "partition", "partitions"),
                 dg_amount_of(page, totals->calls, "delegate call", "delegate calls"));
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    dg_page_fact(page, -1, "Across the borders", "%s, %s",
                 dg_amount_of(page, totals->boundary_values, "value", "values"),
                 dg_amount_bytes(page, totals->boundary_bytes));
}

static void list_group(struct plan *plan, const struct dg_reason_group *group,
                       const struct dg_plan_totals *totals)
{
    const struct dg_explained *graph = &plan->explanation.graphs[group->graph];
    struct dg_page *page = plan->page;

    dg_table_text(page, dg_text(group->reason));
    dg_table_text(page, group->op);
    dg_table_number(page, (double)group->ops);
    if (group->unknown_flops == group->ops || totals->flops <= 0)
        dg_table_none(page);
    else
        dg_table_number(page, 100 * dg_share(group->flops, totals->flops));
    dg_table_number(page, (double)group->bytes);
    if (group->simulated)
        dg_table_number(page, (double)group->calls_saved);
    else
        dg_table_none(page);
    dg_table_text(page, graph->nodes->names[group->example]);
    dg_table_text(page, group->text);
}

static void list_groups(struct plan *plan, const struct dg_reason_group *groups,
                        size_t n_groups, const struct dg_plan_totals *totals)
{
    struct dg_page *page = plan->page;

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    dg_page_table(page, "why-not",
                  "Why calls are in no partition, the costliest first");
    dg_table_column(page, "Reason", DG_CELL_TEXT);
    dg_table_column(page, "Operator", DG_CELL_CODE);
    dg_table_column(page, "Ops", DG_CELL_COUNT);
    dg_table_column(page, "Of FLOPs", DG_CELL_PERCENT);
    dg_table_column(page, "Traffic", DG_CELL_BYTES);
    dg_table_column(page, "Calls saved", DG_CELL_COUNT);
    dg_table_column(page, "For example", DG_CELL_NODE);
    dg_table_column(page, "Because", DG_CELL_TEXT);
    for (size_t i = 0; i < n_groups && i < MOST_GROUPS; i++)
        list_group(plan, &groups[i], totals);
    if (n_groups > MOST_GROUPS)
        dg_table_more(page, n_groups - MOST_GROUPS, "%s", plan->command);
}

static int compare_saved(const void *a, const void *b)
{
    const struct dg_reason_group *x = a, *y = b;

    if (x->calls_saved != y->calls_saved)
        return x->calls_saved > y->calls_saved ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static void advise(struct plan *plan, struct dg_reason_group *groups, size_t n_groups)
{
    struct dg_page *page = plan->page;

    qsort(groups, n_groups, sizeof(*groups), compare_saved);
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
        dg_page_command(page, "%s --what-if %.*s", plan->command, (int)op.size,
                        op.data);
    }
}

static void explain(struct plan *plan, const struct dg_plan_totals *totals)
{
    struct dg_reason_group *groups;
    size_t n_nodes = 1, most, n_groups;

    for (size_t i = 0; i < plan->explanation.n_graphs; i++)
        n_nodes += plan->explanation.graphs[i].nodes->graph.n_nodes;
    most = MOST_SIMULATED_NODES / n_nodes;
    n_groups = dg_reason_groups(&groups, &plan->explanation,
                                most < MOST_SIMULATED ? most : MOST_SIMULATED);
    if (n_groups) {
        list_groups(plan, groups, n_groups, totals);
        advise(plan, groups, n_groups);
    }
    free(groups);
}

static void show(struct plan *plan)
{
    struct dg_plan_totals totals = {0};

    for (size_t i = 0; i < plan->explanation.n_graphs; i++)
        add_parts(plan, &plan->explanation.graphs[i]);
    if (plan->n_parts)
        qsort(plan->parts, plan->n_parts, sizeof(*plan->parts), compare_parts);
    if (plan->n_crossings)
        qsort(plan->crossings, plan->n_crossings, sizeof(*plan->crossings),
              compare_crossings);
    dg_plan_totals(&totals, &plan->explanation);
    say_totals(plan, &totals);
    list_parts(plan);
    list_crossings(plan);
    explain(plan, &totals);
}

enum dg_status dg_partitions_plan(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err)
{
    struct plan plan = {.page = page, .input = input};
    struct dg_explain_request request = {.artifact = input->artifact};
    enum dg_status status = dg_explain(&plan.explanation, &request, input->store, err);

    plan.command =
        dg_format(&page->memory, "delegraph explain %s%s", dg_section_path(page, input),
                  dg_section_plan(&page->memory, input))
            .data;
    if (!status)
        show(&plan);
    free(plan.parts);
    free(plan.crossings);
    dg_explanation_clear(&plan.explanation);
    return status;
}
