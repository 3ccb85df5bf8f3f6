/* A tagging of which parts wait for themselves or for each other, split so that they do
 * not: each knot of the quotient graph on its own, the rest stays as it is. */
#include "graph/components.h"
#include "partition/condense.h"
#include "partition/steps.h"
#include "partition/typed_fusion.h"

struct task {
    const struct dg_graph *graph;
    const uint16_t *marks;
    const uint32_t *tag_of;
    uint32_t n_tags;
    uint32_t *bound_to;     /* of each node: its tag, if that makes anyone wait */
    uint32_t *component_of; /* of each node, in the quotient graph */
    uint32_t n_components;
    uint32_t *local; /* of each node of the knot: its number there */
    uint32_t *type_of_tag, *tag_of_type;
    uint32_t *part_of, *from, n_parts; /* the result; `from` is the tag of each part */
    struct dg_arena memory;
};

/* Who reads what is given waits for nobody. */
static bool is_given(const struct task *task, uint32_t node)
{
    return task->marks[node] & DG_MARK_PLACEHOLDER;
}

static uint32_t number_vertices(struct task *task, uint32_t *vertex_of)
{
    uint32_t n = task->n_tags;

    for (uint32_t node = 0; node < task->graph->n_nodes; node++) {
        task->bound_to[node] = is_given(task, node) ? DG_NO_PART : task->tag_of[node];
        vertex_of[node] =
            task->bound_to[node] == DG_NO_PART ? n++ : task->bound_to[node];
    }
    return n;
}

static void find_components(struct task *task)
{
    const struct dg_graph *graph = task->graph;
    struct dg_arena scratch = {0};
    uint32_t *vertex_of = dg_alloc(&scratch, graph->n_nodes, sizeof(*vertex_of));
    uint32_t n = number_vertices(task, vertex_of);
    uint32_t *component_of = dg_alloc(&scratch, n, sizeof(*component_of));
    struct dg_csr users;

    dg_contract_edges(&users, graph, vertex_of, n, false, NULL, 0, &scratch);
    task->n_components = dg_components(component_of, n, users.begins, users.items);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        task->component_of[node] = component_of[vertex_of[node]];
    dg_arena_clear(&scratch);
}

/* The nodes of a knot, with each tag as a type of its own. */
struct knot {
    const uint32_t *nodes;
    uint32_t n_nodes;
    struct dg_typed_graph typed;
    struct dg_typed_groups groups;
    struct dg_arena memory;
};

static void find_types(struct task *task, struct knot *knot)
{
    struct dg_typed_graph *typed = &knot->typed;
    uint32_t *kind_of = dg_alloc(&knot->memory, knot->n_nodes, sizeof(*kind_of));

    for (uint32_t i = 0; i < knot->n_nodes; i++) {
        uint32_t tag = task->bound_to[knot->nodes[i]];

        task->local[knot->nodes[i]] = i;
        kind_of[i] = DG_NO_PART;
        if (tag == DG_NO_PART)
            continue;
        if (task->type_of_tag[tag] == DG_NO_PART) {
            task->tag_of_type[typed->n_types] = tag;
            task->type_of_tag[tag] = typed->n_types++;
        }
        kind_of[i] = task->type_of_tag[tag];
    }
    typed->n_kinds = typed->n_types;
    typed->kind_of = kind_of;
    typed->types.begins =
        dg_alloc(&knot->memory, (size_t)typed->n_types + 1, sizeof(uint32_t));
    typed->types.items = dg_alloc(&knot->memory, typed->n_types, sizeof(uint32_t));
    for (uint32_t type = 0; type < typed->n_types; type++) {
        typed->types.items[type] = type;
        typed->types.begins[type + 1] = type + 1;
    }
}

static void find_users(const struct task *task, struct knot *knot)
{
    const struct dg_graph *graph = task->graph;
    uint32_t component = task->component_of[knot->nodes[0]], n_users = 0, *begins,
             *users;

    for (uint32_t i = 0; i < knot->n_nodes; i++)
        n_users += graph->user_of[knot->nodes[i] + 1] - graph->user_of[knot->nodes[i]];
    begins = dg_alloc(&knot->memory, (size_t)knot->n_nodes + 1, sizeof(*begins));
    users = dg_alloc(&knot->memory, n_users, sizeof(*users));
    n_users = 0;
    for (uint32_t i = 0; i < knot->n_nodes; i++) {
        uint32_t node = knot->nodes[i];

        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            if (task->component_of[graph->users[k]] == component)
                users[n_users++] = task->local[graph->users[k]];
        }
        begins[i + 1] = n_users;
    }
    knot->typed.n_vertices = knot->n_nodes;
    knot->typed.user_of = begins;
    knot->typed.users = users;
}

/* The one group of all that read a node, or DG_NO_PART. */
static uint32_t group_of_readers(const struct task *task, const struct knot *knot,
                                 uint32_t node)
{
    const struct dg_graph *graph = task->graph;
    uint32_t component = task->component_of[node], group = DG_NO_PART;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t user = graph->users[k], of;

        if (task->component_of[user] != component)
            return DG_NO_PART;
        of = knot->groups.group_of[task->local[user]];
        if (of == DG_NO_PART || (group != DG_NO_PART && of != group))
            return DG_NO_PART;
        group = of;
    }
    return group;
}

/* A get_attr node names a branch of the call that reads it, and belongs there; it could
 * run in the first group already. */
