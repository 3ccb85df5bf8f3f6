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
struct keyed {
    uint32_t *nodes, n;
    const uint64_t *keys;  /* of all nodes */
    uint32_t *groups;      /* by place in `nodes`; DG_NO_NUMBER: none is needed */
    struct dg_csr members; /* of each group, as places in `nodes` */
};

static struct keyed keyed(const struct dg_diff_alignment *alignment, int side,
                          const uint64_t *keys, struct dg_arena *memory)
{
    struct keyed keyed = {.keys = keys};

    keyed.nodes = dg_alloc(memory, alignment->n_alone[side], sizeof(uint32_t));
    keyed.groups = dg_alloc(memory, alignment->n_alone[side], sizeof(uint32_t));
    for (uint32_t i = 0; i < alignment->sides[side]->n_nodes; i++) {
        if (is_alone(alignment, side, i) && keys[i])
            keyed.nodes[keyed.n++] = i;
    }
    return keyed;
}

static uint64_t key_at(const struct keyed *keyed, uint32_t place)
{
    return keyed->keys[keyed->nodes[place]];
}

/* Places, so that the nodes before `front` and the last `back` are opposite each other.
 * Between there is only what one side has more. */
struct fold {
    uint32_t front, back;
};

static bool same_at_front(const struct keyed sides[2], uint32_t i)
{
    return key_at(&sides[0], i) == key_at(&sides[1], i);
}

static bool same_at_back(const struct keyed sides[2], uint32_t i)
{
    return key_at(&sides[0], sides[0].n - 1 - i) ==
           key_at(&sides[1], sides[1].n - 1 - i);
}

/* Where most have the key of the one opposite. */
static struct fold best_fold(const struct keyed sides[2])
{
    uint32_t n = sides[0].n < sides[1].n ? sides[0].n : sides[1].n, most, same = 0;
    struct fold fold = {0, n};

    for (uint32_t i = 0; i < n; i++)
        same += same_at_back(sides, i);
    most = same;
    for (uint32_t i = 0; i < n; i++) {
        same += same_at_front(sides, i);
        same -= same_at_back(sides, n - 1 - i);
        if (same > most) {
            most = same;
            fold = (struct fold){i + 1, n - 1 - i};
        }
    }
    return fold;
}

static void add_odd(struct dg_int_set *set, const struct keyed sides[2],
                    struct fold fold)
{
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = fold.front; i < sides[s].n - fold.back; i++)
            dg_int_set_add(set, key_at(&sides[s], i));
        for (uint32_t i = 0; i < fold.front; i++) {
            if (!same_at_front(sides, i))
                dg_int_set_add(set, key_at(&sides[s], i));
        }
        for (uint32_t i = 0; i < fold.back; i++) {
            if (!same_at_back(sides, i))
                dg_int_set_add(set, key_at(&sides[s], sides[s].n - 1 - i));
        }
    }
}

/* Of keys that only come opposite each other the first is to be paired with the first,
 * the second with the second: no groups need be made, and most keys are such. */
static void pair_opposite(struct dg_diff_alignment *alignment,
                          const struct keyed sides[2], struct fold fold)
{
    const struct keyed *old = &sides[0], *new = &sides[1];

    for (uint32_t i = 0; i < old->n; i++) {
        if (old->groups[i] == DG_NO_NUMBER)
            dg_diff_pair(alignment, old->nodes[i],
                         new->nodes[i < fold.front ? i : i + new->n - old->n]);
    }
}

static void pair_group(struct dg_diff_alignment *alignment, const struct keyed sides[2],
                       uint32_t group, bool as_many)
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
    struct keyed sides[2];
    struct dg_int_set set = {0};
    struct dg_arena memory = {0};
    struct fold fold;

    for (int s = 0; s < 2; s++)
        sides[s] = keyed(alignment, s, keys[s], &memory);
    fold = best_fold(sides);
    add_odd(&set, sides, fold);
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s].n; i++)
            sides[s].groups[i] = dg_int_set_find(&set, key_at(&sides[s], i));
        dg_csr_by_key(&sides[s].members, sides[s].groups, sides[s].n, set.n_values,
                      &memory);
    }
    pair_opposite(alignment, sides, fold);
    for (uint32_t i = 0; i < set.n_values; i++)
        pair_group(alignment, sides, i, as_many);
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
