/* The partitioner with skip_horizontal_fusion: torch's procedure, step by step. */
#include <stdlib.h>

#include "partition/steps.h"

/* Numbers of partitions, those that were merged away included. */
struct ids {
    uint64_t *words;
    uint32_t n_words;
};

/* A partition while it grows. Nodes are linked through `next`. */
struct grown {
    uint32_t first, last, n_nodes;
    struct ids downstream;
};

struct skip {
    const struct dg_graph *graph;
    uint32_t *part_of, *next;
    struct grown *grown;
    uint32_t n_grown;
    uint32_t *seen; /* the number of the search that saw a node last */
    uint32_t *stack, n_stack, search;
    uint32_t *seen_part;                /* likewise for partitions */
    uint32_t *found, n_found;           /* partitions that the search reached */
    uint32_t *candidates, n_candidates; /* partitions of a node's users */
};

static void add_id(struct ids *ids, uint32_t id)
{
    uint32_t word = id / 64;

    if (word >= ids->n_words) {
        uint32_t n_words = word + word / 2 + 1;

        ids->words = realloc(ids->words, n_words * sizeof(*ids->words));
        if (!ids->words)
            dg_out_of_memory();
        memset(ids->words + ids->n_words, 0,
               (n_words - ids->n_words) * sizeof(*ids->words));
        ids->n_words = n_words;
    }
    ids->words[word] |= (uint64_t)1 << id % 64;
}

static void add_ids(struct ids *ids, const struct ids *other)
{
    uint32_t n_words = other->n_words;

    while (n_words && !other->words[n_words - 1])
        n_words--;
    if (!n_words)
        return;
    if (n_words > ids->n_words) {
        add_id(ids, n_words * 64 - 1);
        ids->words[n_words - 1] &= ~((uint64_t)1 << 63);
    }
    for (uint32_t i = 0; i < n_words; i++)
        ids->words[i] |= other->words[i];
}

static bool has_id(const struct ids *ids, uint32_t id)
{
    return id / 64 < ids->n_words && ids->words[id / 64] >> id % 64 & 1;
}

static void drop_id(struct ids *ids, uint32_t id)
{
    if (id / 64 < ids->n_words)
        ids->words[id / 64] &= ~((uint64_t)1 << id % 64);
}

static bool is_inside(const struct skip *skip, uint32_t node, uint32_t a, uint32_t b)
{
    return skip->part_of[node] == a || skip->part_of[node] == b;
}

static void push(struct skip *skip, uint32_t node)
{
    if (skip->seen[node] == skip->search)
        return;
    skip->seen[node] = skip->search;
    skip->stack[skip->n_stack++] = node;
}

static void push_users(struct skip *skip, uint32_t node)
{
    const struct dg_graph *graph = skip->graph;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++)
        push(skip, graph->users[k]);
}

/* Start from the users of partitions `a` and `b` outside of both. */
static void push_outside_users(struct skip *skip, uint32_t part, uint32_t a, uint32_t b)
{
    const struct dg_graph *graph = skip->graph;

    for (uint32_t node = skip->grown[part].first; node != DG_NO_PART;
         node = skip->next[node]) {
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            if (!is_inside(skip, graph->users[k], a, b))
                push(skip, graph->users[k]);
        }
    }
}

static void begin_search(struct skip *skip)
{
    skip->search++;
    skip->n_stack = skip->n_found = 0;
}

/* Follow users to the end and collect the partitions on the way. False as soon as
 * partition `a` or `b` is reached, or one that is known to reach them. */
static bool search(struct skip *skip, uint32_t a, uint32_t b)
{
    while (skip->n_stack) {
        uint32_t node = skip->stack[--skip->n_stack];
        uint32_t part = skip->part_of[node];

        if (part != DG_NO_PART && is_inside(skip, node, a, b))
            return false;
        if (part != DG_NO_PART && skip->seen_part[part] != skip->search) {
            const struct ids *downstream = &skip->grown[part].downstream;

            if (has_id(downstream, a) || has_id(downstream, b))
                return false;
            skip->seen_part[part] = skip->search;
            skip->found[skip->n_found++] = part;
        }
        push_users(skip, node);
    }
    return true;
}

static void add_found(struct skip *skip, struct ids *ids)
{
    for (uint32_t i = 0; i < skip->n_found; i++) {
        add_id(ids, skip->found[i]);
        add_ids(ids, &skip->grown[skip->found[i]].downstream);
    }
}

