/* Several backends: each call goes to one that takes it, in as few partitions as can be
 * found, or as partitioners do that run one after another. */
#include "graph/components.h"
#include "partition/condense.h"
#include "partition/steps.h"
#include "partition/typed_fusion.h"

/* Getitems go where their producer is, as they do in the end. */
struct task {
    const struct dg_graph *graph;
    const uint16_t *marks;
    const uint32_t *takes; /* of each supported node: its backends */
    uint32_t n_backends;
    uint32_t *producer;      /* of each node: whose item it is, else the node */
    struct dg_arena memory;  /* of the plans */
    struct dg_arena scratch; /* of one pass */
};

/* Parts of nodes, and the backend of each part. */
struct plan {
    uint32_t *part_of; /* of each node, or DG_NO_PART */
    uint32_t *backend_of, n_parts;
};

static void find_producers(struct task *task)
{
    uint32_t n = task->graph->n_nodes;

    task->producer = dg_alloc(&task->memory, n, sizeof(*task->producer));
    for (uint32_t node = 0; node < n; node++) {
        uint32_t from = dg_producer(task->graph, task->marks, node);

        if (from == node || task->marks[from] & DG_MARK_PLACEHOLDER)
            task->producer[node] = node;
        else
            task->producer[node] = task->producer[from];
    }
}

/* A vertex for each part of `plan`, then one for each other node. */
static uint32_t *number_vertices(struct task *task, const struct plan *plan,
                                 uint32_t *n)
{
    uint32_t n_nodes = task->graph->n_nodes;
    uint32_t *vertex_of = dg_alloc(&task->scratch, n_nodes, sizeof(*vertex_of));

    *n = plan->n_parts;
    for (uint32_t node = 0; node < n_nodes; node++) {
        uint32_t from = task->producer[node];

        if (plan->part_of[from] != DG_NO_PART)
            vertex_of[node] = plan->part_of[from];
        else
            vertex_of[node] = from == node ? (*n)++ : vertex_of[from];
    }
    return vertex_of;
}

/* Of each vertex which of `backends` may take it, as a kind: a set of them. */
static void find_kinds(struct dg_typed_graph *out, struct task *task,
                       const struct plan *plan, const uint32_t *vertex_of,
                       uint32_t backends)
{
    uint32_t *kind_of = dg_alloc(&task->scratch, out->n_vertices, sizeof(*kind_of));
    struct dg_int_set sets = {0};

    for (uint32_t v = 0; v < out->n_vertices; v++)
        kind_of[v] = DG_NO_PART;
    for (uint32_t node = 0; node < task->graph->n_nodes; node++) {
        uint32_t set = task->takes[node] & backends;

        if (set && task->marks[node] & DG_MARK_SUPPORTED &&
            task->producer[node] == node && plan->part_of[node] == DG_NO_PART)
            kind_of[vertex_of[node]] = dg_int_set_add(&sets, set);
    }
    out->kind_of = kind_of;
    out->n_kinds = (uint32_t)sets.n_values;
    out->n_types = task->n_backends;
    out->types.begins =
        dg_alloc(&task->scratch, (size_t)out->n_kinds + 1, sizeof(uint32_t));
    out->types.items =
        dg_alloc(&task->scratch, (size_t)out->n_kinds * out->n_types, sizeof(uint32_t));
    for (uint32_t kind = 0, n = 0; kind < out->n_kinds; kind++) {
        for (uint32_t b = 0; b < out->n_types; b++) {
            if (sets.values[kind] >> b & 1)
                out->types.items[n++] = b;
        }
        out->types.begins[kind + 1] = n;
    }
    dg_int_set_clear(&sets);
}

/* What some backends take of what is in no part yet becomes parts, too; they are as
 * full as they can be from the beginning, or from the end. */
