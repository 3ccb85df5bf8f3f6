/* Buffers and parameters that a program changes, against the parts of a plan. */
#include <stdlib.h>

#include "verifiers/constant_parts.h"

/* An output that writes `state` back. */
struct mutation {
    int64_t pos; /* in the signature */
    uint32_t state, value;
    bool parameter;
    bool again; /* another output is the same value */
};

struct mutations {
    struct mutation *items; /* by pos */
    size_t n_items;
};

#define OUTPUTS                                                                        \
    "WITH o AS MATERIALIZED (SELECT * FROM (SELECT name, pos, spec, target,"           \
    "  count(*) OVER (PARTITION BY name) AS n FROM signature"                          \
    "  WHERE graph_id = ?1 AND direction = 'output')"                                  \
    "  WHERE spec IN ('buffer_mutation', 'parameter_mutation'))"

static const char states_sql[] =
    OUTPUTS ", i AS MATERIALIZED (SELECT name, target, spec || '_mutation' AS spec"
            "  FROM signature WHERE graph_id = ?1 AND direction = 'input'"
            "   AND spec IN ('buffer', 'parameter')),"
            " s AS MATERIALIZED (SELECT i.name, o.pos, o.spec FROM o"
            "  JOIN i ON i.target = o.target AND i.spec = o.spec)"
            "SELECT node.id, s.pos, s.spec = 'parameter_mutation' FROM node"
            "  CROSS JOIN s ON s.name = node.name"
            " WHERE node.graph_id = ?1 AND node.kind = 'placeholder' ORDER BY s.pos";

static const char values_sql[] =
    OUTPUTS "SELECT node.id, o.pos, o.n FROM node CROSS JOIN o ON o.name = node.name"
            " WHERE node.graph_id = ?1 AND node.kind <> 'output' ORDER BY o.pos";

static bool number_of(const struct dg_partitioned_graph *tagged,
                      const struct dg_rows *rows, uint32_t *node)
{
    int64_t i = dg_rows_int(rows, 0) - tagged->nodes.graph.first_id;

    *node = (uint32_t)i;
    return i >= 0 && i < tagged->nodes.graph.n_nodes;
}

static enum dg_status read_states(struct mutations *mutations,
                                  const struct dg_partitioned_graph *tagged,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, states_sql, tagged->nodes.graph.id, err);
    uint32_t node;

    while (dg_rows_next(&rows)) {
        if (number_of(tagged, &rows, &node))
            *DG_APPEND(mutations->items, mutations->n_items) =
                (struct mutation){.pos = dg_rows_int(&rows, 1),
                                  .state = node,
                                  .value = DG_UNTAGGED,
                                  .parameter = dg_rows_int(&rows, 2)};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_values(struct mutations *mutations,
                                  const struct dg_partitioned_graph *tagged,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, values_sql, tagged->nodes.graph.id, err);
    size_t at = 0;
    uint32_t node;

    while (dg_rows_next(&rows)) {
        while (at < mutations->n_items &&
               mutations->items[at].pos < dg_rows_int(&rows, 1))
            at++;
        if (at == mutations->n_items ||
            mutations->items[at].pos != dg_rows_int(&rows, 1) ||
            !number_of(tagged, &rows, &node))
            continue;
        mutations->items[at].value = node;
        mutations->items[at].again = dg_rows_int(&rows, 2) > 1;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

typedef enum dg_status look_fn(const struct dg_findings *found,
                               const struct dg_partitioned_graph *tagged,
                               const struct mutation *mutation, struct dg_error *err);

/* A state without a tag that is lowered stays with the host, and all is well. */
static enum dg_status each_mutation(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    look_fn *look, struct dg_error *err)
{
    struct mutations mutations = {0};
    enum dg_status status = read_states(&mutations, tagged, found->store, err);

    if (!status)
        status = read_values(&mutations, tagged, found->store, err);
    for (size_t i = 0; i < mutations.n_items && !status; i++) {
        if (mutations.items[i].value != DG_UNTAGGED &&
            dg_lowered_tag(tagged, mutations.items[i].state) != DG_UNTAGGED)
            status = look(found, tagged, &mutations.items[i], err);
    }
    free(mutations.items);
    return status;
}

/* The first user of `node` whose tag is (or is not) `tag`. */
static uint32_t find_user(const struct dg_partitioned_graph *tagged, uint32_t node,
                          uint32_t tag, bool is)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        if ((tagged->tag_of[graph->users[i]] == tag) == is)
            return graph->users[i];
    }
    return DG_UNTAGGED;
}

/* The tag of all users of the state, or its own where it has none. False: they differ.
 */
static bool single_tag(const struct dg_partitioned_graph *tagged, uint32_t state,
                       uint32_t *tag)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    uint32_t begin = graph->user_of[state];

    *tag =
        tagged->tag_of[begin < graph->user_of[state + 1] ? graph->users[begin] : state];
    return find_user(tagged, state, *tag, false) == DG_UNTAGGED;
}

static enum dg_status look_for_constant(const struct dg_findings *found,
                                        const struct dg_partitioned_graph *tagged,
                                        const struct mutation *mutation,
                                        struct dg_error *err)
{
    const struct dg_text *names = tagged->nodes.names;
    uint32_t witness[] = {mutation->state, mutation->value}, tag;
    const char *kind = mutation->parameter ? "parameter" : "buffer";

