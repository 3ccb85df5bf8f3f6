/* Nodes that write their arguments, and the order in which a plan lets them run. */
#include "base/ops.h"
#include "verifiers/partition_parts.h"

/* Steps that one graph may take to look for paths. */
enum { PATIENCE = 10000000, NOBODY = UINT32_MAX };

struct access {
    uint32_t node, before; /* the access before it; NOBODY: the first */
};

struct aliases {
    const struct dg_partitioned_graph *tagged;
    unsigned *flags;  /* of the operators of nodes */
    uint32_t *base;   /* the node whose memory a node's result is */
    bool *written;    /* of bases */
    uint32_t *writer; /* of bases: the last one so far */
    uint32_t *reader; /* of bases: the last access since then */
    struct access *accesses;
    uint32_t n_accesses;
    uint32_t *last; /* of tags: their last node */
    uint32_t *stamp, *queue;
    uint32_t time;
    uint64_t patience;
    struct dg_arena memory;
};

static bool is_writer(unsigned flags)
{
    return (flags & (DG_OP_MUTATES | DG_OP_OUT)) == DG_OP_MUTATES;
}

/* What stands in first place is what is viewed or written. */
static void find_base(struct aliases *aliases, uint32_t node)
{
    const struct dg_nodes *nodes = &aliases->tagged->nodes;
    const struct dg_graph *graph = &nodes->graph;
    struct dg_text name = dg_nodes_op(nodes, node);
    const struct dg_op *op = name.data ? dg_op_find(name.data, name.size) : NULL;
    bool shares = nodes->marks[node] & DG_MARK_GETITEM;

    aliases->base[node] = node;
    if (op)
        aliases->flags[node] = op->flags;
    shares |= (aliases->flags[node] & DG_OP_VIEW) || is_writer(aliases->flags[node]);
    if (!shares || graph->input_of[node] == graph->input_of[node + 1] ||
        graph->inputs[graph->input_of[node]] >= node)
        return;
    aliases->base[node] = aliases->base[graph->inputs[graph->input_of[node]]];
    if (is_writer(aliases->flags[node]))
        aliases->written[aliases->base[node]] = true;
}

static void begin(struct aliases *aliases, const struct dg_partitioned_graph *tagged)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    struct dg_arena *memory = &aliases->memory;
    uint32_t n = graph->n_nodes;

    aliases->tagged = tagged;
    aliases->patience = PATIENCE;
    aliases->flags = dg_alloc(memory, n, sizeof(*aliases->flags));
    aliases->base = dg_alloc(memory, n, sizeof(*aliases->base));
    aliases->written = dg_alloc(memory, n, sizeof(*aliases->written));
    aliases->writer = dg_alloc(memory, n, sizeof(*aliases->writer));
    aliases->reader = dg_alloc(memory, n, sizeof(*aliases->reader));
    aliases->stamp = dg_alloc(memory, n, sizeof(*aliases->stamp));
    aliases->queue = dg_alloc(memory, n, sizeof(*aliases->queue));
    aliases->accesses = dg_alloc(memory, graph->n_edges, sizeof(*aliases->accesses));
    aliases->last = dg_alloc(memory, tagged->n_tags, sizeof(*aliases->last));
    for (uint32_t i = 0; i < n; i++) {
        aliases->writer[i] = aliases->reader[i] = NOBODY;
        find_base(aliases, i);
        if (dg_lowered_tag(tagged, i) != DG_UNTAGGED)
            aliases->last[tagged->tag_of[i]] = i;
    }
}

/* Where a node runs: a partition runs in the place of its last node. */
static uint32_t place_of(const struct aliases *aliases, uint32_t node)
{
    uint32_t tag = dg_lowered_tag(aliases->tagged, node);

    return tag == DG_UNTAGGED ? node : aliases->last[tag];
}

static bool has_path(struct aliases *aliases, uint32_t from, uint32_t to)
{
    const struct dg_graph *graph = &aliases->tagged->nodes.graph;
    uint32_t n = 0;

    aliases->time++;
    aliases->queue[n++] = from;
    while (n && aliases->patience) {
        uint32_t node = aliases->queue[--n];

        for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
            uint32_t user = graph->users[i];

            aliases->patience -= aliases->patience > 0;
            if (user == to)
                return true;
            if (user > to || aliases->stamp[user] == aliases->time)
                continue;
            aliases->stamp[user] = aliases->time;
            aliases->queue[n++] = user;
        }
    }
    return !aliases->patience;
}

