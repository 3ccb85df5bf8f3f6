/* Numbers among the values that go into delegates and come out of them. */
#include "verifiers/partition_parts.h"

struct border {
    uint32_t n_in, first_in;   /* numbers that others make and it reads */
    uint32_t n_out, first_out; /* numbers it makes and others read */
    uint32_t n_results;        /* all it makes and others read */
    uint32_t seen;             /* the latest number that was counted, plus 1 */
};

static void count_reader(struct border *border, uint32_t node)
{
    if (border->seen == node + 1)
        return;
    border->seen = node + 1;
    if (!border->n_in++)
        border->first_in = node;
}

static void count_node(struct border *borders,
                       const struct dg_partitioned_graph *tagged, uint32_t node)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    bool number = tagged->nodes.marks[node] & DG_MARK_NUMBER, leaves = false;
    uint32_t from = dg_lowered_tag(tagged, node);

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        uint32_t to = dg_lowered_tag(tagged, graph->users[i]);

        if (to == from)
            continue;
        leaves = true;
        if (number && to != DG_UNTAGGED)
            count_reader(&borders[to], node);
    }
    if (!leaves || from == DG_UNTAGGED ||
        tagged->nodes.marks[node] & DG_MARK_PLACEHOLDER)
        return;
    borders[from].n_results++;
    if (number && !borders[from].n_out++)
        borders[from].first_out = node;
}

static enum dg_status find_only_result(const struct dg_findings *found,
                                       const struct dg_partitioned_graph *tagged,
                                       uint32_t tag, const struct border *border,
                                       struct dg_error *err)
{
    struct dg_offence offence = {.severity = "error", .node = border->first_out};

    return dg_find_planned(
        found, tagged, &offence, err,
        "all that %.*s returns is %.*s, a number: lowering forgets to take it out of"
        " the delegate's list of results, and to_backend() or to_executorch() fails",
        DG_SHOWN(tagged->tags[tag].name),
        DG_SHOWN(tagged->nodes.names[border->first_out]));
}

/* "the number mul", "3 numbers, mul first". */
static struct dg_text count_in_words(struct dg_arena *memory,
                                     const struct dg_partitioned_graph *tagged,
                                     uint32_t n, uint32_t first)
{
    struct dg_text name = tagged->nodes.names[first];

    if (n == 1)
        return dg_format(memory, "the number %.*s", DG_SHOWN(name));
    return dg_format(memory, "%u numbers, %.*s first", n, DG_SHOWN(name));
}

static enum dg_status find_results(const struct dg_findings *found,
                                   const struct dg_partitioned_graph *tagged,
                                   uint32_t tag, const struct border *border,
                                   struct dg_error *err)
{
    struct dg_offence offence = {.node = border->first_out};
    struct dg_arena memory = {0};
    struct dg_text what =
        count_in_words(&memory, tagged, border->n_out, border->first_out);
    enum dg_status status =
        dg_find_planned(found, tagged, &offence, err,
                        "%.*s returns %.*s: few backends return anything but tensors",
                        DG_SHOWN(tagged->tags[tag].name), DG_SHOWN(what));

    dg_arena_clear(&memory);
    return status;
}

/* Backends that are known to take tensors only. */
static bool takes_tensors_only(struct dg_text backend)
{
    return dg_text_is(backend, "CudaBackend") || dg_text_is(backend, "VulkanBackend");
}

static enum dg_status find_inputs(const struct dg_findings *found,
                                  const struct dg_partitioned_graph *tagged,
                                  uint32_t tag, const struct border *border,
                                  struct dg_error *err)
{
    struct dg_text backend = tagged->tags[tag].backend;
    bool refused = takes_tensors_only(backend);
    struct dg_offence offence = {.severity = refused ? "warning" : "note",
                                 .node = border->first_in};
    struct dg_arena memory = {0};
    struct dg_text what =
        count_in_words(&memory, tagged, border->n_in, border->first_in);
    struct dg_text who = refused ? backend : dg_text("some backends");
    enum dg_status status = dg_find_planned(
        found, tagged, &offence, err, "%.*s is given %.*s: %.*s may take tensors only",
        DG_SHOWN(tagged->tags[tag].name), DG_SHOWN(what), DG_SHOWN(who));

    dg_arena_clear(&memory);
    return status;
}

static bool has_numbers(const struct dg_nodes *nodes)
{
    bool found = false;

    for (uint32_t i = 0; i < nodes->graph.n_nodes && !found; i++)
        found = nodes->marks[i] & DG_MARK_NUMBER;
    return found;
}

static enum dg_status look_at_borders(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct border *borders;
    enum dg_status status = DG_OK;

    if (!has_numbers(&tagged->nodes))
        return DG_OK;
    borders = dg_alloc(&memory, tagged->n_tags, sizeof(*borders));
    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes; i++)
        count_node(borders, tagged, i);
    for (uint32_t tag = 0; tag < tagged->n_tags && !status; tag++) {
        const struct border *border = &borders[tag];

        if (border->n_out && border->n_results == 1)
            status = find_only_result(found, tagged, tag, border, err);
        else if (border->n_out)
            status = find_results(found, tagged, tag, border, err);
        if (!status && border->n_in)
            status = find_inputs(found, tagged, tag, border, err);
    }
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_boundary_kinds(const struct dg_findings *found,
                                       struct dg_error *err)
{
    return dg_each_lowered(found, look_at_borders, err);
}