static void follow_calls(const struct task *task, struct knot *knot)
{
    const uint32_t *type_of = knot->groups.type_of;

    for (uint32_t i = 0; i < knot->n_nodes; i++) {
        uint32_t node = knot->nodes[i], group = knot->groups.group_of[i], other;

        if (!(task->marks[node] & DG_MARK_GET_ATTR) || group == DG_NO_PART)
            continue;
        other = group_of_readers(task, knot, node);
        if (other != DG_NO_PART && type_of[other] == type_of[group])
            knot->groups.group_of[i] = other;
    }
}

/* The largest piece of a tag keeps it, the first of those that are; others are new. */
static void take_pieces(struct task *task, const struct knot *knot)
{
    const struct dg_typed_groups *groups = &knot->groups;
    struct dg_arena scratch = {0};
    uint32_t *size = dg_alloc(&scratch, groups->n_groups, sizeof(*size));
    uint32_t *kept = dg_alloc(&scratch, knot->typed.n_types, sizeof(*kept));
    uint32_t *part = dg_alloc(&scratch, groups->n_groups, sizeof(*part));

    for (uint32_t i = 0; i < knot->n_nodes; i++) {
        if (groups->group_of[i] != DG_NO_PART)
            size[groups->group_of[i]]++;
    }
    for (uint32_t group = groups->n_groups; group-- > 0;) {
        uint32_t type = groups->type_of[group];

        if (size[group] && (!kept[type] || size[group] >= size[kept[type] - 1]))
            kept[type] = group + 1;
    }
    for (uint32_t group = 0; group < groups->n_groups; group++) {
        uint32_t type = groups->type_of[group], tag = task->tag_of_type[type];

        if (!size[group])
            continue;
        part[group] = kept[type] == group + 1 ? tag : task->n_parts++;
        task->from[part[group]] = tag;
    }
    for (uint32_t i = 0; i < knot->n_nodes; i++) {
        if (groups->group_of[i] != DG_NO_PART)
            task->part_of[knot->nodes[i]] = part[groups->group_of[i]];
    }
    dg_arena_clear(&scratch);
}

static void untie(struct task *task, const uint32_t *nodes, uint32_t n_nodes)
{
    struct knot knot = {.nodes = nodes, .n_nodes = n_nodes};

    find_types(task, &knot);
    find_users(task, &knot);
    dg_fuse_types(&knot.groups, &knot.typed, DG_BEAM, &knot.memory);
    follow_calls(task, &knot);
    take_pieces(task, &knot);
    for (uint32_t type = 0; type < knot.typed.n_types; type++)
        task->type_of_tag[task->tag_of_type[type]] = DG_NO_PART;
    dg_arena_clear(&knot.memory);
}

static void untie_all(struct task *task)
{
    struct dg_csr members;

    dg_csr_by_key(&members, task->component_of, task->graph->n_nodes,
                  task->n_components, &task->memory);
    for (uint32_t c = 0; c < task->n_components; c++) {
        const uint32_t *nodes = members.items + members.begins[c];
        uint32_t n = members.begins[c + 1] - members.begins[c];
        bool is_one = true;

        for (uint32_t i = 1; i < n && is_one; i++)
            is_one = task->bound_to[nodes[i]] != DG_NO_PART &&
                     task->bound_to[nodes[i]] == task->bound_to[nodes[0]];
        if (!is_one)
            untie(task, nodes, n);
    }
}

/* What is given stays where one of its readers is, or goes with the first of them. */
static void follow_readers(struct task *task)
{
    const struct dg_graph *graph = task->graph;

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        uint32_t tag = task->tag_of[node], first = DG_NO_PART;
        bool stays = false;

        if (tag == DG_NO_PART || !is_given(task, node))
            continue;
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            uint32_t user = graph->users[k];

            if (task->tag_of[user] != tag)
                continue;
            stays = stays || task->part_of[user] == tag;
            first = first == DG_NO_PART ? task->part_of[user] : first;
        }
        task->part_of[node] = stays || first == DG_NO_PART ? tag : first;
    }
}

static void open_task(struct task *task, uint32_t n_nodes, struct dg_arena *out)
{
    size_t n_parts = (size_t)n_nodes + task->n_tags;

    task->bound_to = dg_alloc(&task->memory, n_nodes, sizeof(uint32_t));
    task->component_of = dg_alloc(&task->memory, n_nodes, sizeof(uint32_t));
    task->local = dg_alloc(&task->memory, n_nodes, sizeof(uint32_t));
    task->part_of = dg_alloc(out, n_nodes, sizeof(uint32_t));
    task->type_of_tag = dg_alloc(&task->memory, task->n_tags, sizeof(uint32_t));
    task->tag_of_type = dg_alloc(&task->memory, task->n_tags, sizeof(uint32_t));
    task->from = dg_alloc(out, n_parts, sizeof(uint32_t));
    task->n_parts = task->n_tags;
    for (uint32_t tag = 0; tag < task->n_tags; tag++) {
        task->type_of_tag[tag] = DG_NO_PART;
        task->from[tag] = tag;
    }
    for (uint32_t node = 0; node < n_nodes; node++)
        task->part_of[node] = task->tag_of[node];
}

void dg_partition_repair(struct dg_partitions *out, uint32_t **from,
                         const struct dg_graph *graph, const uint16_t *marks,
                         const uint32_t *tag_of, uint32_t n_tags)
{
    struct task task = {
        .graph = graph, .marks = marks, .tag_of = tag_of, .n_tags = n_tags};

    *out = (struct dg_partitions){0};
    open_task(&task, graph->n_nodes, &out->memory);
    find_components(&task);
    untie_all(&task);
    follow_readers(&task);
    out->part_of = task.part_of;
    *from = task.from;
    dg_list_parts(out, task.n_parts, graph, marks, false);
    dg_arena_clear(&task.memory);
}