    if (!single_tag(tagged, mutation->state, &tag) || tag == DG_UNTAGGED ||
        !tagged->tags[tag].known ||
        (!mutation->parameter && tagged->tag_of[mutation->value] == tag))
        return DG_OK;
    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){
            .node = mutation->state, .witness = witness, .n_witness = 2},
        err,
        "%.*s takes %s %.*s away, but its new value %.*s (%.*s) is written back by the"
        " host: lowering fails, as the output does not point to a %s that exists",
        DG_SHOWN(tagged->tags[tag].name), kind, DG_SHOWN(names[mutation->state]),
        DG_SHOWN(names[mutation->value]),
        DG_SHOWN(dg_tag_in_words(tagged, mutation->value)), kind);
}

static enum dg_status look_at_constants(const struct dg_findings *found,
                                        const struct dg_partitioned_graph *tagged,
                                        struct dg_error *err)
{
    return each_mutation(found, tagged, look_for_constant, err);
}

enum dg_status dg_check_mutable_as_constant(const struct dg_findings *found,
                                            struct dg_error *err)
{
    return dg_each_planned(found, look_at_constants, err);
}

static enum dg_status look_for_shared(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      const struct mutation *mutation,
                                      struct dg_error *err)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    const struct dg_text *names = tagged->nodes.names;
    uint32_t tag, first, other;

    if (mutation->parameter || single_tag(tagged, mutation->state, &tag))
        return DG_OK;
    first = graph->users[graph->user_of[mutation->state]];
    other = find_user(tagged, mutation->state, tag, false);
    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){
            .node = mutation->state,
            .witness = (uint32_t[]){mutation->state, first, other, mutation->value},
            .n_witness = other == mutation->value ? 3 : 4},
        err,
        "%.*s (%.*s) and %.*s (%.*s) both read buffer %.*s, which %.*s updates:"
        " lowering gives each a copy of its own, and only one of them is updated",
        DG_SHOWN(names[first]), DG_SHOWN(dg_tag_in_words(tagged, first)),
        DG_SHOWN(names[other]), DG_SHOWN(dg_tag_in_words(tagged, other)),
        DG_SHOWN(names[mutation->state]), DG_SHOWN(names[mutation->value]));
}

static enum dg_status look_at_shared(const struct dg_findings *found,
                                     const struct dg_partitioned_graph *tagged,
                                     struct dg_error *err)
{
    return each_mutation(found, tagged, look_for_shared, err);
}

enum dg_status dg_check_mutable_shared(const struct dg_findings *found,
                                       struct dg_error *err)
{
    return dg_each_planned(found, look_at_shared, err);
}

/* A delegate that takes a buffer away and makes its new value keeps that for itself. */
static bool is_consumed(const struct dg_partitioned_graph *tagged,
                        const struct mutation *mutation)
{
    uint32_t tag = tagged->tag_of[mutation->value];
    const struct dg_graph *graph = &tagged->nodes.graph;

    if (mutation->parameter || dg_lowered_tag(tagged, mutation->value) == DG_UNTAGGED)
        return false;
    if (graph->user_of[mutation->state] == graph->user_of[mutation->state + 1])
        return tagged->tag_of[mutation->state] == tag;
    return find_user(tagged, mutation->state, tag, true) != DG_UNTAGGED;
}

static uint32_t find_reader_outside(const struct dg_partitioned_graph *tagged,
                                    uint32_t value)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    for (uint32_t i = graph->user_of[value]; i < graph->user_of[value + 1]; i++) {
        uint32_t user = graph->users[i];

        if (tagged->tag_of[user] != tagged->tag_of[value] &&
            !(tagged->nodes.marks[user] & DG_MARK_OUTPUT))
            return user;
    }
    return DG_UNTAGGED;
}

static enum dg_status look_for_other_use(const struct dg_findings *found,
                                         const struct dg_partitioned_graph *tagged,
                                         const struct mutation *mutation,
                                         struct dg_error *err)
{
    const struct dg_text *names = tagged->nodes.names;
    uint32_t witness[] = {mutation->state, mutation->value,
                          find_reader_outside(tagged, mutation->value)};
    struct dg_offence offence = {
        .node = mutation->value, .witness = witness, .n_witness = 2};

    if (!is_consumed(tagged, mutation))
        return DG_OK;
    if (mutation->again)
        return dg_find_planned(
            found, tagged, &offence, err,
            "%.*s keeps %.*s, the new value of buffer %.*s, for itself, but it is"
            " another output of the program, too: lowering fails",
            DG_SHOWN(dg_tag_in_words(tagged, mutation->value)),
            DG_SHOWN(names[mutation->value]), DG_SHOWN(names[mutation->state]));
    if (witness[2] == DG_UNTAGGED)
        return DG_OK;
    offence.n_witness = 3;
    return dg_find_planned(
        found, tagged, &offence, err,
        "%.*s keeps %.*s, the new value of buffer %.*s, for itself, but %.*s (%.*s)"
        " reads it: lowering fails with 'Tried to erase Node getitem'",
        DG_SHOWN(dg_tag_in_words(tagged, mutation->value)),
        DG_SHOWN(names[mutation->value]), DG_SHOWN(names[mutation->state]),
        DG_SHOWN(names[witness[2]]), DG_SHOWN(dg_tag_in_words(tagged, witness[2])));
}

static enum dg_status look_at_other_uses(const struct dg_findings *found,
                                         const struct dg_partitioned_graph *tagged,
                                         struct dg_error *err)
{
    return each_mutation(found, tagged, look_for_other_use, err);
}

enum dg_status dg_check_mutation_also_output(const struct dg_findings *found,
                                             struct dg_error *err)
{
    return dg_each_planned(found, look_at_other_uses, err);
}
