/* Explanations as JSON. */
#include "base/json_writer.h"
#include "reports/explain.h"

static void write_totals(struct dg_json_writer *json, const char *key,
                         const struct dg_plan_totals *totals)
{
    dg_put_object(json, key);
    dg_put_int(json, "partitions", totals->partitions);
    dg_put_int(json, "delegate_calls", totals->calls);
    dg_put_int(json, "boundary_values", totals->boundary_values);
    dg_put_int(json, "boundary_bytes", totals->boundary_bytes);
    dg_put_int(json, "boundary_unknown", totals->boundary_unknown);
    dg_put_int(json, "ops", totals->ops);
    dg_put_int(json, "delegated_ops", totals->delegated_ops);
    dg_put_int(json, "flops", totals->flops);
    dg_put_int(json, "delegated_flops", totals->delegated_flops);
    dg_put_int(json, "unknown_flops", totals->unknown_flops);
    dg_put_int(json, "bytes", totals->bytes);
    dg_put_int(json, "delegated_bytes", totals->delegated_bytes);
    dg_put_end(json);
}

static void write_group(struct dg_json_writer *json,
                        const struct dg_explain_report *report,
                        const struct dg_reason_group *group)
{
    const struct dg_explained *graph = &report->explanation->graphs[group->graph];

    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_put_text(json, "reason", dg_text(group->reason));
    dg_put_text(json, "op", group->op);
    dg_put_int(json, "ops", group->ops);
    dg_put_int(json, "flops", group->flops);
    dg_put_int(json, "unknown_flops", group->unknown_flops);
    dg_put_int(json, "bytes", group->bytes);
    if (group->simulated)
        dg_put_int(json, "delegate_calls_saved", group->calls_saved);
    else
        dg_put_null(json, "delegate_calls_saved");
    dg_put_text(json, "example", graph->nodes->names[group->example]);
    dg_put_text(json, "text", group->text);
    dg_put_end(json);
}

static void write_whys(struct dg_json_writer *json, const struct dg_explained *graph,
                       uint32_t node)
{
    uint32_t why =
        graph->part_of[node] == DG_NO_PART ? graph->first_why[node] : DG_NO_WHY;

    dg_put_array(json, "reasons");
    for (; why != DG_NO_WHY; why = graph->whys[why].next) {
        dg_put_object(json, NULL);
        dg_put_text(json, "reason", dg_text(graph->whys[why].reason));
        dg_put_text(json, "text", graph->whys[why].text);
        dg_put_end(json);
    }
    dg_put_end(json);
}

static void write_names(struct dg_json_writer *json, const char *key,
                        const struct dg_explained *graph, const uint32_t *nodes,
                        size_t n)
{
    dg_put_array(json, key);
    for (size_t i = 0; i < n; i++)
        dg_put_text(json, NULL, graph->nodes->names[nodes[i]]);
    dg_put_end(json);
}

static void write_neighbour(struct dg_json_writer *json,
                            const struct dg_explained *graph, uint32_t node,
                            const struct dg_neighbour *neighbour)
{
    dg_put_object(json, NULL);
    dg_put_text(json, "tag", graph->tags[neighbour->part]);
    if (graph->part_of[node] == DG_NO_PART)
        dg_put_null(json, "mergeable");
    else
        dg_put_bool(json, "mergeable", !neighbour->n_cycle);
    if (graph->part_of[node] != DG_NO_PART && neighbour->n_cycle)
        write_names(json, "cycle", graph, neighbour->cycle, neighbour->n_cycle);
    else
        dg_put_null(json, "cycle");
    dg_put_end(json);
}

static void write_neighbours(struct dg_json_writer *json,
                             const struct dg_explained *graph, uint32_t node)
{
    struct dg_neighbour neighbours[DG_NEIGHBOURS];
    struct dg_arena memory = {0};
    size_t n = dg_neighbours(neighbours, &memory, graph, node);

    dg_put_array(json, "neighbours");
    for (size_t i = 0; i < n; i++)
        write_neighbour(json, graph, node, &neighbours[i]);
    dg_put_end(json);
    dg_arena_clear(&memory);
}

