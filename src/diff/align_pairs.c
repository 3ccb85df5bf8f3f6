/* Pairs of nodes: by a key, by neighbours, by place. */
#include "diff/align.h"

#include <stdlib.h>

void dg_diff_pair(struct dg_diff_alignment *alignment, uint32_t old, uint32_t new)
{
    alignment->others[0][old] = new;
    alignment->others[1][new] = old;
    alignment->n_alone[0]--;
    alignment->n_alone[1]--;
    alignment->pairs[alignment->n_pairs++] = old;
}

static bool is_alone(const struct dg_diff_alignment *alignment, int side, uint32_t node)
{
    return alignment->others[side][node] == DG_DIFF_ALONE;
}

/* Nodes that are still alone, and the groups that they are in. */
struct grouped {
    uint32_t *nodes, *groups, n;
    struct dg_csr members; /* places in `nodes` */
};

static void group(struct grouped *grouped, const struct dg_diff_alignment *alignment,
                  int side, const uint64_t *keys, struct dg_int_set *set,
                  struct dg_arena *memory)
{
    uint32_t n_nodes = alignment->sides[side]->n_nodes;

    grouped->nodes = dg_alloc(memory, alignment->n_alone[side], sizeof(uint32_t));
    grouped->groups = dg_alloc(memory, alignment->n_alone[side], sizeof(uint32_t));
    dg_hash_table_expect(&set->table, alignment->n_alone[side]);
    for (uint32_t i = 0; i < n_nodes; i++) {
        if (!is_alone(alignment, side, i) || !keys[i])
            continue;
        grouped->nodes[grouped->n] = i;
        grouped->groups[grouped->n++] = dg_int_set_add(set, keys[i]);
    }
}

static void pair_group(struct dg_diff_alignment *alignment,
                       const struct grouped grouped[2], uint32_t group, bool as_many)
{
    const struct dg_csr *old = &grouped[0].members, *new = &grouped[1].members;
    uint32_t n_old = old->begins[group + 1] - old->begins[group];
    uint32_t n_new = new->begins[group + 1] - new->begins[group];

    if (as_many && n_old != n_new)
        return;
    for (uint32_t k = 0; k < n_old && k < n_new; k++)
        dg_diff_pair(alignment, grouped[0].nodes[old->items[old->begins[group] + k]],
                     grouped[1].nodes[new->items[new->begins[group] + k]]);
}

void dg_diff_pair_by_key(struct dg_diff_alignment *alignment, uint64_t *const keys[2],
                         bool as_many)
{
    struct grouped grouped[2] = {0};
    struct dg_int_set set = {0};
    struct dg_arena memory = {0};

    for (int s = 0; s < 2; s++)
        group(&grouped[s], alignment, s, keys[s], &set, &memory);
    for (int s = 0; s < 2; s++)
        dg_csr_by_key(&grouped[s].members, grouped[s].groups, grouped[s].n,
                      set.n_values, &memory);
    for (uint32_t i = 0; i < set.n_values; i++)
        pair_group(alignment, grouped, i, as_many);
    dg_int_set_clear(&set);
    dg_arena_clear(&memory);
}

/* Neighbours of one node that are alone; of many nothing is known. */
struct near {
    uint32_t nodes[16], n;
    bool many;
};

static struct near near_of(const struct dg_diff_alignment *alignment, int side,
                           const struct dg_csr *rows, uint32_t node)
{
    struct near near = {.n = 0};

    for (uint32_t k = rows->begins[node]; k < rows->begins[node + 1]; k++) {
        uint32_t other = rows->items[k];
        bool known = near.n && near.nodes[near.n - 1] == other;

        if (known || !is_alone(alignment, side, other))
            continue;
        if (near.n == sizeof(near.nodes) / sizeof(*near.nodes)) {
            near.many = true;
            break;
        }
        near.nodes[near.n++] = other;
    }
    return near;
}

