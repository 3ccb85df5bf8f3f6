/* Which graph is which: an export numbers "lowered_module_0" and "true_graph_1" anew,
 * so what is in them tells, then their order. */
#include "diff/graphs.h"

#include <stdlib.h>

#include "base/text.h"
#include "diff/align.h"
#include "diff/finders.h"

/* A path without numbers: "true_graph.lowered_module". */
static void write_base(struct dg_writer *out, struct dg_text path)
{
    for (size_t at = 0, end; at < path.size; at = end + 1) {
        for (end = at; end < path.size && path.data[end] != '.';)
            end++;
        dg_write_text(out,
                      dg_diff_base_name((struct dg_text){path.data + at, end - at}));
        dg_print(out, ".");
    }
}

/* What the nodes of each graph are, or only their operators. */
static uint64_t *hash_graphs(const struct dg_diff_side *side, bool whole)
{
    uint64_t *hashes = dg_zeroed(side->n_graphs, sizeof(*hashes));

    for (uint32_t i = 0; i < side->n_nodes; i++) {
        const struct dg_diff_node *node = &side->nodes[i];
        uint32_t graph = side->model->nodes[i].graph;
        uint64_t hash = dg_diff_mix(node->kind, node->op);

        if (!graph || graph > side->n_graphs)
            continue;
        if (whole && node->kind != DG_NODE_GET_ATTR)
            hash = dg_diff_mix(dg_diff_mix(hash, node->args), node->name);
        if (whole)
            hash = dg_diff_mix(dg_diff_mix(hash, node->type), node->fqn);
        hashes[graph - 1] = dg_diff_mix(hashes[graph - 1], hash);
    }
    return hashes;
}

/* Graphs of both programs with one method and one path but for numbers: places in
 * `items`, in order. */
struct family {
    struct dg_diff_side *sides; /* old, new */
    const uint32_t *rows[2];    /* of graphs, less one */
    uint32_t n[2];
    uint64_t *hashes[2]; /* of all graphs */
    uint32_t *places;    /* of graphs of the new program, in their families */
};

static struct dg_diff_graph *graph_at(const struct family *family, int side, uint32_t i)
{
    return &family->sides[side].graphs[family->rows[side][i]];
}

static void pair(const struct family *family, uint32_t old, uint32_t new)
{
    graph_at(family, 0, old)->other = family->rows[1][new] + 1;
    graph_at(family, 1, new)->other = family->rows[0][old] + 1;
}

static uint64_t hash_of(const struct family *family, int side, uint32_t i)
{
    return family->hashes[side][family->rows[side][i]];
}

static void pair_ends(const struct family *family)
{
    uint32_t begin = 0, a = family->n[0], b = family->n[1];

    while (begin < a && begin < b &&
           hash_of(family, 0, begin) == hash_of(family, 1, begin)) {
        pair(family, begin, begin);
        begin++;
    }
    while (a > begin && b > begin &&
           hash_of(family, 0, a - 1) == hash_of(family, 1, b - 1))
        pair(family, --a, --b);
}

/* The k-th with a hash is the k-th with it. */
static void pair_equals(const struct family *family)
{
    struct dg_int_set set = {0};
    uint32_t *next = dg_zeroed(family->n[1], sizeof(*next)); /* place + 1 */
    uint32_t *first = NULL;
    size_t n_first = 0;

    for (uint32_t i = family->n[1]; i--;) {
        uint32_t number;

        if (graph_at(family, 1, i)->other)
            continue;
        number = dg_int_set_add(&set, hash_of(family, 1, i));
        if (number == n_first)
            (void)DG_APPEND(first, n_first);
        next[i] = first[number];
        first[number] = i + 1;
    }
    for (uint32_t i = 0; i < family->n[0]; i++) {
        uint32_t number, taken;

        if (graph_at(family, 0, i)->other)
            continue;
        number = dg_int_set_add(&set, hash_of(family, 0, i));
        taken = number < n_first ? first[number] : 0;
        if (!taken)
            continue;
        first[number] = next[taken - 1];
        pair(family, i, taken - 1);
    }
    free(first);
    free(next);
    dg_int_set_clear(&set);
}

