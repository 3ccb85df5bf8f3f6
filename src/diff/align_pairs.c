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

/* Nodes of one side that are still alone and have a key, in order. */
struct unpaired {
    uint32_t *nodes, n;
    const uint64_t *keys;  /* of all nodes */
    uint32_t *groups;      /* by place in `nodes`; DG_NO_NUMBER: none is needed */
    struct dg_csr members; /* of each group, as places in `nodes` */
};

static struct unpaired unpaired_of(const struct dg_diff_alignment *alignment, int side,
                                   const uint64_t *keys, struct dg_arena *memory)
{
    struct unpaired out = {.keys = keys};

    out.nodes = dg_alloc(memory, alignment->n_alone[side], sizeof(uint32_t));
    out.groups = dg_alloc(memory, alignment->n_alone[side], sizeof(uint32_t));
    for (uint32_t i = 0; i < alignment->sides[side]->n_nodes; i++) {
        if (is_alone(alignment, side, i) && keys[i])
            out.nodes[out.n++] = i;
    }
    return out;
}

static uint64_t key_at(const struct unpaired *unpaired, uint32_t place)
{
    return unpaired->keys[unpaired->nodes[place]];
}

/* The first `front` places of both sides are opposite each other, and the last `back`;
 * between them the longer side has what it has more. */
struct split {
    uint32_t front, back;
};

/* The place on the other side, which ends at `n_other`; UINT32_MAX: there is none. */
static uint32_t opposite(struct split split, uint32_t place, uint32_t n,
                         uint32_t n_other)
{
    if (place < split.front)
        return place;
    return n - place <= split.back ? n_other - (n - place) : UINT32_MAX;
}

static bool same_at_front(const struct unpaired sides[2], uint32_t i)
{
    return key_at(&sides[0], i) == key_at(&sides[1], i);
}

static bool same_at_back(const struct unpaired sides[2], uint32_t i)
{
    return key_at(&sides[0], sides[0].n - 1 - i) ==
           key_at(&sides[1], sides[1].n - 1 - i);
}

/* Where most have the key of the one opposite. */
static struct split best_split(const struct unpaired sides[2])
{
    uint32_t n = sides[0].n < sides[1].n ? sides[0].n : sides[1].n, most, same = 0;
    struct split best = {0, n};

    for (uint32_t i = 0; i < n; i++)
        same += same_at_back(sides, i);
    most = same;
    for (uint32_t i = 0; i < n; i++) {
        same += same_at_front(sides, i);
        same -= same_at_back(sides, n - 1 - i);
        if (same > most) {
            most = same;
            best = (struct split){i + 1, n - 1 - i};
        }
    }
    return best;
}

/* Of keys that only come opposite each other the first is to be paired with the first,
 * the second with the second: they need no groups, and most keys are such. The others
 * go into `odd`. */
static void find_odd(struct dg_int_set *odd, const struct unpaired sides[2],
                     struct split split)
{
    for (int s = 0; s < 2; s++) {
        const struct unpaired *side = &sides[s], *other = &sides[1 - s];

        for (uint32_t i = 0; i < side->n; i++) {
            uint32_t at = opposite(split, i, side->n, other->n);

            if (at == UINT32_MAX || key_at(other, at) != key_at(side, i))
                dg_int_set_add(odd, key_at(side, i));
        }
    }
}

static void group(struct unpaired *side, const struct dg_int_set *odd,
                  struct dg_arena *memory)
{
    for (uint32_t i = 0; i < side->n; i++)
        side->groups[i] = dg_int_set_find(odd, key_at(side, i));
    dg_csr_by_key(&side->members, side->groups, side->n, odd->n_values, memory);
}

static void pair_group(struct dg_diff_alignment *alignment,
                       const struct unpaired sides[2], uint32_t group, bool as_many)
{
    const struct dg_csr *old = &sides[0].members, *new = &sides[1].members;
    uint32_t n_old = old->begins[group + 1] - old->begins[group];
    uint32_t n_new = new->begins[group + 1] - new->begins[group];

    if (as_many && n_old != n_new)
        return;
    for (uint32_t k = 0; k < n_old && k < n_new; k++)
        dg_diff_pair(alignment, sides[0].nodes[old->items[old->begins[group] + k]],
                     sides[1].nodes[new->items[new->begins[group] + k]]);
}

void dg_diff_pair_by_key(struct dg_diff_alignment *alignment, uint64_t *const keys[2],
                         bool as_many)
{
    struct unpaired sides[2], *old = &sides[0], *new = &sides[1];
    struct dg_int_set odd = {0};
    struct dg_arena memory = {0};
    struct split split;

    for (int s = 0; s < 2; s++)
        sides[s] = unpaired_of(alignment, s, keys[s], &memory);
    split = best_split(sides);
    find_odd(&odd, sides, split);
    group(old, &odd, &memory);
    group(new, &odd, &memory);
    for (uint32_t i = 0; i < old->n; i++) {
        uint32_t number = old->groups[i];

        if (number == DG_NO_NUMBER)
            dg_diff_pair(alignment, old->nodes[i],
                         new->nodes[opposite(split, i, old->n, new->n)]);
        else if (old->members.items[old->members.begins[number]] == i)
            pair_group(alignment, sides, number, as_many);
    }
    dg_int_set_clear(&odd);
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
