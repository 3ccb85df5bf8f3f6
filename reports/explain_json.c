/* Explanations as JSON. */
#include <inttypes.h>

#include "reports/explain.h"

static void write_totals(struct dg_writer *out, const struct dg_plan_totals *totals)
{
    const struct {
        const char *key;
        int64_t value;
    } members[] = {
        {"partitions", totals->partitions},
        {"delegate_calls", totals->calls},
        {"boundary_values", totals->boundary_values},
        {"boundary_bytes", totals->boundary_bytes},
        {"boundary_unknown", totals->boundary_unknown},
        {"ops", totals->ops},
        {"delegated_ops", totals->delegated_ops},
        {"flops", totals->flops},
        {"delegated_flops", totals->delegated_flops},
        {"unknown_flops", totals->unknown_flops},
        {"bytes", totals->bytes},
        {"delegated_bytes", totals->delegated_bytes},
    };

    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
        dg_print(out, "%c\"%s\":%" PRId64, i ? ',' : '{', members[i].key,
                 members[i].value);
    dg_print(out, "}");
}

static void write_key(struct dg_writer *out, const char *key, struct dg_text text)
{
    dg_print(out, ",\"%s\":", key);
    if (text.data)
        dg_write_json(out, text);
    else
        dg_print(out, "null");
}

static void write_known(struct dg_writer *out, const char *key, int64_t number)
{
    if (number < 0)
        dg_print(out, ",\"%s\":null", key);
    else
        dg_print(out, ",\"%s\":%" PRId64, key, number);
}

static void write_group(struct dg_writer *out, const struct dg_explain_report *report,
                        const struct dg_reason_group *group)
{
    const struct dg_explained *graph = &report->explanation->graphs[group->graph];

    dg_print(out, "{\"reason\":\"%s\"", group->reason);
    write_key(out, "op", group->op);
    dg_print(out,
             ",\"ops\":%" PRId64 ",\"flops\":%" PRId64 ",\"unknown_flops\":%" PRId64
             ",\"bytes\":%" PRId64 ",\"delegate_calls_saved\":",
             group->ops, group->flops, group->unknown_flops, group->bytes);
    if (group->simulated)
        dg_print(out, "%" PRId64, group->calls_saved);
    else
        dg_print(out, "null");
    write_key(out, "example", graph->nodes->names[group->example]);
    write_key(out, "text", group->text);
    dg_print(out, "}");
}

static void write_groups(struct dg_writer *out, const struct dg_explain_report *report)
{
    dg_print(out, "[");
    for (size_t i = 0; i < report->n_groups; i++) {
        dg_print(out, i ? ",\n" : "\n");
        write_group(out, report, &report->groups[i]);
    }
    dg_print(out, "]");
}

static void write_whys(struct dg_writer *out, const struct dg_explained *graph,
                       uint32_t node)
{
    uint32_t why =
        graph->part_of[node] == DG_NO_PART ? graph->first_why[node] : DG_NO_WHY;

    dg_print(out, ",\"reasons\":[");
    for (const char *comma = ""; why != DG_NO_WHY; why = graph->whys[why].next) {
        dg_print(out, "%s{\"reason\":\"%s\"", comma, graph->whys[why].reason);
        write_key(out, "text", graph->whys[why].text);
        dg_print(out, "}");
        comma = ",";
    }
    dg_print(out, "]");
}

static void write_names(struct dg_writer *out, const struct dg_explained *graph,
                        const uint32_t *nodes, size_t n)
{
    dg_print(out, "[");
    for (size_t i = 0; i < n; i++) {
        dg_print(out, i ? "," : "");
        dg_write_json(out, graph->nodes->names[nodes[i]]);
    }
    dg_print(out, "]");
}

static void write_neighbour(struct dg_writer *out, const struct dg_explained *graph,
                            uint32_t node, const struct dg_neighbour *neighbour)
{
    dg_print(out, "{\"tag\":");
    dg_write_json(out, graph->tags[neighbour->part]);
    if (graph->part_of[node] == DG_NO_PART) {
        dg_print(out, ",\"mergeable\":null,\"cycle\":null}");
        return;
    }
    dg_print(out,
             ",\"mergeable\":%s,\"cycle\":", neighbour->n_cycle ? "false" : "true");
    if (neighbour->n_cycle)
        write_names(out, graph, neighbour->cycle, neighbour->n_cycle);
    dg_print(out, neighbour->n_cycle ? "}" : "null}");
}