static bool alike(const struct dg_diff_alignment *alignment, uint32_t old, uint32_t new)
{
    const struct dg_diff_node *a = &alignment->sides[0]->nodes[old];
    const struct dg_diff_node *b = &alignment->sides[1]->nodes[new];

    return a->op == b->op && a->kind == b->kind && a->place == b->place;
}

static void pair_near(struct dg_diff_alignment *alignment, const struct near *old,
                      const struct near *new)
{
    if (old->many || new->many)
        return;
    for (uint32_t i = 0; i < old->n; i++) {
        uint32_t found = DG_DIFF_ALONE, n_old = 0, n_new = 0;

        for (uint32_t k = 0; k < old->n; k++)
            n_old += alignment->sides[0]->nodes[old->nodes[k]].op ==
                     alignment->sides[0]->nodes[old->nodes[i]].op;
        for (uint32_t k = 0; k < new->n; k++) {
            if (alike(alignment, old->nodes[i], new->nodes[k])) {
                found = new->nodes[k];
                n_new++;
            }
        }
        if (n_old == 1 && n_new == 1 && is_alone(alignment, 0, old->nodes[i]) &&
            is_alone(alignment, 1, found))
            dg_diff_pair(alignment, old->nodes[i], found);
    }
}

void dg_diff_pair_neighbours(struct dg_diff_alignment *alignment)
{
    const struct dg_diff_side *const *sides = alignment->sides;

    while (alignment->n_seen < alignment->n_pairs && alignment->n_alone[0] &&
           alignment->n_alone[1]) {
        uint32_t old = alignment->pairs[alignment->n_seen++];
        uint32_t new = alignment->others[0][old];
        struct near near[2];

        near[0] = near_of(alignment, 0, &sides[0]->users, old);
        near[1] = near_of(alignment, 1, &sides[1]->users, new);
        pair_near(alignment, &near[0], &near[1]);
        near[0] = near_of(alignment, 0, &sides[0]->makers, old);
        near[1] = near_of(alignment, 1, &sides[1]->makers, new);
        pair_near(alignment, &near[0], &near[1]);
    }
}

/* Neighbours that are pairs, by their numbers on the new side; *n counts them. */
static uint64_t hash_near(const struct dg_diff_alignment *alignment, int side,
                          const struct dg_csr *rows, uint32_t node, uint32_t *n)
{
    uint64_t sum = 0;

    for (uint32_t k = rows->begins[node]; k < rows->begins[node + 1]; k++) {
        uint32_t other = rows->items[k];

        if (is_alone(alignment, side, other))
            continue;
        sum += dg_diff_mix(2, side ? other : alignment->others[0][other]);
        ++*n;
    }
    return sum;
}

/* 0: nothing is known of the place. */
static uint64_t place_of(const struct dg_diff_alignment *alignment, int side,
                         uint32_t node)
{
    const struct dg_diff_side *of = alignment->sides[side];
    const struct dg_diff_node *it = &of->nodes[node];
    uint32_t n_makers = 0, n_users = 0;
    uint64_t hash = dg_diff_mix(it->kind, it->place);

    hash = dg_diff_mix(hash, hash_near(alignment, side, &of->makers, node, &n_makers));
    hash = dg_diff_mix(hash, hash_near(alignment, side, &of->users, node, &n_users));
    return n_makers + n_users ? hash : 0;
}

void dg_diff_pair_places(struct dg_diff_alignment *alignment)
{
    uint64_t *keys[2];

    for (int s = 0; s < 2; s++) {
        uint32_t n = alignment->sides[s]->n_nodes;

        keys[s] = dg_zeroed(n, sizeof(**keys));
        for (uint32_t i = 0; i < n; i++)
            keys[s][i] = is_alone(alignment, s, i) ? place_of(alignment, s, i) : 0;
    }
    dg_diff_pair_by_key(alignment, keys, true);
    free(keys[0]);
    free(keys[1]);
}
