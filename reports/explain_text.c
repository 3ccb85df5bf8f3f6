/* Explanations for people: the plan in a line, reasons in a table, nodes in full. */
#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "reports/explain.h"
#include "reports/page/grid.h"

enum { MOST_GROUPS = 20, NAMES_OF_A_CYCLE = 12 };

static void write_percent(struct dg_writer *out, int64_t part, int64_t whole)
{
    if (whole > 0)
        dg_print(out, "%.1f %%", 100.0 * (double)part / (double)whole);
    else
        dg_print(out, "-");
}

static void write_number(struct dg_writer *out, int64_t n, const char *one,
                         const char *many)
{
    dg_print(out, "%" PRId64 " %s", n, n == 1 ? one : many);
}

static void write_share(struct dg_writer *out, const struct dg_plan_totals *totals)
{
    dg_print(out, "  delegated    %" PRId64 " of %" PRId64 " ops (",
             totals->delegated_ops, totals->ops);
    write_percent(out, totals->delegated_ops, totals->ops);
    dg_print(out, "), ");
    write_percent(out, totals->delegated_flops, totals->flops);
    dg_print(out, " of ");
    dg_write_count(out, totals->flops);
    dg_print(out, " FLOPs, ");
    write_percent(out, totals->delegated_bytes, totals->bytes);
    dg_print(out, " of ");
    dg_write_size(out, totals->bytes);
    if (totals->unknown_flops) {
        dg_print(out, "; ");
        write_number(out, totals->unknown_flops, "op", "ops");
        dg_print(out, " of unknown FLOPs");
    }
    dg_print(out, "\n");
}

static void write_totals(struct dg_writer *out, const struct dg_explain_report *report)
{
    const struct dg_plan_totals *now = &report->now;

    dg_write_plain(out, dg_text(report->path));
    dg_print(out, ": ");
    write_number(out, now->partitions, "partition", "partitions");
    dg_print(out, " (");
    if (dg_text_is(report->explanation->source, "custom"))
        dg_print(out, "tags of the program");
    else
        dg_write_plain(out, report->explanation->source);
    dg_print(out, "), ");
    write_number(out, now->calls, "delegate call", "delegate calls");
    dg_print(out, "\n");
    if (report->takes_all)
        dg_print(out, "  " DG_TAKES_ALL "\n");
    if (!report->takes_all || now->delegated_ops < now->ops)
        write_share(out, now);
    dg_print(out, "  boundary     ");
    write_number(out, now->boundary_values, "value", "values");
    dg_print(out, ", ");
    dg_write_size(out, now->boundary_bytes);
    if (now->boundary_unknown)
        dg_print(out, "; %" PRId64 " of unknown size", now->boundary_unknown);
    dg_print(out, "\n");
}

static void add_cell(struct dg_grid *grid, const char *text)
{
    dg_print(&grid->text, "%s", text);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
}

static void add_number(struct dg_grid *grid, bool known, int64_t number)
{
    if (known)
        dg_print(&grid->text, "%" PRId64, number);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
}

static void add_group(struct dg_grid *grid, const struct dg_explain_report *report,
                      const struct dg_reason_group *group)
{
    const struct dg_explained *graph = &report->explanation->graphs[group->graph];

    add_cell(grid, group->reason);
    dg_write_plain(&grid->text, group->op);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
    add_number(grid, true, group->ops);
    if (group->unknown_flops == group->ops)
        dg_print(&grid->text, "?");
    else
        write_percent(&grid->text, group->flops, report->now.flops);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
    dg_write_size(&grid->text, group->bytes);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
    add_number(grid, group->simulated, group->calls_saved);
    dg_write_plain(&grid->text, graph->nodes->names[group->example]);
    dg_print(&grid->text, ": ");
    dg_write_plain(&grid->text, group->text);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
}