static void write_neighbours(struct dg_writer *out, const struct dg_explained *graph,
                             uint32_t node)
{
    struct dg_neighbour neighbours[DG_NEIGHBOURS];
    struct dg_arena memory = {0};
    size_t n = dg_neighbours(neighbours, &memory, graph, node);

    dg_print(out, ",\"neighbours\":[");
    for (size_t i = 0; i < n; i++) {
        dg_print(out, i ? "," : "");
        write_neighbour(out, graph, node, &neighbours[i]);
    }
    dg_print(out, "]");
    dg_arena_clear(&memory);
}

static void write_node(struct dg_writer *out, const struct dg_explain_report *report,
                       const struct dg_explained *graph, uint32_t node)
{
    const struct dg_nodes *nodes = graph->nodes;
    struct dg_cost cost = dg_explained_cost(report->explanation, graph, node);
    bool none = graph->part_of[node] == DG_NO_PART;

    dg_print(out, "{\"method\":");
    dg_write_json(out, nodes->method);
    write_key(out, "graph", nodes->path);
    write_key(out, "name", nodes->names[node]);
    write_key(out, "op", nodes->ops[node]);
    write_key(out, "tag",
              none ? (struct dg_text){0} : graph->tags[graph->part_of[node]]);
    write_known(out, "flops", cost.counts ? cost.flops : -1);
    write_known(out, "bytes", cost.counts ? cost.bytes : -1);
    write_whys(out, graph, node);
    if (report->node)
        write_neighbours(out, graph, node);
    dg_print(out, "}");
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

static void write_nodes(struct dg_writer *out, const struct dg_explain_report *report)
{
    const char *comma = "\n";

    dg_print(out, "[");
    for (size_t g = 0; g < report->explanation->n_graphs; g++) {
        const struct dg_explained *graph = &report->explanation->graphs[g];

        for (uint32_t i = 0; i < graph->nodes->graph.n_nodes; i++) {
            if (!shown(report, graph, i))
                continue;
            dg_print(out, "%s", comma);
            write_node(out, report, graph, i);
            comma = ",\n";
        }
    }
    dg_print(out, "]");
}

static void write_cycles(struct dg_writer *out, const struct dg_explain_report *report)
{
    const char *comma = "";

    dg_print(out, "[");
    for (size_t i = 0; i < report->explanation->n_graphs; i++) {
        const struct dg_explained *graph = &report->explanation->graphs[i];

        if (!graph->n_cycle)
            continue;
        dg_print(out, "%s{\"method\":", comma);
        dg_write_json(out, graph->nodes->method);
        write_key(out, "graph", graph->nodes->path);
        dg_print(out,
                 ",\"replaced\":%s,\"nodes\":", graph->replaced ? "true" : "false");
        write_names(out, graph, graph->cycle, graph->n_cycle);
        dg_print(out, "}");
        comma = ",";
    }
    dg_print(out, "]");
}

void dg_write_explain_json(struct dg_writer *out,
                           const struct dg_explain_report *report)
{
    dg_print(out, "{\"schema_version\":1,\"path\":");
    dg_write_json(out, dg_text(report->path));
    write_key(out, "ir", report->ir);
    dg_print(out, ",\"exact\":%s", report->exact ? "true" : "false");
    write_key(out, "source", report->explanation->source);
    dg_print(out, ",\"cycles\":");
    write_cycles(out, report);
    dg_print(out, ",\"totals\":");
    write_totals(out, &report->now);
    dg_print(out, ",\n\"reasons\":");
    write_groups(out, report);
    dg_print(out, ",\n\"what_if\":");
    if (report->what_if) {
        dg_print(out, "{\"ops\":");
        dg_write_json(out, dg_text(report->what_if));
        dg_print(out, ",\"after\":");
        write_totals(out, &report->after);
        dg_print(out, "}");
    } else {
        dg_print(out, "null");
    }
    dg_print(out, ",\n\"nodes\":");
    write_nodes(out, report);
    dg_print(out, "}\n");
}