static void write_node(struct dg_json_writer *json,
                       const struct dg_explain_report *report,
                       const struct dg_explained *graph, uint32_t node)
{
    const struct dg_nodes *nodes = graph->nodes;
    struct dg_cost cost = dg_explained_cost(report->explanation, graph, node);
    bool none = graph->part_of[node] == DG_NO_PART;

    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_put_text(json, "method", nodes->method);
    dg_put_text(json, "graph", nodes->path);
    dg_put_text(json, "name", nodes->names[node]);
    dg_put_text(json, "op", dg_nodes_op(nodes, node));
    dg_put_text(json, "tag",
                none ? (struct dg_text){0} : graph->tags[graph->part_of[node]]);
    dg_put_known(json, "flops", cost.flops);
    dg_put_known(json, "bytes", cost.bytes);
    write_whys(json, graph, node);
    if (report->node)
        write_neighbours(json, graph, node);
    dg_put_end(json);
}

/* Without a node: the calls that stay on the host. */
static bool shown(const struct dg_explain_report *report,
                  const struct dg_explained *graph, uint32_t node)
{
    if (report->node)
        return dg_explain_wants(report, graph, node);
    return graph->nodes->marks[node] & DG_MARK_CALL &&
           graph->part_of[node] == DG_NO_PART;
}

static void write_nodes(struct dg_json_writer *json,
                        const struct dg_explain_report *report)
{
    for (size_t g = 0; g < report->explanation->n_graphs; g++) {
        const struct dg_explained *graph = &report->explanation->graphs[g];

        for (uint32_t i = 0; i < graph->nodes->graph.n_nodes; i++) {
            if (shown(report, graph, i))
                write_node(json, report, graph, i);
        }
    }
}

static void write_cycles(struct dg_json_writer *json,
                         const struct dg_explain_report *report)
{
    dg_put_array(json, "cycles");
    for (size_t i = 0; i < report->explanation->n_graphs; i++) {
        const struct dg_explained *graph = &report->explanation->graphs[i];

        if (!graph->n_cycle)
            continue;
        dg_put_object(json, NULL);
        dg_put_text(json, "method", graph->nodes->method);
        dg_put_text(json, "graph", graph->nodes->path);
        dg_put_bool(json, "replaced", graph->replaced);
        write_names(json, "nodes", graph, graph->cycle, graph->n_cycle);
        dg_put_end(json);
    }
    dg_put_end(json);
}

static void write_what_if(struct dg_json_writer *json,
                          const struct dg_explain_report *report)
{
    dg_put_line(json);
    if (!report->what_if) {
        dg_put_null(json, "what_if");
        return;
    }
    dg_put_object(json, "what_if");
    dg_put_text(json, "ops", dg_text(report->what_if));
    write_totals(json, "after", &report->after);
    dg_put_end(json);
}

void dg_write_explain_json(struct dg_writer *out,
                           const struct dg_explain_report *report)
{
    struct dg_json_writer json = {.out = out};

    dg_put_object(&json, NULL);
    dg_put_int(&json, "schema_version", 1);
    dg_put_text(&json, "path", dg_text(report->path));
    dg_put_text(&json, "ir", report->ir);
    dg_put_bool(&json, "exact", report->exact);
    dg_put_text(&json, "source", report->explanation->source);
    write_cycles(&json, report);
    write_totals(&json, "totals", &report->now);
    dg_put_line(&json);
    dg_put_array(&json, "reasons");
    for (size_t i = 0; i < report->n_groups; i++)
        write_group(&json, report, &report->groups[i]);
    dg_put_end(&json);
    write_what_if(&json, report);
    dg_put_line(&json);
    dg_put_array(&json, "nodes");
    write_nodes(&json, report);
    dg_put_end(&json);
    dg_put_end(&json);
    dg_write(out, "\n", 1);
    dg_json_written(&json);
}
