/* Partitions that cannot be run one after another. */
#include "graph/quotient.h"

#include "base/text.h"
#include "verifiers/partition_parts.h"

/* Lowering copies constants for every partition that reads them, and takes no other
 * placeholder and no output: only calls and get_attr nodes bind partitions together. */
static void read_quotient(struct dg_quotient *out,
                          const struct dg_partitioned_graph *tagged,
                          struct dg_arena *memory)
{
    const struct dg_nodes *nodes = &tagged->nodes;
    uint32_t *part_of = dg_alloc(memory, nodes->graph.n_nodes, sizeof(*part_of));

    for (uint32_t i = 0; i < nodes->graph.n_nodes; i++) {
        bool binds = nodes->marks[i] & (DG_MARK_CALL | DG_MARK_GET_ATTR);

        part_of[i] = binds ? dg_lowered_tag(tagged, i) : DG_NO_VERTEX;
    }
    *out = (struct dg_quotient){&nodes->graph, part_of, tagged->n_tags, memory};
}

static struct dg_text tag_name(const struct dg_partitioned_graph *tagged, uint32_t tag)
{
    return tagged->tags[tag].name;
}

static enum dg_status find_nonconvex(const struct dg_findings *found,
                                     const struct dg_partitioned_graph *tagged,
                                     const struct dg_nonconvex *nonconvex,
                                     struct dg_arena *memory, struct dg_error *err)
{
    const struct dg_route *route = &nonconvex->route;
    struct dg_offence offence = {
        .node = route->nodes[0], .witness = route->nodes, .n_witness = route->n_nodes};
    uint32_t last = route->nodes[route->n_nodes - 1];
    struct dg_text between =
        dg_name_nodes(memory, tagged, route->nodes + 1, route->n_nodes - 2, " -> ");

    return dg_find_planned(
        found, tagged, &offence, err,
        "%.*s is left and entered again: %.*s -> %.*s -> %.*s; lowering fails with"
        " " DG_CYCLE_MESSAGE,
        DG_SHOWN(tag_name(tagged, nonconvex->part)),
        DG_SHOWN(tagged->nodes.names[route->nodes[0]]), DG_SHOWN(between),
        DG_SHOWN(tagged->nodes.names[last]));
}

