/* The result of a partitioner as JSON: doc/schema/partition.schema.json. */
#include <inttypes.h>

#include "cli/partition_print.h"

static void write_nodes(struct dg_writer *out, const struct dg_run_graph *graph,
                        const uint32_t *nodes, size_t n)
{
    dg_write(out, "[", 1);
    for (size_t i = 0; i < n; i++) {
        dg_write(out, ",", i > 0);
        dg_write_json(out, graph->nodes.names[nodes[i]]);
    }
    dg_write(out, "]", 1);
}

static void write_part(struct dg_writer *out, const struct dg_run_graph *graph,
                       const struct dg_run_plan *plan, uint32_t i)
{
    const struct dg_part *part = &plan->partitions.parts[i];
    const struct dg_run_part *facts = &plan->parts[i];

    dg_print(out, "{\"id\":%" PRIu32 ",\"tag\":", part->id);
    dg_write_json(out, facts->tag);
    dg_print(out, ",\"backend\":");
    if (facts->backend.data)
        dg_write_json(out, facts->backend);
    else
        dg_print(out, "null");
    if (graph->piece_of && plan == &graph->valid) {
        dg_print(out, ",\"piece_of\":");
        dg_write_json(out, graph->tags[graph->piece_of[part->id]]);
    }
    dg_print(out, ",\"nodes\":");
    write_nodes(out, graph, plan->partitions.nodes + part->begin,
                part->end - part->begin);
    dg_print(out,
             ",\"inputs\":%" PRIu32 ",\"outputs\":%" PRIu32
             ",\"boundary_bytes\":%" PRId64 ",\"unknown_sizes\":%" PRIu32 "}",
             facts->inputs, facts->outputs, facts->boundary_bytes,
             facts->unknown_sizes);
}

static void write_tags(struct dg_writer *out, const struct dg_run_graph *graph,
                       const struct dg_run_plan *plan)
{
    const char *comma = "";

    dg_print(out, "\"tags\":{");
    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        if (plan->tag_of[i] == DG_NO_PART)
            continue;
        dg_write(out, comma, strlen(comma));
        dg_write_json(out, graph->nodes.names[i]);
        dg_write(out, ":", 1);
        dg_write_json(out, plan->parts[plan->tag_of[i]].tag);
        comma = ",";
    }
    dg_write(out, "}", 1);
}

static void write_plan(struct dg_writer *out, const struct dg_run_graph *graph,
                       const struct dg_run_plan *plan)
{
    dg_print(out, "\"partitions\":[");
    for (uint32_t i = 0; i < plan->partitions.n_parts; i++) {
        dg_print(out, "%s\n", i ? "," : "");
        write_part(out, graph, plan, i);
    }
    dg_print(out, "],\n");
    write_tags(out, graph, plan);
}

static void write_unsupported(struct dg_writer *out, const struct dg_run_graph *graph)
{
    const char *comma = "";

    dg_print(out, ",\n\"unsupported\":[");
    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        uint16_t marks = graph->nodes.marks[i];

        if (!(marks & DG_MARK_CALL) || marks & DG_MARK_SUPPORTED)
            continue;
        dg_write(out, comma, strlen(comma));
        dg_write_json(out, graph->nodes.names[i]);
        comma = ",";
    }
    dg_print(out, "]");
}

static void write_copy(struct dg_writer *out, const struct dg_run_graph *graph,
                       const struct dg_duplicate *copy)
{
    struct dg_writer name = {0};

    dg_write_text(&name, graph->nodes.names[copy->constant]);
    dg_print(&name, "_copy_%" PRIu32, copy->copy);
    dg_print(out, "{\"name\":");
    dg_write_json(out, dg_written(&name));
    dg_print(out, ",\"user\":");
    dg_write_json(out, graph->nodes.names[copy->user]);
    dg_print(out, ",\"tag\":");
    if (copy->tag == DG_NO_PART)
        dg_print(out, "null");
    else
        dg_write_json(out, graph->reference.parts[copy->tag].tag);
    dg_print(out, "}");
    dg_writer_clear(&name);
}

/* All copies of one constant stand together; `bytes` is what they add. */
static void write_duplicates(struct dg_writer *out, const struct dg_run_graph *graph)
{
    const struct dg_duplicate *all = graph->duplicates;

    dg_print(out, ",\n\"duplicates\":[");
    for (size_t i = 0, n; i < graph->n_duplicates; i += n) {
        int64_t nbytes = graph->nodes.nbytes[all[i].constant];

        dg_print(out, "%s\n{\"constant\":", i ? "," : "");
        dg_write_json(out, graph->nodes.names[all[i].constant]);
        dg_print(out, ",\"copies\":[");
        for (n = 0;
             i + n < graph->n_duplicates && all[i + n].constant == all[i].constant;
             n++) {
            dg_print(out, "%s", n ? "," : "");
            write_copy(out, graph, &all[i + n]);
        }
        if (nbytes < 0 || (uint64_t)nbytes > INT64_MAX / n)
            dg_print(out, "],\"bytes\":null}");
        else
            dg_print(out, "],\"bytes\":%" PRId64 "}", nbytes * (int64_t)n);
    }
    dg_print(out, "]");
}

static void write_graph(struct dg_writer *out, const struct dg_run *run,
                        const struct dg_run_graph *graph)
{
    dg_print(out, "{\"name\":");
    dg_write_json(out, graph->nodes.method);
    if (graph->nodes.path.size) {
        dg_print(out, ",\"graph\":");
        dg_write_json(out, graph->nodes.path);
    }
    dg_print(out, ",");
    write_plan(out, graph, &graph->reference);
    write_unsupported(out, graph);
    dg_print(out, ",\n\"acyclic\":%s,\"cycle\":", graph->acyclic ? "true" : "false");
    if (graph->acyclic)
        dg_print(out, "null");
    else
        write_nodes(out, graph, graph->cycle, graph->n_cycle);
    dg_print(out, ",\"lower_bound\":%" PRIu32 ",\"witness\":", graph->bound.length);
    write_nodes(out, graph, graph->bound.path, graph->bound.n_path);
    dg_print(out, ",\"endless\":%s",
             graph->reference.partitions.endless ? "true" : "false");
    if (run->request->mode == DG_RUN_MULTI)
        dg_print(out, ",\"passes\":{\"joint\":%" PRIu32 ",\"stacked\":%" PRIu32 "}",
                 graph->multi.n_joint, graph->multi.n_stacked);
    if (!graph->acyclic) {
        dg_print(out, ",\n\"valid\":{\"dissolved_groups\":%" PRIu32 ",",
                 graph->n_dissolved);
        write_plan(out, graph, &graph->valid);
        dg_print(out, "}");
    }
    if (run->request->lower)
        write_duplicates(out, graph);
    dg_print(out, "}");
}

void dg_partition_json(struct dg_writer *out, const struct dg_run *run,
                       const struct dg_plan_errors *errors)
{
    dg_print(out, "{\"schema_version\":1,\"mode\":\"%s\",\"ir\":",
             dg_run_mode_name(run->request->mode));
    dg_write_json(out, run->request->ir);
    dg_print(out, ",\"exact\":%s,\"methods\":[",
             run->request->exact ? "true" : "false");
    for (size_t i = 0; i < run->n_graphs; i++) {
        dg_print(out, "%s\n", i ? "," : "");
        write_graph(out, run, &run->graphs[i]);
    }
    dg_print(out, "]");
    if (errors)
        dg_plan_errors_json(out, errors);
    dg_print(out, "}\n");
}