static void start_part(struct skip *skip, uint32_t node)
{
    uint32_t id = skip->n_grown++;
    struct grown *grown = &skip->grown[id];

    *grown = (struct grown){.first = node, .last = node, .n_nodes = 1};
    skip->next[node] = DG_NO_PART;
    skip->part_of[node] = id;
    begin_search(skip);
    push_users(skip, node);
    search(skip, id, id);
    add_found(skip, &grown->downstream);
    drop_id(&grown->downstream, id);
}

static void join(struct skip *skip, uint32_t keep, uint32_t drop)
{
    struct grown *kept = &skip->grown[keep], *dropped = &skip->grown[drop];

    for (uint32_t node = dropped->first; node != DG_NO_PART; node = skip->next[node])
        skip->part_of[node] = keep;
    skip->next[kept->last] = dropped->first;
    kept->last = dropped->last;
    kept->n_nodes += dropped->n_nodes;
    add_ids(&kept->downstream, &dropped->downstream);
    add_found(skip, &kept->downstream);
    drop_id(&kept->downstream, keep);
    drop_id(&kept->downstream, drop);
    free(dropped->downstream.words);
    *dropped = (struct grown){.first = DG_NO_PART};
}

/* Join two partitions unless torch sees a cycle; the number that is left of the first.
 * What other partitions noted of the number that goes stays, as in torch: that is how
 * a cycle can be overlooked. */
static uint32_t try_join(struct skip *skip, uint32_t part, uint32_t other)
{
    uint32_t keep = part, drop = other;

    begin_search(skip);
    push_outside_users(skip, part, part, other);
    push_outside_users(skip, other, part, other);
    if (!search(skip, part, other))
        return part;
    if (skip->grown[part].n_nodes < skip->grown[other].n_nodes) {
        keep = other;
        drop = part;
    }
    join(skip, keep, drop);
    return keep;
}

static void find_candidates(struct skip *skip, uint32_t node)
{
    const struct dg_graph *graph = skip->graph;

    begin_search(skip);
    skip->n_candidates = 0;
    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t part = skip->part_of[graph->users[k]];

        if (part == DG_NO_PART || skip->seen_part[part] == skip->search)
            continue;
        skip->seen_part[part] = skip->search;
        skip->candidates[skip->n_candidates++] = part;
    }
}

static void take(struct skip *skip, uint32_t node)
{
    uint32_t part = skip->n_grown;

    start_part(skip, node);
    find_candidates(skip, node);
    for (uint32_t i = 0; i < skip->n_candidates; i++)
        part = try_join(skip, part, skip->candidates[i]);
}

static void prepare(struct skip *skip, struct dg_partitions *out,
                    struct dg_arena *memory)
{
    uint32_t n_nodes = skip->graph->n_nodes;
    uint32_t **scratch[] = {&skip->next,      &skip->seen,  &skip->stack,
                            &skip->seen_part, &skip->found, &skip->candidates};

    for (size_t i = 0; i < sizeof(scratch) / sizeof(*scratch); i++)
        *scratch[i] = dg_alloc(memory, n_nodes, sizeof(uint32_t));
    skip->grown = dg_alloc(memory, n_nodes, sizeof(*skip->grown));
    out->part_of = dg_alloc(&out->memory, n_nodes, sizeof(*out->part_of));
    skip->part_of = out->part_of;
    for (uint32_t node = 0; node < n_nodes; node++)
        out->part_of[node] = DG_NO_PART;
}

void dg_partition_skip_horizontal(struct dg_partitions *out,
                                  const struct dg_graph *graph, const uint16_t *marks,
                                  bool no_single)
{
    struct dg_arena scratch = {0};
    struct skip skip = {.graph = graph};

    *out = (struct dg_partitions){0};
    prepare(&skip, out, &scratch);
    for (uint32_t node = graph->n_nodes; node-- > 0;) {
        if (marks[node] & DG_MARK_SUPPORTED)
            take(&skip, node);
    }
    out->n_parts = skip.n_grown;
    out->parts = dg_alloc(&out->memory, out->n_parts, sizeof(*out->parts));
    for (uint32_t id = 0; id < out->n_parts; id++) {
        out->parts[id].id = id;
        free(skip.grown[id].downstream.words);
    }
    dg_arena_clear(&scratch);
    dg_finish_partitions(out, graph, marks, no_single);
}