static enum dg_status look_for_detours(const struct dg_findings *found,
                                       const struct dg_partitioned_graph *tagged,
                                       struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_quotient quotient;
    struct dg_nonconvex *nonconvex;
    enum dg_status status = DG_OK;
    size_t n_nonconvex;

    read_quotient(&quotient, tagged, &memory);
    n_nonconvex = dg_quotient_nonconvex_parts(&quotient, &nonconvex);
    for (size_t i = 0; i < n_nonconvex && !status; i++)
        status = find_nonconvex(found, tagged, &nonconvex[i], &memory, err);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_convex(const struct dg_findings *found, struct dg_error *err)
{
    return dg_each_lowered(found, look_for_detours, err);
}

static void write_step(struct dg_writer *out, const struct dg_partitioned_graph *tagged,
                       uint32_t node, uint32_t part)
{
    dg_write_text(out, tagged->nodes.names[node]);
    if (part != DG_NO_VERTEX) {
        dg_print(out, " (");
        dg_write_text(out, tag_name(tagged, part));
        dg_print(out, ")");
    }
}

/* "a (tag0) -> b (tag1), c (tag1) -> d (tag0)": an arrow is an edge. */
static void write_route(struct dg_writer *out,
                        const struct dg_partitioned_graph *tagged,
                        const uint32_t *part_of, const struct dg_route *route)
{
    enum { SHOWN = 8 };

    for (size_t i = 0; i < route->n_nodes && i < SHOWN; i++) {
        uint32_t part = part_of[route->nodes[i]];
        bool jump = i && part != DG_NO_VERTEX && part == part_of[route->nodes[i - 1]];

        if (i)
            dg_print(out, jump ? ", " : " -> ");
        write_step(out, tagged, route->nodes[i], part);
    }
    if (route->n_nodes > SHOWN)
        dg_print(out, " -> %zu more", route->n_nodes - SHOWN);
}

/* The two partitions of the route that come first in it. */
static void first_two(const uint32_t *part_of, const struct dg_route *route,
                      uint32_t two[2])
{
    two[0] = two[1] = DG_NO_VERTEX;
    for (size_t i = 0; i < route->n_nodes && two[1] == DG_NO_VERTEX; i++) {
        uint32_t part = part_of[route->nodes[i]];

        if (part == DG_NO_VERTEX || part == two[0])
            continue;
        two[two[0] != DG_NO_VERTEX] = part;
    }
}

static void write_waiting(struct dg_writer *out,
                          const struct dg_partitioned_graph *tagged,
                          const uint32_t *part_of,
                          const struct dg_cyclic_dependency *mutual)
{
    uint32_t two[2];

    first_two(part_of, &mutual->route, two);
    if (two[1] == DG_NO_VERTEX) {
        dg_print(out, "%zu partitions", mutual->n_parts);
        return;
    }
    dg_write_text(out, tag_name(tagged, two[0]));
    dg_print(out, mutual->n_parts > 2 ? ", " : " and ");
    dg_write_text(out, tag_name(tagged, two[1]));
    if (mutual->n_parts > 2)
        dg_print(out, " and %zu more", mutual->n_parts - 2);
}

static enum dg_status find_mutual(const struct dg_findings *found,
                                  const struct dg_partitioned_graph *tagged,
                                  const uint32_t *part_of,
                                  const struct dg_cyclic_dependency *mutual,
                                  struct dg_error *err)
{
    const struct dg_route *route = &mutual->route;
    struct dg_offence offence = {
        .node = route->nodes[0], .witness = route->nodes, .n_witness = route->n_nodes};
    struct dg_writer tags = {0}, path = {0};
    enum dg_status status;

    write_waiting(&tags, tagged, part_of, mutual);
    write_route(&path, tagged, part_of, route);
    status = dg_find_planned(
        found, tagged, &offence, err,
        "%.*s wait for each other: %.*s; lowering fails with " DG_CYCLE_MESSAGE,
        (int)tags.size, tags.data, (int)path.size, path.data);
    dg_writer_clear(&tags);
    dg_writer_clear(&path);
    return status;
}

static enum dg_status look_for_mutual(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_quotient quotient;
    struct dg_cyclic_dependency *mutuals;
    enum dg_status status = DG_OK;
    size_t n_mutuals;

    read_quotient(&quotient, tagged, &memory);
    n_mutuals = dg_quotient_acyclic(&quotient)
                    ? 0
                    : dg_quotient_cyclic_dependencies(&quotient, &mutuals);
    for (size_t i = 0; i < n_mutuals && !status; i++)
        status = find_mutual(found, tagged, quotient.part_of, &mutuals[i], err);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_mutual_cycle(const struct dg_findings *found,
                                     struct dg_error *err)
{
    return dg_each_lowered(found, look_for_mutual, err);
}

/* A cycle that is there without any plan is for rule graph/acyclic. */
static bool is_program_acyclic(const struct dg_quotient *quotient)
{
    struct dg_quotient nothing = *quotient;

    nothing.n_parts = 0;
    return dg_quotient_acyclic(&nothing);
}

static enum dg_status find_failing(const struct dg_findings *found,
                                   const struct dg_partitioned_graph *tagged,
                                   const struct dg_quotient *quotient, uint32_t tag,
                                   struct dg_error *err)
{
    struct dg_offence offence = {0};
    struct dg_route route;
    struct dg_quotient first = *quotient;

    first.n_parts = tag + 1;
    dg_quotient_cycle(&first, &route);
    offence.witness = route.nodes;
    offence.n_witness = route.n_nodes;
    while (offence.node < tagged->nodes.graph.n_nodes - 1 &&
           quotient->part_of[offence.node] != tag)
        offence.node++;
    return dg_find_planned(found, tagged, &offence, err,
                           "lowering the tags in their order fails at %.*s, number %u"
                           " of %u, with " DG_CYCLE_MESSAGE,
                           DG_SHOWN(tag_name(tagged, tag)), tag + 1, tagged->n_tags);
}

static enum dg_status look_for_failing(const struct dg_findings *found,
                                       const struct dg_partitioned_graph *tagged,
                                       struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_quotient quotient;
    enum dg_status status = DG_OK;
    uint32_t tag;

    read_quotient(&quotient, tagged, &memory);
    tag = dg_quotient_first_failing(&quotient);
    if (tag < tagged->n_tags && is_program_acyclic(&quotient))
        status = find_failing(found, tagged, &quotient, tag, err);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_lowering_order(const struct dg_findings *found,
                                       struct dg_error *err)
{
    return dg_each_lowered(found, look_for_failing, err);
}
