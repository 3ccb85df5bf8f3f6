/* Tags of what no partitioner sees: constants and the graphs of branches; and what
 * lowering does to constants that several partitions read. */
#include <stdlib.h>

#include "base/sorted.h"
#include "partition/partition.h"

/* Numbers as texts compare like these: digits moved to the left end, then the length.
 */
struct spelling {
    uint64_t digits;
    unsigned length;
    uint32_t part;
};

enum { MOST_DIGITS = 10 };

static struct spelling spell(uint32_t id, uint32_t part)
{
    struct spelling spelling = {.digits = id, .length = 1, .part = part};

    for (uint32_t rest = id / 10; rest; rest /= 10)
        spelling.length++;
    for (unsigned i = spelling.length; i < MOST_DIGITS; i++)
        spelling.digits *= 10;
    return spelling;
}

static int compare_spellings(const void *a, const void *b)
{
    const struct spelling *one = a, *other = b;

    if (one->digits != other->digits)
        return one->digits < other->digits ? -1 : 1;
    return (one->length > other->length) - (one->length < other->length);
}

uint32_t *dg_tag_ranks(struct dg_partitions *partitions)
{
    uint32_t n = partitions->n_parts;
    uint32_t *rank = dg_alloc(&partitions->memory, n, sizeof(*rank));
    struct dg_arena scratch = {0};
    struct spelling *spellings = dg_alloc(&scratch, n, sizeof(*spellings));

    for (uint32_t part = 0; part < n; part++)
        spellings[part] = spell(partitions->parts[part].id, part);
    dg_sort(spellings, n, sizeof(*spellings), compare_spellings);
    for (uint32_t i = 0; i < n; i++)
        rank[spellings[i].part] = i;
    dg_arena_clear(&scratch);
    return rank;
}

void dg_tag_branches(uint32_t *tag_of, const struct dg_graph *graph,
                     const uint16_t *marks)
{
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        if (!(marks[node] & DG_MARK_GET_ATTR))
            continue;
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            uint32_t user = graph->users[k];

            if (!(marks[user] & DG_MARK_CONTROL) || tag_of[user] == DG_NO_PART)
                continue;
            tag_of[node] = tag_of[user];
            break;
        }
    }
}

static uint32_t smallest_tag(uint32_t node, const uint32_t *tag_of,
                             const uint32_t *rank, const struct dg_graph *graph)
{
    uint32_t smallest = DG_NO_PART;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t tag = tag_of[graph->users[k]];

        if (tag != DG_NO_PART && (smallest == DG_NO_PART || rank[tag] < rank[smallest]))
            smallest = tag;
    }
    return smallest;
}

void dg_tag_constants(uint32_t *tag_of, const uint32_t *rank,
                      const struct dg_graph *graph, const uint16_t *marks)
{
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        uint32_t tag;

        if (!(marks[node] & DG_MARK_CONSTANT))
            continue;
        tag = smallest_tag(node, tag_of, rank, graph);
        if (tag != DG_NO_PART)
            tag_of[node] = tag;
    }
}

void dg_tag_unused_constants(uint32_t *tag_of, uint32_t tag,
                             const struct dg_graph *graph, const uint16_t *marks)
{
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        if (marks[node] & DG_MARK_CONSTANT && tag_of[node] == DG_NO_PART &&
            graph->user_of[node] == graph->user_of[node + 1])
            tag_of[node] = tag;
    }
}

static bool is_shared(uint32_t node, const uint32_t *tag_of,
                      const struct dg_graph *graph)
{
    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        if (tag_of[graph->users[k]] != tag_of[node])
            return true;
    }
    return false;
}

size_t dg_find_duplicates(struct dg_duplicate **out, const uint32_t *tag_of,
                          const struct dg_graph *graph, const uint16_t *marks)
{
    struct dg_arena scratch = {0};
    uint32_t *listed = dg_alloc(&scratch, graph->n_nodes, sizeof(*listed));
    size_t n_out = 0;

    *out = NULL;
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        uint32_t n_users = 0;

        if (!(marks[node] & DG_MARK_CONSTANT) || tag_of[node] == DG_NO_PART ||
            !is_shared(node, tag_of, graph))
            continue;
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            uint32_t user = graph->users[k];

            if (listed[user] == node + 1)
                continue;
            listed[user] = node + 1;
            if (n_users++)
                *DG_APPEND(*out, n_out) =
                    (struct dg_duplicate){node, n_users - 2, user, tag_of[user]};
        }
    }
    dg_arena_clear(&scratch);
    return n_out;
}
