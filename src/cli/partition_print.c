/* The result of a partitioner as text. */
#include "cli/partition_print.h"

#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"

enum { MOST_PATH = 8, MOST_PIECES = 100, MOST_ROWS = 1000, WIDEST = 60 };

static void write_name(struct dg_writer *out, const struct dg_run_graph *graph,
                       uint32_t node)
{
    dg_write_plain(out, graph->nodes.names[node]);
}

/* The middle of a long path says little. */
static void write_path(struct dg_writer *out, const struct dg_run_graph *graph,
                       const uint32_t *path, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (n > MOST_PATH && i == MOST_PATH / 2) {
            i = n - MOST_PATH / 2 + 1;
            dg_print(out, " -> ...");
        }
        dg_print(out, "%s", i ? " -> " : "");
        write_name(out, graph, path[i]);
    }
}

/* Of what stands in a table; `backend` 0: all delegates are of one. */
struct widths {
    size_t tag, backend;
};

static void widen(size_t *width, struct dg_text text)
{
    if (text.size > *width && text.size <= WIDEST)
        *width = text.size;
}

static struct widths widths_of(const struct dg_run_plan *plan, enum dg_run_mode mode)
{
    bool several = mode == DG_RUN_MULTI || mode == DG_RUN_REPAIR;
    struct widths widths = {strlen("tag"), several ? strlen("backend") : 0};

    for (uint32_t i = 0; i < plan->partitions.n_parts; i++) {
        widen(&widths.tag, plan->parts[i].tag);
        if (several)
            widen(&widths.backend, plan->parts[i].backend);
    }
    return widths;
}

/* What is longer than its column stands out of it. */
static void write_cell(struct dg_writer *out, struct dg_text text, size_t width)
{
    size_t end = out->size + width;

    dg_write_plain(out, text);
    dg_print(out, "%*s", end > out->size ? (int)(end - out->size) + 2 : 2, "");
}

static void write_part(struct dg_writer *out, const struct dg_run_plan *plan,
                       uint32_t i, struct widths widths)
{
    const struct dg_part *part = &plan->partitions.parts[i];
    const struct dg_run_part *facts = &plan->parts[i];

    dg_print(out, "%8" PRIu32 "  ", part->id);
    write_cell(out, facts->tag, widths.tag);
    if (widths.backend)
        write_cell(out, facts->backend.data ? facts->backend : dg_text("-"),
                   widths.backend);
    dg_print(out, "%7" PRIu32 "  %6" PRIu32 "  %7" PRIu32 "  ", part->end - part->begin,
             facts->inputs, facts->outputs);
    dg_write_size(out, facts->boundary_bytes);
    if (facts->unknown_sizes)
        dg_print(out, " and %" PRIu32 " of unknown size", facts->unknown_sizes);
    dg_print(out, "\n");
}

static void write_parts(struct dg_writer *out, const struct dg_run_plan *plan,
                        enum dg_run_mode mode)
{
    uint32_t n = plan->partitions.n_parts;
    struct widths widths = widths_of(plan, mode);

    if (n) {
        dg_print(out, "%8s  ", "id");
        write_cell(out, dg_text("tag"), widths.tag);
        if (widths.backend)
            write_cell(out, dg_text("backend"), widths.backend);
        dg_print(out, "%7s  %6s  %7s  %s\n", "nodes", "inputs", "outputs", "boundary");
    }
    for (uint32_t i = 0; i < n && i < MOST_ROWS; i++)
        write_part(out, plan, i, widths);
    if (n > MOST_ROWS)
        dg_print(out, "%8s  and %" PRIu32 " more: see --format json\n", "",
                 n - MOST_ROWS);
}

static void write_count(struct dg_writer *out, uint32_t n)
{
    dg_print(out, "%" PRIu32 " partition%s", n, n == 1 ? "" : "s");
}

static void write_bound(struct dg_writer *out, const struct dg_run_graph *graph,
                        uint32_t n)
{
    uint32_t bound = graph->bound.length;

    if (n == bound)
        dg_print(out, "; %" PRIu32 " is the minimum", bound);
    else if (n > bound)
        dg_print(out, "; at least %" PRIu32 " %s needed", bound,
                 bound == 1 ? "is" : "are");
    else
        dg_print(out, "; to have every supported node in one takes %" PRIu32, bound);
    if (bound > 1) {
        dg_print(out, ": path ");
        write_path(out, graph, graph->bound.path, graph->bound.n_path);
    }
}

/* In one pass, and one backend after another. */
static void write_passes(struct dg_writer *out, const struct dg_run_graph *graph,
                         const struct dg_run_request *request)
{
    write_count(out, graph->multi.n_joint);
    dg_print(out, " in one pass, %" PRIu32 " with one backend after another: ",
             graph->multi.n_stacked);
    for (uint32_t b = 0; b < request->n_backends; b++) {
        dg_print(out, "%s", b ? ", " : "");
        dg_write_plain(out, request->backends[b].list);
    }
    dg_print(out, "\n");
}

