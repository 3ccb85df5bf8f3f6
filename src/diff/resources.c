/* Constants, delegates and state that instructions name: which of them is which, and
 * who names another one. */
#include "diff/finders.h"
#include "diff/told.h"

#include <stdlib.h>

#include "base/text.h"

enum { NOTHING = UINT32_MAX };

/* Resources of both programs; others: of each the one that it is there, or NOTHING. */
struct pairing {
    struct dg_diffing *diffing;
    uint32_t **others;
};

static void pair(struct pairing *pairing, uint32_t old, uint32_t new)
{
    pairing->others[0][old] = new;
    pairing->others[1][new] = old;
}

static bool is_free(const struct pairing *pairing, uint32_t old, uint32_t new)
{
    return pairing->others[0][old] == NOTHING && pairing->others[1][new] == NOTHING;
}

static bool are_equal(const struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    const struct dg_diff_resource *a = &diffing->sides[0].resources[old];
    const struct dg_diff_resource *b = &diffing->sides[1].resources[new];

    return a->kind == b->kind && a->digest && a->digest == b->digest;
}

/* The k-th that one row names is the k-th that the other one does. */
static void pair_rows(struct pairing *pairing, uint32_t old, uint32_t new, bool equal)
{
    const struct dg_diffing *diffing = pairing->diffing;
    const struct dg_csr *a = &diffing->sides[0].named, *b = &diffing->sides[1].named;

    for (uint32_t i = a->begins[old], k = b->begins[new];
         i < a->begins[old + 1] && k < b->begins[new + 1]; i++, k++) {
        if (is_free(pairing, a->items[i], b->items[k]) &&
            (!equal || are_equal(diffing, a->items[i], b->items[k])))
            pair(pairing, a->items[i], b->items[k]);
    }
}

static void pair_by_use(struct pairing *pairing, bool equal)
{
    const struct dg_diffing *diffing = pairing->diffing;

    for (uint32_t i = 0; i < diffing->sides[0].n_nodes; i++) {
        uint32_t other = diffing->alignment.others[0][i];

        if (other != DG_DIFF_ALONE)
            pair_rows(pairing, i, other, equal);
    }
    for (uint32_t i = 0; i < diffing->sides[1].n_outputs; i++) {
        if (diffing->outputs[i] != DG_DIFF_ALONE)
            pair_rows(pairing, diffing->sides[0].n_nodes + diffing->outputs[i],
                      diffing->sides[1].n_nodes + i, equal);
    }
}

static size_t key_of(const struct dg_diff_resource *resource)
{
    return (size_t)resource->digest * 4 + resource->kind;
}

/* The k-th with a digest on one side is the k-th with it on the other. */
static void pair_equals(struct pairing *pairing)
{
    const struct dg_diff_side *sides = pairing->diffing->sides;
    size_t n_keys = (size_t)sides[0].words->set.n_texts * 4;
    uint32_t *first = dg_zeroed(n_keys, sizeof(*first)); /* resource + 1 */
    uint32_t *next = dg_zeroed(sides[1].n_resources, sizeof(*next));

    for (uint32_t i = (uint32_t)sides[1].n_resources; i--;) {
        size_t key = key_of(&sides[1].resources[i]);

        if (pairing->others[1][i] != NOTHING)
            continue;
        next[i] = first[key];
        first[key] = i + 1;
    }
    for (uint32_t i = 0; i < sides[0].n_resources; i++) {
        size_t key = key_of(&sides[0].resources[i]);
        uint32_t taken = first[key];

        if (!sides[0].resources[i].digest || pairing->others[0][i] != NOTHING || !taken)
            continue;
        first[key] = next[taken - 1];
        pair(pairing, i, taken - 1);
    }
    free(first);
    free(next);
}

/* The runtime finds them by name, but a file with the data may have new names, too. */
static void add_renamed(struct dg_diffing *diffing)
{
    const struct dg_diff_side *sides = diffing->sides;

    for (size_t i = 0; i < sides[1].n_resources; i++) {
        const struct dg_diff_resource *new = &sides[1].resources[i], *old;
        struct dg_difference difference = {.kind = DG_DIFF_NAME,
                                           .change = DG_DIFF_CHANGED,
                                           .class = DG_DIFF_NAMES,
                                           .what = dg_text("external weight")};

        if (diffing->resources[1][i] == NOTHING)
            continue;
        old = &sides[0].resources[diffing->resources[1][i]];
        if (old->kind != DG_DIFF_EXTERNAL || new->kind != DG_DIFF_EXTERNAL ||
            old->name == new->name)
            continue;
        difference.name = difference.new = dg_diff_text(&sides[1], new->name);
        difference.old = dg_diff_text(&sides[0], old->name);
        dg_diff_add(diffing->diff, &difference);
    }
}

/* First those that are equal where they are named, then those that are equal somewhere,
 * then what changed where it is named. */
void dg_diff_pair_resources(struct dg_diffing *diffing)
{
    struct pairing pairing = {diffing, diffing->resources};

    for (int s = 0; s < 2; s++) {
        size_t n = diffing->sides[s].n_resources;

        diffing->resources[s] = dg_alloc(&diffing->memory, n, sizeof(uint32_t));
        memset(diffing->resources[s], 0xff, n * sizeof(uint32_t));
    }
    if (!diffing->sides[0].is_pte || !diffing->sides[1].is_pte)
        return;
    pair_by_use(&pairing, true);
    pair_equals(&pairing);
    pair_by_use(&pairing, false);
    add_renamed(diffing);
}

/* A digest of bytes, as far as anyone looks; behind it may be compile specs. */
static size_t beginning(struct dg_text digest)
{
    size_t n = 0;

    while (n < digest.size && n < 12 && digest.data[n] != ' ')
        n++;
    return n;
}

static struct dg_text told(struct dg_diffing *diffing, int side, uint32_t number)
{
    static const char *const kinds[] = {"constant", "constant", "state", "delegate"};
    const struct dg_diff_side *of = &diffing->sides[side];
    const struct dg_diff_resource *it = &of->resources[number];
    struct dg_text name = dg_diff_text(of, it->name);
    struct dg_text digest = dg_diff_text(of, it->digest);
    struct dg_writer out = {0};

    dg_print(&out, "%s", kinds[it->kind]);
    if (name.size)
        dg_print(&out, " ");
    dg_write_text(&out, name);
    if (digest.size && (it->kind == DG_DIFF_CALLED || !name.size))
        dg_print(&out, " %.*s", (int)beginning(digest), digest.data);
    return dg_keep(&diffing->memory, &out);
}

bool dg_diff_names_other(struct dg_diffing *diffing, uint32_t old, uint32_t new,
                         struct dg_difference *difference)
{
    static const char *const verbs[] = {"reads", "reads", "uses", "calls"};
    const struct dg_csr *a = &diffing->sides[0].named, *b = &diffing->sides[1].named;

    if (!diffing->sides[0].is_pte || !diffing->sides[1].is_pte)
        return false;
    for (uint32_t i = a->begins[old], k = b->begins[new];
         i < a->begins[old + 1] && k < b->begins[new + 1]; i++, k++) {
        uint32_t from = a->items[i], to = b->items[k];

        if (diffing->resources[0][from] == to || are_equal(diffing, from, to))
            continue;
        difference->what = dg_text(verbs[diffing->sides[0].resources[from].kind]);
        difference->old = told(diffing, 0, from);
        difference->new = told(diffing, 1, to);
        return true;
    }
    return false;
}