static void write_groups(struct dg_writer *out, const struct dg_explain_report *report)
{
    static const struct {
        const char *title;
        bool right;
    } columns[] = {
        {"REASON", false},      {"OPERATOR", false}, {"OPS", true},
        {"FLOPS", true},        {"BYTES", true},     {"CALLS SAVED", true},
        {"FOR EXAMPLE", false},
    };
    const struct dg_page_options plain = {0};
    struct dg_grid grid = {0};
    size_t shown = report->n_groups < MOST_GROUPS ? report->n_groups : MOST_GROUPS;

    if (!report->n_groups) {
        dg_print(out, report->takes_all ? "" : "  no call stays on the host\n");
        return;
    }
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
        dg_grid_column(&grid, columns[i].right, DG_GRID_WHOLE);
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
        add_cell(&grid, columns[i].title);
    for (size_t i = 0; i < shown; i++)
        add_group(&grid, report, &report->groups[i]);
    dg_grid_write(out, &grid, 2, true, &plain);
    if (shown < report->n_groups)
        dg_print(out, "  and %zu more\n", report->n_groups - shown);
    dg_grid_clear(&grid);
}

static void write_change(struct dg_writer *out, const char *what, int64_t before,
                         int64_t after)
{
    dg_print(out, "  %-12s %" PRId64 " -> %" PRId64 "\n", what, before, after);
}

static void write_what_if(struct dg_writer *out, const struct dg_explain_report *report)
{
    const struct dg_plan_totals *now = &report->now, *after = &report->after;

    dg_print(out, "what if ");
    dg_write_plain(out, dg_text(report->what_if));
    dg_print(out, " were supported\n");
    write_change(out, "partitions", now->partitions, after->partitions);
    write_change(out, "calls", now->calls, after->calls);
    dg_print(out, "  boundary     %" PRId64 " values, ", now->boundary_values);
    dg_write_size(out, now->boundary_bytes);
    dg_print(out, " -> %" PRId64 " values, ", after->boundary_values);
    dg_write_size(out, after->boundary_bytes);
    dg_print(out, "\n  ops          ");
    write_percent(out, now->delegated_ops, now->ops);
    dg_print(out, " -> ");
    write_percent(out, after->delegated_ops, after->ops);
    dg_print(out, "\n  FLOPs        ");
    write_percent(out, now->delegated_flops, now->flops);
    dg_print(out, " -> ");
    write_percent(out, after->delegated_flops, after->flops);
    dg_print(out, "\n");
}

static void write_cost(struct dg_writer *out, const struct dg_cost *cost)
{
    if (!dg_cost_counts(cost))
        return;
    dg_print(out, "  cost         ");
    if (cost->flops < 0)
        dg_print(out, "unknown FLOPs");
    else
        dg_write_count(out, cost->flops);
    dg_print(out, cost->flops < 0 ? ", " : cost->flops == 1 ? " FLOP, " : " FLOPs, ");
    if (cost->bytes < 0)
        dg_print(out, "unknown bytes");
    else
        dg_write_size(out, cost->bytes);
    dg_print(out, "\n");
}

static void write_names(struct dg_writer *out, const struct dg_explained *graph,
                        const uint32_t *nodes, size_t n)
{
    for (size_t i = 0; i < n && i < NAMES_OF_A_CYCLE; i++) {
        dg_print(out, i ? " -> " : "");
        dg_write_plain(out, graph->nodes->names[nodes[i]]);
    }
    dg_print(out, n > NAMES_OF_A_CYCLE ? " -> ...\n" : "\n");
}