/* What went to which piece. */
static void write_moves(struct dg_writer *out, const struct dg_run_graph *graph)
{
    const struct dg_run_plan *plan = &graph->valid;
    uint32_t n_pieces = 0;

    for (uint32_t i = 0; i < plan->partitions.n_parts; i++) {
        const struct dg_part *part = &plan->partitions.parts[i];
        uint32_t tag = graph->piece_of[part->id], n = part->end - part->begin;

        if (tag == part->id || ++n_pieces > MOST_PIECES)
            continue;
        dg_print(out, "%" PRIu32 " node%s of ", n, n == 1 ? "" : "s");
        dg_write_plain(out, graph->tags[tag]);
        dg_print(out, " %s to ", n == 1 ? "goes" : "go");
        dg_write_plain(out, plan->parts[i].tag);
        for (uint32_t k = 0; k < n && k < MOST_PATH; k++) {
            dg_print(out, k ? ", " : ": ");
            write_name(out, graph, plan->partitions.nodes[part->begin + k]);
        }
        dg_print(out, n > MOST_PATH ? ", ...\n" : "\n");
    }
    if (n_pieces > MOST_PIECES)
        dg_print(out, "and %" PRIu32 " pieces more: see --format json\n",
                 n_pieces - MOST_PIECES);
}

static void write_mended(struct dg_writer *out, const struct dg_run_graph *graph)
{
    uint32_t n = graph->reference.partitions.n_parts;

    write_count(out, n);
    if (graph->acyclic) {
        dg_print(out, n ? "; none waits for itself or for another in turn\n"
                        : "; the plan tags no node\n");
        return;
    }
    dg_print(out, " that cannot be lowered: cycle ");
    write_path(out, graph, graph->cycle, graph->n_cycle);
    dg_print(out, "; mended, ");
    write_count(out, graph->valid.partitions.n_parts);
    dg_print(out, "\n");
    write_moves(out, graph);
}

/* torch keeps partitions whose nodes were all dropped. */
static uint32_t n_empty(const struct dg_partitions *partitions)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < partitions->n_parts; i++)
        n += partitions->parts[i].begin == partitions->parts[i].end;
    return n;
}

static void write_verdict(struct dg_writer *out, const struct dg_run_graph *graph)
{
    uint32_t n = graph->reference.partitions.n_parts;
    uint32_t n_without = n_empty(&graph->reference.partitions);

    write_count(out, n);
    if (!graph->acyclic) {
        dg_print(out, " that cannot be lowered: cycle ");
        write_path(out, graph, graph->cycle, graph->n_cycle);
        dg_print(out, "; a valid plan has %" PRIu32, graph->valid.partitions.n_parts);
    } else if (n_without) {
        dg_print(out, "; %" PRIu32 " without nodes, of which no delegate comes",
                 n_without);
    } else if (n) {
        write_bound(out, graph, n);
    } else {
        dg_print(out, "; %s",
                 graph->bound.length ? "none has more than one node that computes"
                                     : "no call is supported");
    }
    dg_print(out, "\n");
}

static void write_notes(struct dg_writer *out, const struct dg_run_graph *graph)
{
    if (graph->reference.partitions.endless)
        dg_print(out, "note: torch does not end on this graph: its getitem pass goes "
                      "round; the answer is what it should be\n");
    if (graph->n_dissolved)
        dg_print(out,
                 "note: the valid plan splits %" PRIu32
                 " group%s: a node that is not supported lies between the members\n",
                 graph->n_dissolved, graph->n_dissolved == 1 ? "" : "s");
}

static void write_duplicates(struct dg_writer *out, const struct dg_run_graph *graph)
{
    if (!graph->n_duplicates)
        dg_print(out, "  lowering copies no constant\n");
    for (size_t i = 0; i < graph->n_duplicates; i++) {
        const struct dg_duplicate *copy = &graph->duplicates[i];

        dg_print(out, "  lowering copies ");
        write_name(out, graph, copy->constant);
        dg_print(out, " to ");
        write_name(out, graph, copy->constant);
        dg_print(out, "_copy_%" PRIu32 " for ", copy->copy);
        write_name(out, graph, copy->user);
        dg_print(out, " (%s)\n",
                 copy->tag == DG_NO_PART ? "no tag"
                                         : graph->reference.parts[copy->tag].tag.data);
    }
}

/* As explain counts: operators, in branches and prior delegates, too. */
static void write_host(struct dg_writer *out, const struct dg_explanation *explanation,
                       size_t index, const struct dg_run *run)
{
    const struct dg_run_plan *plan = &run->graphs[index].reference;
    bool takes_all = dg_run_takes_all(run->request);
    struct dg_plan_totals totals = {0};

    if (takes_all)
        dg_print(out, DG_TAKES_ALL "\n");
    dg_graph_totals(&totals, explanation, index, plan->tag_of,
                    plan->partitions.n_parts);
    if (!takes_all || totals.delegated_ops < totals.ops)
        dg_print(out, "%" PRId64 " of %" PRId64 " ops stay on the host\n",
                 totals.ops - totals.delegated_ops, totals.ops);
}

void dg_partition_text(struct dg_writer *out, const struct dg_run *run,
                       const struct dg_explanation *explanation)
{
    for (size_t i = 0; i < run->n_graphs; i++) {
        const struct dg_run_graph *graph = &run->graphs[i];
        enum dg_run_mode mode = run->request->mode;

        dg_print(out, "%smethod ", i ? "\n" : "");
        dg_write_plain(out, graph->nodes.method);
        if (graph->nodes.path.size) {
            dg_print(out, ", branch ");
            dg_write_plain(out, graph->nodes.path);
        }
        dg_print(out, ", mode %s\n", dg_run_mode_name(mode));
        write_parts(
            out, mode == DG_RUN_REPAIR ? dg_run_chosen(run, graph) : &graph->reference,
            mode);
        if (run->request->lower)
            write_duplicates(out, graph);
        write_host(out, explanation, i, run);
        write_notes(out, graph);
        if (mode == DG_RUN_REPAIR)
            write_mended(out, graph);
        else
            write_verdict(out, graph);
        if (mode == DG_RUN_MULTI)
            write_passes(out, graph, run->request);
    }
}
