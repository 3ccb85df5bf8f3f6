/* What ends every partitioner: getitems move, small parts go, nodes are listed. */
#include "partition/steps.h"

void dg_partitions_clear(struct dg_partitions *partitions)
{
    dg_arena_clear(&partitions->memory);
    *partitions = (struct dg_partitions){0};
}

/* How much torch's filter for single nodes counts: an op that is compute and allowed
 * alone is enough by itself. */
static uint32_t weight(uint16_t marks)
{
    return (marks & DG_MARK_CALL && !(marks & DG_MARK_TRANSPARENT)) +
           (marks & DG_MARK_CALL && marks & DG_MARK_ALLOWED_SINGLE);
}

/* Sizes into `end`; those of parts that are too small stay 0. */
static void measure(struct dg_partitions *partitions, uint32_t n_nodes,
                    const uint16_t *marks, bool no_single)
{
    struct dg_part *parts = partitions->parts;
    const uint32_t *part_of = partitions->part_of;

    for (uint32_t node = 0; no_single && node < n_nodes; node++) {
        if (part_of[node] != DG_NO_PART && parts[part_of[node]].begin < 2)
            parts[part_of[node]].begin += weight(marks[node]);
    }
    for (uint32_t node = 0; node < n_nodes; node++) {
        if (part_of[node] != DG_NO_PART &&
            (!no_single || parts[part_of[node]].begin > 1))
            parts[part_of[node]].end++;
    }
}

/* Drop empty parts; `place` gives the others their new index. */
static uint32_t close_ranks(struct dg_partitions *partitions, uint32_t *place)
{
    struct dg_part *parts = partitions->parts;
    uint32_t n_parts = 0, n_nodes = 0;

    for (uint32_t part = 0; part < partitions->n_parts; part++) {
        uint32_t size = parts[part].end;

        place[part] = size ? n_parts : DG_NO_PART;
        if (!size)
            continue;
        parts[n_parts++] =
            (struct dg_part){.id = parts[part].id, .begin = n_nodes, .end = n_nodes};
        n_nodes += size;
    }
    partitions->n_parts = n_parts;
    return n_nodes;
}

static void append(struct dg_partitions *partitions, uint32_t node)
{
    uint32_t part = partitions->part_of[node];

    if (part != DG_NO_PART)
        partitions->nodes[partitions->parts[part].end++] = node;
}

void dg_list_partitions(struct dg_partitions *partitions, const struct dg_moves *moves,
                        const struct dg_graph *graph, const uint16_t *marks,
                        bool no_single)
{
    uint32_t *part_of = partitions->part_of, *place;

    measure(partitions, graph->n_nodes, marks, no_single);
    place = dg_alloc(&partitions->memory, partitions->n_parts, sizeof(*place));
    partitions->nodes = dg_alloc(&partitions->memory, close_ranks(partitions, place),
                                 sizeof(*partitions->nodes));
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        if (part_of[node] != DG_NO_PART)
            part_of[node] = place[part_of[node]];
        if (!moves->moved || !moves->moved[node])
            append(partitions, node);
    }
    for (size_t i = 0; i < moves->n_nodes; i++)
        append(partitions, moves->nodes[i]);
    if (moves->moved) {
        partitions->moved = dg_alloc(&partitions->memory, graph->n_nodes, sizeof(bool));
        memcpy(partitions->moved, moves->moved, graph->n_nodes * sizeof(bool));
    }
}

void dg_list_parts(struct dg_partitions *partitions, uint32_t n_parts,
                   const struct dg_graph *graph, const uint16_t *marks, bool no_single)
{
    const struct dg_moves in_graph_order = {0};

    partitions->n_parts = n_parts;
    partitions->parts =
        dg_alloc(&partitions->memory, n_parts, sizeof(*partitions->parts));
    for (uint32_t part = 0; part < n_parts; part++)
        partitions->parts[part].id = part;
    dg_list_partitions(partitions, &in_graph_order, graph, marks, no_single);
}

void dg_finish_partitions(struct dg_partitions *partitions,
                          const struct dg_graph *graph, const uint16_t *marks,
                          bool no_single)
{
    struct dg_arena scratch = {0};
    struct dg_moves moves = {0};

    partitions->endless =
        !dg_follow_producers(&moves, partitions->part_of, &scratch, graph, marks);
    dg_list_partitions(partitions, &moves, graph, marks, no_single);
    dg_arena_clear(&scratch);
}
