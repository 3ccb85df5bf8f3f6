/* Non-compute ops at the borders of a partition are taken out of it. */
#include "partition/partition.h"

enum answer { UNKNOWN, TRANSPARENT, OPAQUE };

/* Whether a node can be looked through to the border, in one direction. torch keeps its
 * answers, also those that a later removal would change. */
struct direction {
    const uint32_t *begins, *others; /* inputs or users of each node */
    uint8_t *answers;
};

struct frame {
    uint32_t node, edge;
};

struct bookends {
    const struct dg_partitions *partitions;
    const uint16_t *marks;
    bool *removed;
    uint32_t part;
    struct frame *stack;
};

static enum answer answer_at_once(const struct bookends *bookends,
                                  const struct direction *direction, uint32_t node)
{
    if (bookends->marks[node] & DG_MARK_PLACEHOLDER ||
        bookends->partitions->part_of[node] != bookends->part ||
        bookends->removed[node])
        return TRANSPARENT;
    if (direction->answers[node])
        return direction->answers[node];
    if (!(bookends->marks[node] & DG_MARK_NON_COMPUTE))
        return OPAQUE;
    return UNKNOWN;
}

/* Look past what is transparent: the node that has to be asked next, or DG_NO_PART when
 * frame->node itself is decided. */
static uint32_t advance(const struct bookends *bookends,
                        const struct direction *direction, struct frame *frame)
{
    for (; frame->edge < direction->begins[frame->node + 1]; frame->edge++) {
        uint32_t other = direction->others[frame->edge];
        enum answer answer = answer_at_once(bookends, direction, other);

        if (answer == UNKNOWN)
            return other;
        if (answer == OPAQUE) {
            direction->answers[frame->node] = OPAQUE;
            return DG_NO_PART;
        }
    }
    direction->answers[frame->node] = TRANSPARENT;
    return DG_NO_PART;
}

/* Opaque until it is decided: so a cycle ends. */
static void push(const struct bookends *bookends, const struct direction *direction,
                 uint32_t depth, uint32_t node)
{
    direction->answers[node] = OPAQUE;
    bookends->stack[depth] = (struct frame){node, direction->begins[node]};
}

static bool is_transparent(const struct bookends *bookends,
                           const struct direction *direction, uint32_t node)
{
    enum answer answer = answer_at_once(bookends, direction, node);
    uint32_t depth = 1;

    if (answer)
        return answer == TRANSPARENT;
    push(bookends, direction, 0, node);
    while (depth) {
        uint32_t other = advance(bookends, direction, &bookends->stack[depth - 1]);

        if (other == DG_NO_PART)
            depth--;
        else
            push(bookends, direction, depth++, other);
    }
    return direction->answers[node] == TRANSPARENT;
}

static void remove_at_borders(struct bookends *bookends, const struct dg_part *part,
                              const struct direction *inputs,
                              const struct direction *users)
{
    for (uint32_t i = part->begin; i < part->end; i++) {
        uint32_t node = bookends->partitions->nodes[i];

        if (bookends->marks[node] & DG_MARK_NON_COMPUTE)
            bookends->removed[node] = is_transparent(bookends, inputs, node) ||
                                      is_transparent(bookends, users, node);
    }
}

static void close_gaps(struct dg_partitions *partitions, const bool *removed)
{
    uint32_t n_nodes = 0;

    for (uint32_t p = 0; p < partitions->n_parts; p++) {
        struct dg_part *part = &partitions->parts[p];
        uint32_t begin = n_nodes;

        for (uint32_t i = part->begin; i < part->end; i++) {
            uint32_t node = partitions->nodes[i];

            if (removed[node])
                partitions->part_of[node] = DG_NO_PART;
            else
                partitions->nodes[n_nodes++] = node;
        }
        part->begin = begin;
        part->end = n_nodes;
    }
}

void dg_remove_bookends(struct dg_partitions *partitions, const struct dg_graph *graph,
                        const uint16_t *marks)
{
    struct dg_arena scratch = {0};
    struct bookends bookends = {
        .partitions = partitions,
        .marks = marks,
        .removed = dg_alloc(&scratch, graph->n_nodes, sizeof(bool)),
        .stack = dg_alloc(&scratch, graph->n_nodes, sizeof(struct frame)),
    };
    struct direction inputs = {graph->input_of, graph->inputs,
                               dg_alloc(&scratch, graph->n_nodes, 1)};
    struct direction users = {graph->user_of, graph->users,
                              dg_alloc(&scratch, graph->n_nodes, 1)};

    for (uint32_t p = 0; p < partitions->n_parts; p++) {
        bookends.part = p;
        remove_at_borders(&bookends, &partitions->parts[p], &inputs, &users);
    }
    close_gaps(partitions, bookends.removed);
    dg_arena_clear(&scratch);
}