static void add_parts(struct plan *plan, struct task *task, uint32_t backends,
                      bool backwards)
{
    struct dg_typed_graph typed = {0};
    struct dg_typed_groups groups = {0};
    struct dg_csr users;
    uint32_t *vertex_of = number_vertices(task, plan, &typed.n_vertices);

    dg_contract_edges(&users, task->graph, vertex_of, typed.n_vertices, backwards, NULL,
                      0, &task->scratch);
    typed.user_of = users.begins;
    typed.users = users.items;
    find_kinds(&typed, task, plan, vertex_of, backends);
    dg_fuse_types(&groups, &typed, DG_BEAM, &task->scratch);
    for (uint32_t node = 0; node < task->graph->n_nodes; node++) {
        uint32_t group = groups.group_of[vertex_of[node]];

        if (group != DG_NO_PART)
            plan->part_of[node] = plan->n_parts + group;
    }
    for (uint32_t group = 0; group < groups.n_groups; group++)
        plan->backend_of[plan->n_parts++] = groups.type_of[group];
    dg_arena_clear(&task->scratch);
}

static struct plan new_plan(struct task *task)
{
    uint32_t n = task->graph->n_nodes;
    struct plan plan = {.part_of = dg_alloc(&task->memory, n, sizeof(uint32_t)),
                        .backend_of = dg_alloc(&task->memory, n, sizeof(uint32_t))};

    for (uint32_t node = 0; node < n; node++)
        plan.part_of[node] = DG_NO_PART;
    return plan;
}

/* Parts in the order in which they can run, and heights of nodes for
 * dg_finish_levels(). */
static void order_parts(uint32_t *height_of, uint32_t *backend_of, struct task *task,
                        const struct plan *plan)
{
    struct dg_csr users;
    uint32_t n_vertices, *vertex_of = number_vertices(task, plan, &n_vertices);
    uint32_t *component_of =
        dg_alloc(&task->scratch, n_vertices, sizeof(*component_of));
    uint32_t *part_at = dg_alloc(&task->scratch, n_vertices, sizeof(*part_at));
    uint32_t *place_of = dg_alloc(&task->scratch, plan->n_parts, sizeof(*place_of));
    uint32_t n = 0;

    dg_contract_edges(&users, task->graph, vertex_of, n_vertices, false, NULL, 0,
                      &task->scratch);
    dg_components(component_of, n_vertices, users.begins, users.items);
    for (uint32_t part = 0; part < plan->n_parts; part++)
        part_at[component_of[part]] = part + 1;
    for (uint32_t v = n_vertices; v-- > 0;) {
        if (!part_at[v])
            continue;
        place_of[part_at[v] - 1] = n;
        backend_of[n++] = plan->backend_of[part_at[v] - 1];
    }
    for (uint32_t node = 0; node < task->graph->n_nodes; node++)
        height_of[node] = plan->part_of[node] == DG_NO_PART
                              ? 0
                              : 2 * (n - 1 - place_of[plan->part_of[node]]) + 1;
    dg_arena_clear(&task->scratch);
}

void dg_partition_multi(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, const uint32_t *takes,
                        uint32_t n_backends, bool no_single, struct dg_multi *told)
{
    struct task task = {
        .graph = graph, .marks = marks, .takes = takes, .n_backends = n_backends};
    struct plan joint, stacked;

    *out = (struct dg_partitions){0};
    find_producers(&task);
    joint = new_plan(&task);
    stacked = new_plan(&task);
    add_parts(&joint, &task, UINT32_MAX, false);
    /* One after another they go from the end, as ExecuTorch's do. */
    for (uint32_t b = 0; b < n_backends; b++)
        add_parts(&stacked, &task, (uint32_t)1 << b, true);
    told->n_joint = joint.n_parts;
    told->n_stacked = stacked.n_parts;
    if (stacked.n_parts <= joint.n_parts)
        joint = stacked;
    out->part_of = dg_alloc(&out->memory, graph->n_nodes, sizeof(*out->part_of));
    told->backend_of = dg_alloc(&out->memory, joint.n_parts, sizeof(uint32_t));
    order_parts(out->part_of, told->backend_of, &task, &joint);
    dg_finish_levels(out, graph, marks, no_single);
    dg_arena_clear(&task.memory);
}
