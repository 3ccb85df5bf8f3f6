/* A plan in a report: its partitions, and the values at their borders. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/csr.h"
#include "base/sorted.h"
#include "reports/sections/partitions_parts.h"

enum {
    MOST_PARTS = 50,
    MOST_VALUES = 15,
};

struct part {
    struct dg_text tag;
    const struct dg_explained *graph;
    int64_t nodes, ops, flops, in, out, constants;
};

/* A value that one side of a border makes and the other reads. */
struct crossing {
    const struct dg_explained *graph;
    uint32_t node, reader; /* a node elsewhere */
    uint32_t n_readers;    /* partitions, and the host as one */
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

/* The first user elsewhere, if there is one: in a partition, or else on the host. And
 * on how many sides there are users. */
static bool find_readers(struct crossing *crossing, uint32_t *seen)
{
    const struct dg_explained *explained = crossing->graph;
    const struct dg_graph *graph = &explained->nodes->graph;
    uint32_t node = crossing->node, home = explained->part_of[node];
    bool in_none = false, in_some = false;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t user = graph->users[k], part = explained->part_of[user];

        if (part == home || (part == DG_NO_PART ? in_none : seen[part] == node))
            continue;
        if (part == DG_NO_PART)
            in_none = true;
        else
            seen[part] = node;
        if (!crossing->n_readers++ || (part != DG_NO_PART && !in_some))
            crossing->reader = user;
        in_some |= part != DG_NO_PART;
    }
    return crossing->n_readers > 0;
}

static void add_cost(struct part *part, const struct dg_cost *cost)
{
    part->ops += dg_cost_counts(cost);
    dg_add_to(&part->flops, cost->flops);
}

static void add_member(struct part *part, const struct dg_explanation *explanation,
                       uint32_t node, uint32_t number, uint32_t *seen)
{
    const struct dg_explained *explained = part->graph;
    const struct dg_graph *graph = &explained->nodes->graph;
    struct dg_cost cost = dg_explained_cost(explanation, explained, node);

    part->nodes++;
    add_cost(part, &cost);
    if (explained->nodes->marks[node] & DG_MARK_CONSTANT)
        add_input(part, explained->nodes, node);
    for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
        uint32_t input = graph->inputs[k];

        if (explained->part_of[input] == number || seen[input] == number)
            continue;
        seen[input] = number;
        add_input(part, explained->nodes, input);
    }
}

/* Calls in branches of control flow belong to the partition of its operator. */
static void add_branches(struct part *parts, const struct dg_explanation *explanation,
                         const struct dg_explained *explained)
{
    const struct dg_graph *graph = &explained->nodes->graph;

    for (size_t i = 0; i < explanation->n_rest; i++) {
        const struct dg_rest *rest = &explanation->rest[i];
        uint32_t k, end;

        if (rest->branch == DG_NO_NODE ||
            explanation->graphs + rest->graph != explained)
            continue;
        k = graph->user_of[rest->branch];
        end = graph->user_of[rest->branch + 1];
        while (k < end && explained->part_of[graph->users[k]] == DG_NO_PART)
            k++;
        if (k < end)
            add_cost(&parts[explained->part_of[graph->users[k]]], &rest->cost);
    }
}

static void add_parts(struct plan *plan, const struct dg_explained *explained)
{
    struct dg_arena memory = {0};
    struct dg_csr members;
    uint32_t n = explained->nodes->graph.n_nodes;
    uint32_t *seen = dg_alloc(&memory, n, sizeof(*seen));
    size_t first = plan->n_parts;

    memset(seen, 0xff, n * sizeof(*seen));
    dg_csr_by_key(&members, explained->part_of, n, explained->n_parts, &memory);
    for (uint32_t p = 0; p < explained->n_parts; p++) {
        struct part *part = DG_APPEND(plan->parts, plan->n_parts);

        part->tag = explained->tags[p];
        part->graph = explained;
        for (uint32_t k = members.begins[p]; k < members.begins[p + 1]; k++)
            add_member(part, &plan->explanation, members.items[k], p, seen);
    }
    if (explained->n_parts)
        add_branches(plan->parts + first, &plan->explanation, explained);
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
    dg_table_columns(page, "Tag:code", "Method:code", "Nodes:count", "Ops:count",
                     "FLOPs:count", "In:bytes", "Out:bytes", "Constants:bytes", NULL);
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

static struct dg_text side_of(const struct dg_explained *graph, uint32_t node)
{
    uint32_t part = graph->part_of[node];

    if (part != DG_NO_PART)
        return graph->tags[part];
    if (graph->nodes->marks[node] & (DG_MARK_DELEGATE | DG_MARK_DELEGATE_ITEM))
        return dg_text("(delegate)");
    return dg_text("(host)");
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
                  "What crosses the borders, the largest first (the sum above counts a "
                  "value at each border)");
    dg_table_columns(page, "Value:node", "Operator:code", "From:code", "To:code",
                     "Bytes:bytes", NULL);
    for (size_t i = 0; i < n; i++) {
        const struct crossing *crossing = &plan->crossings[i];
        const struct dg_nodes *nodes = crossing->graph->nodes;

        dg_table_text(page, nodes->names[crossing->node]);
        dg_table_text(page, dg_nodes_op(nodes, crossing->node));
        dg_table_text(page, side_of(crossing->graph, crossing->node));
        dg_table_text(page, readers_of(page, crossing));
        if (crossing->nbytes < 0)
            dg_table_none(page);
        else
            dg_table_number(page, (double)crossing->nbytes);
    }
    if (n < plan->n_crossings)
        dg_table_more(page, plan->n_crossings - n,
                      "delegraph dot %s --view partitions%s", plan->input->path,
                      plan->input->plan_options);
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

static void show(struct plan *plan)
{
    struct dg_plan_totals totals = {0};

    for (size_t i = 0; i < plan->explanation.n_graphs; i++)
        add_parts(plan, &plan->explanation.graphs[i]);
    dg_sort(plan->parts, plan->n_parts, sizeof(*plan->parts), compare_parts);
    dg_sort(plan->crossings, plan->n_crossings, sizeof(*plan->crossings),
            compare_crossings);
    dg_plan_totals(&totals, &plan->explanation);
    say_totals(plan, &totals);
    list_parts(plan);
    list_crossings(plan);
    dg_partitions_why(plan->page, &plan->explanation, &totals, plan->command);
}

enum dg_status dg_partitions_plan(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err)
{
    struct plan plan = {.page = page, .input = input};
    struct dg_explain_request request = {.artifact = input->artifact};
    enum dg_status status = dg_explain(&plan.explanation, &request, input->store, err);

    plan.command = dg_format(&page->memory, "delegraph explain %s%s", input->path,
                             input->plan_options)
                       .data;
    if (!status)
        show(&plan);
    free(plan.parts);
    free(plan.crossings);
    dg_explanation_clear(&plan.explanation);
    return status;
}