static void write_neighbours(struct dg_writer *out, const struct dg_explained *graph,
                             uint32_t node)
{
    struct dg_neighbour neighbours[DG_NEIGHBOURS];
    struct dg_arena memory = {0};
    size_t n = dg_neighbours(neighbours, &memory, graph, node);

    for (size_t i = 0; i < n; i++) {
        dg_print(out, "  next to      ");
        dg_write_plain(out, graph->tags[neighbours[i].part]);
        if (graph->part_of[node] == DG_NO_PART)
            dg_print(out, "\n");
        else if (!neighbours[i].n_cycle)
            dg_print(out, ": both could be one partition\n");
        else {
            dg_print(out, ": one partition would close a cycle: ");
            write_names(out, graph, neighbours[i].cycle, neighbours[i].n_cycle);
        }
    }
    dg_arena_clear(&memory);
}

static void write_node(struct dg_writer *out, const struct dg_explain_report *report,
                       const struct dg_explained *graph, uint32_t node)
{
    const struct dg_nodes *nodes = graph->nodes;
    struct dg_cost cost = dg_explained_cost(report->explanation, graph, node);
    struct dg_text op = dg_nodes_op(nodes, node);

    dg_write_plain(out, nodes->method);
    dg_print(out, nodes->path.size ? ", graph " : "");
    dg_write_plain(out, nodes->path);
    dg_print(out, ": ");
    dg_write_plain(out, nodes->names[node]);
    if (op.data)
        dg_print(out, " (%.*s)", (int)op.size, op.data);
    dg_print(out, ": ");
    if (graph->part_of[node] == DG_NO_PART)
        dg_print(out, "in no partition");
    else
        dg_write_plain(out, graph->tags[graph->part_of[node]]);
    dg_print(out, "\n");
    for (uint32_t why = graph->first_why[node];
         graph->part_of[node] == DG_NO_PART && why != DG_NO_WHY;
         why = graph->whys[why].next) {
        dg_print(out, "  %-12s ", graph->whys[why].reason);
        dg_write_plain(out, graph->whys[why].text);
        dg_print(out, "\n");
    }
    write_cost(out, &cost);
    write_neighbours(out, graph, node);
}

static void write_nodes(struct dg_writer *out, const struct dg_explain_report *report)
{
    for (size_t g = 0; g < report->explanation->n_graphs; g++) {
        const struct dg_explained *graph = &report->explanation->graphs[g];

        for (uint32_t i = 0; i < graph->nodes->graph.n_nodes; i++) {
            if (dg_explain_wants(report, graph, i))
                write_node(out, report, graph, i);
        }
    }
}

bool dg_explain_wants(const struct dg_explain_report *report,
                      const struct dg_explained *graph, uint32_t node)
{
    const struct dg_nodes *nodes = graph->nodes;
    struct dg_text wanted = dg_text(report->node);
    size_t path = nodes->path.size;

    if (!wanted.data || dg_text_equal(nodes->names[node], wanted))
        return true;
    if (!path || wanted.size <= path || wanted.data[path] != '/' ||
        memcmp(wanted.data, nodes->path.data, path) != 0)
        return false;
    wanted = (struct dg_text){wanted.data + path + 1, wanted.size - path - 1};
    return dg_text_equal(nodes->names[node], wanted);
}

/* First of all: nothing of a plan matters where it cannot be lowered. */
static void write_cycles(struct dg_writer *out, const struct dg_explain_report *report)
{
    for (size_t i = 0; i < report->explanation->n_graphs; i++) {
        const struct dg_explained *graph = &report->explanation->graphs[i];

        if (!graph->n_cycle)
            continue;
        dg_print(out, graph->replaced
                          ? "what the partitioner makes cannot be lowered, this is a "
                            "valid plan instead: method "
                          : "cannot be lowered: method ");
        dg_write_plain(out, graph->nodes->method);
        dg_print(out, ", cycle ");
        write_names(out, graph, graph->cycle, graph->n_cycle);
    }
}

void dg_write_explain_text(struct dg_writer *out,
                           const struct dg_explain_report *report)
{
    write_cycles(out, report);
    if (report->node) {
        write_nodes(out, report);
        return;
    }
    write_totals(out, report);
    if (report->what_if)
        write_what_if(out, report);
    else
        write_groups(out, report);
}