static bool change_places(struct aliases *aliases, uint32_t first, uint32_t second)
{
    return first != second && place_of(aliases, first) > place_of(aliases, second) &&
           !has_path(aliases, first, second);
}

static enum dg_status find_pair(const struct dg_findings *found,
                                const struct aliases *aliases, uint32_t base,
                                uint32_t first, uint32_t second, struct dg_error *err)
{
    const struct dg_partitioned_graph *tagged = aliases->tagged;
    const struct dg_text *names = tagged->nodes.names;
    bool writes = is_writer(aliases->flags[first]);

    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){.node = second,
                             .witness = (uint32_t[]){base, first, second},
                             .n_witness = 3},
        err,
        "%.*s (%.*s) %s %.*s before %.*s (%.*s) %s it, and nothing else keeps them in"
        " order: %.*s runs where its last node stands, %.*s, which is later",
        DG_SHOWN(names[first]), DG_SHOWN(dg_tag_in_words(tagged, first)),
        writes ? "writes" : "reads", DG_SHOWN(names[base]), DG_SHOWN(names[second]),
        DG_SHOWN(dg_tag_in_words(tagged, second)),
        is_writer(aliases->flags[second]) ? "writes" : "reads",
        DG_SHOWN(dg_tag_in_words(tagged, first)),
        DG_SHOWN(names[place_of(aliases, first)]));
}

/* `node` reads memory `base`, or writes it. */
static enum dg_status look_at_access(const struct dg_findings *found,
                                     struct aliases *aliases, uint32_t node,
                                     uint32_t base, bool writes, struct dg_error *err)
{
    uint32_t at = aliases->n_accesses++;

    if (aliases->writer[base] != NOBODY &&
        change_places(aliases, aliases->writer[base], node))
        return find_pair(found, aliases, base, aliases->writer[base], node, err);
    for (uint32_t i = aliases->reader[base]; writes && i != NOBODY;
         i = aliases->accesses[i].before) {
        if (change_places(aliases, aliases->accesses[i].node, node))
            return find_pair(found, aliases, base, aliases->accesses[i].node, node,
                             err);
    }
    aliases->accesses[at] = (struct access){node, aliases->reader[base]};
    aliases->reader[base] = writes ? NOBODY : at;
    if (writes)
        aliases->writer[base] = node;
    return DG_OK;
}

static enum dg_status look_at_node(const struct dg_findings *found,
                                   struct aliases *aliases, uint32_t node,
                                   struct dg_error *err)
{
    const struct dg_graph *graph = &aliases->tagged->nodes.graph;
    uint32_t first = graph->input_of[node];
    enum dg_status status = DG_OK;

    if (aliases->flags[node] & DG_OP_VIEW ||
        !(aliases->tagged->nodes.marks[node] & DG_MARK_CALL))
        return DG_OK;
    for (uint32_t i = graph->input_of[node + 1]; i-- > first && !status;) {
        uint32_t base = aliases->base[graph->inputs[i]];

        if (aliases->written[base])
            status = look_at_access(found, aliases, node, base,
                                    i == first && is_writer(aliases->flags[node]), err);
    }
    return status;
}

static enum dg_status look_at_order(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    struct dg_error *err)
{
    struct aliases aliases = {0};
    enum dg_status status = DG_OK;

    begin(&aliases, tagged);
    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++)
        status = look_at_node(found, &aliases, i, err);
    dg_arena_clear(&aliases.memory);
    return status;
}

enum dg_status dg_check_alias_order(const struct dg_findings *found,
                                    struct dg_error *err)
{
    int64_t any;
    enum dg_status status = dg_store_int(
        found->store, "SELECT 1 FROM op WHERE flags & (1 << 5) LIMIT 1", 0, &any, err);

    if (status || !any)
        return status;
    return dg_each_lowered(found, look_at_order, err);
}