/* What is left between two pairs, in order. */
static void pair_rest(const struct family *family)
{
    uint32_t *ends = dg_zeroed(family->n[0], sizeof(*ends)), end = family->n[1], at = 0;
    uint32_t *places = family->places;

    for (uint32_t i = 0; i < family->n[1]; i++)
        places[family->rows[1][i]] = i;
    for (uint32_t i = family->n[0]; i--;) {
        ends[i] = end;
        if (graph_at(family, 0, i)->other)
            end = places[graph_at(family, 0, i)->other - 1];
    }
    for (uint32_t i = 0; i < family->n[0]; i++) {
        uint32_t other = graph_at(family, 0, i)->other;

        if (other && places[other - 1] >= at)
            at = places[other - 1] + 1;
        if (other)
            continue;
        while (at < ends[i] && graph_at(family, 1, at)->other)
            at++;
        if (at < ends[i])
            pair(family, i, at++);
    }
    free(ends);
}

static uint32_t *families_of(const struct dg_diff_side *side, struct dg_text_set *names,
                             struct dg_arena *memory)
{
    uint32_t *families = dg_alloc(memory, side->n_graphs, sizeof(*families));
    struct dg_writer out = {0};

    for (size_t i = 0; i < side->n_graphs; i++) {
        const struct dg_diff_graph *graph = &side->graphs[i];

        families[i] = DG_NO_TEXT;
        if (!graph->place)
            continue;
        dg_write_text(&out, graph->method);
        dg_print(&out, "\x1f");
        write_base(&out, graph->path);
        families[i] = dg_text_set_add(names, dg_keep(memory, &out));
    }
    dg_writer_clear(&out);
    return families;
}

static void pair_family(struct family *family, uint64_t *const whole[2],
                        uint64_t *const ops[2])
{
    for (int s = 0; s < 2; s++)
        family->hashes[s] = whole[s];
    pair_ends(family);
    pair_equals(family);
    for (int s = 0; s < 2; s++)
        family->hashes[s] = ops[s];
    pair_equals(family);
    pair_rest(family);
}

static void pair_graphs(struct dg_diff_side sides[2])
{
    struct dg_arena memory = {0};
    struct dg_text_set names = {0};
    struct family family = {.sides = sides};
    uint64_t *whole[2], *ops[2];
    uint32_t *families[2];
    struct dg_csr members[2];

    for (int s = 0; s < 2; s++) {
        families[s] = families_of(&sides[s], &names, &memory);
        whole[s] = hash_graphs(&sides[s], true);
        ops[s] = hash_graphs(&sides[s], false);
    }
    for (int s = 0; s < 2; s++)
        dg_csr_by_key(&members[s], families[s], (uint32_t)sides[s].n_graphs,
                      names.n_texts, &memory);
    family.places = dg_alloc(&memory, sides[1].n_graphs, sizeof(uint32_t));
    for (uint32_t i = 0; i < names.n_texts; i++) {
        for (int s = 0; s < 2; s++) {
            family.rows[s] = members[s].items + members[s].begins[i];
            family.n[s] = members[s].begins[i + 1] - members[s].begins[i];
        }
        pair_family(&family, whole, ops);
    }
    for (int s = 0; s < 2; s++) {
        free(whole[s]);
        free(ops[s]);
    }
    dg_text_set_clear(&names);
    dg_arena_clear(&memory);
}

/* Equal words for what is one graph, and no other ones. */
static void set_places(struct dg_diff_side sides[2], struct dg_arena *memory)
{
    struct dg_diff_side *new = &sides[1];

    for (size_t i = 0; i < new->n_graphs; i++) {
        struct dg_diff_graph *graph = &new->graphs[i];

        if (graph->other)
            graph->place = sides[0].graphs[graph->other - 1].place;
        else if (graph->place)
            graph->place =
                dg_diff_word(new->words, dg_format(memory, "new \x1f%zu", i));
    }
    for (uint32_t i = 0; i < new->n_nodes; i++) {
        uint32_t graph = new->model->nodes[i].graph;

        if (graph && graph <= new->n_graphs)
            new->nodes[i].place = new->graphs[graph - 1].place;
    }
}

/* A path inside of another one, as attributes call it. */
static struct dg_text path_in(const struct dg_diff_graph *parent,
                              const struct dg_diff_graph *child)
{
    size_t skip = parent->path.size ? parent->path.size + 1 : 0;

    if (skip > child->path.size || !dg_text_begins(child->path, parent->path.data))
        return child->path;
    return (struct dg_text){child->path.data + skip, child->path.size - skip};
}

static struct dg_text graph_key(struct dg_writer *out, struct dg_text method,
                                struct dg_text parent, struct dg_text path)
{
    out->size = 0;
    dg_write_text(out, method);
    dg_print(out, "\x1f");
    dg_write_text(out, parent);
    dg_write(out, ".", parent.size && path.size);
    dg_write_text(out, path);
    return dg_written(out);
}

struct keys {
    struct dg_text_set set;
    uint32_t *rows; /* less one */
    struct dg_arena memory;
};

/* What an attribute of the new program is called in the old one, if it is a graph. */
static void rename_attribute(struct dg_diff_side sides[2], uint32_t node,
                             const struct keys *keys, struct dg_writer *out)
{
    uint32_t graph = sides[1].model->nodes[node].graph, child, old;
    const struct dg_diff_graph *parent = &sides[1].graphs[graph - 1];
    struct dg_text target = dg_diff_text(&sides[1], sides[1].nodes[node].args);

    child = dg_text_set_find(&keys->set,
                             graph_key(out, parent->method, parent->path, target));
    if (child == DG_NO_TEXT)
        return;
    old = sides[1].graphs[keys->rows[child]].other;
    out->size = 0;
    if (old && parent->other)
        dg_write_text(out, path_in(&sides[0].graphs[parent->other - 1],
                                   &sides[0].graphs[old - 1]));
    else
        dg_print(out, "%s'", target.data);
    sides[1].nodes[node].args = dg_diff_word(sides[1].words, dg_written(out));
}

/* Rows of graphs by what they are called; of several called so the first counts. */
static void read_keys(struct keys *keys, const struct dg_diff_side *side,
                      struct dg_writer *out)
{
    keys->rows = dg_alloc(&keys->memory, side->n_graphs, sizeof(*keys->rows));
    for (uint32_t i = 0; i < side->n_graphs; i++) {
        const struct dg_diff_graph *graph = &side->graphs[i];
        struct dg_text key = graph_key(out, graph->method, dg_text(""), graph->path);
        uint32_t n = keys->set.n_texts;

        if (graph->place && dg_text_set_find(&keys->set, key) == DG_NO_TEXT)
            keys->rows[n] = i;
        if (graph->place)
            dg_text_set_add(&keys->set, dg_copy_text(&keys->memory, key));
    }
}

static void rename_attributes(struct dg_diff_side sides[2])
{
    struct keys keys = {0};
    struct dg_writer out = {0};

    read_keys(&keys, &sides[1], &out);
    for (uint32_t i = 0; i < sides[1].n_nodes; i++) {
        if (sides[1].nodes[i].kind == DG_NODE_GET_ATTR && sides[1].nodes[i].place)
            rename_attribute(sides, i, &keys, &out);
    }
    dg_writer_clear(&out);
    dg_text_set_clear(&keys.set);
    dg_arena_clear(&keys.memory);
}

void dg_diff_pair_graphs(struct dg_diffing *diffing)
{
    pair_graphs(diffing->sides);
    set_places(diffing->sides, &diffing->memory);
    if (!diffing->sides[1].is_pte)
        rename_attributes(diffing->sides);
}

static void tell(struct dg_diffing *diffing, const struct dg_diff_graph *old,
                 const struct dg_diff_graph *new)
{
    const struct dg_diff_graph *graph = new ? new : old;
    struct dg_difference difference = {.kind = DG_DIFF_GRAPH,
                                       .change = !old   ? DG_DIFF_ADDED
                                                 : !new ? DG_DIFF_REMOVED
                                                        : DG_DIFF_CHANGED,
                                       .method = graph->method,
                                       .name = graph->path};

    if (!graph->path.size || !dg_diff_has_method(diffing, graph->method))
        return;
    if (old)
        difference.old = old->kind;
    if (new)
        difference.new = new->kind;
    dg_diff_add(diffing->diff, &difference);
}

void dg_diff_graphs(struct dg_diffing *diffing)
{
    const struct dg_diff_side *old = &diffing->sides[0], *new = &diffing->sides[1];

    for (size_t i = 0; i < old->n_graphs; i++) {
        const struct dg_diff_graph *graph = &old->graphs[i];

        if (!graph->other && graph->place)
            tell(diffing, graph, NULL);
        else if (!dg_text_equal(graph->kind, new->graphs[graph->other - 1].kind))
            tell(diffing, graph, &new->graphs[graph->other - 1]);
    }
    for (size_t i = 0; i < new->n_graphs; i++) {
        if (!new->graphs[i].other &&new->graphs[i].place)
            tell(diffing, NULL, &new->graphs[i]);
    }
}
