/* The installed interface: partitions of a graph that the caller has as arrays. */
#include "api.h"

#include "base/csr.h"
#include "partition/partition.h"

struct job {
    const struct delegraph_graph *graph;
    enum delegraph_partitioner partitioner;
    bool no_single;
    struct delegraph_partitions *out;
};

static enum dg_status check_begins(const unsigned *begins, unsigned n_nodes,
                                   const char *name, struct dg_error *err)
{
    if (begins[0])
        return dg_fail(err, DG_ERR_USAGE, "%s[0] is %u, expected 0", name, begins[0]);
    for (unsigned i = 0; i < n_nodes; i++)
        if (begins[i + 1] < begins[i])
            return dg_fail(err, DG_ERR_USAGE, "%s[%u] is %u, less than the one before",
                           name, i + 1, begins[i + 1]);
    return DG_OK;
}

static enum dg_status check_inputs(const struct delegraph_graph *graph,
                                   struct dg_error *err)
{
    enum dg_status status =
        check_begins(graph->input_of, graph->n_nodes, "input_of", err);

    for (unsigned i = 0; i < graph->n_nodes && !status; i++)
        for (unsigned k = graph->input_of[i]; k < graph->input_of[i + 1]; k++)
            if (graph->marks[i] & DELEGRAPH_PLACEHOLDER)
                return dg_fail(err, DG_ERR_USAGE,
                               "node %u is a placeholder and reads node %u", i,
                               graph->inputs[k]);
            else if (graph->inputs[k] >= i)
                return dg_fail(err, DG_ERR_USAGE,
                               "node %u reads node %u, which does not come before it",
                               i, graph->inputs[k]);
    return status;
}

/* `met` has the last node for which each was met as a reader. */
static enum dg_status check_users_of(const struct delegraph_graph *graph, unsigned node,
                                     const struct dg_csr *readers, unsigned *met,
                                     struct dg_error *err)
{
    unsigned n_readers = 0, begin = graph->user_of[node],
             end = graph->user_of[node + 1];

    for (unsigned k = readers->begins[node]; k < readers->begins[node + 1]; k++) {
        n_readers += met[readers->items[k]] != node + 1;
        met[readers->items[k]] = node + 1;
    }
    for (unsigned k = begin; k < end; k++) {
        unsigned user = graph->users[k];

        if (user >= graph->n_nodes || met[user] != node + 1)
            return dg_fail(err, DG_ERR_USAGE,
                           "node %u is no user of node %u, or is listed twice", user,
                           node);
        met[user] = 0;
    }
    return end - begin == n_readers
               ? DG_OK
               : dg_fail(err, DG_ERR_USAGE, "node %u has %u users, %u are listed", node,
                         n_readers, end - begin);
}

static enum dg_status check_users(const struct delegraph_graph *graph,
                                  struct dg_arena *scratch, struct dg_error *err)
{
    struct dg_csr inputs = {(uint32_t *)graph->input_of, (uint32_t *)graph->inputs};
    struct dg_csr readers;
    unsigned *met = dg_alloc(scratch, graph->n_nodes, sizeof(*met));
    enum dg_status status =
        check_begins(graph->user_of, graph->n_nodes, "user_of", err);

    if (status)
        return status;
    dg_csr_transpose(&readers, &inputs, graph->n_nodes, graph->n_nodes, scratch);
    for (unsigned node = 0; node < graph->n_nodes && !status; node++)
        status = check_users_of(graph, node, &readers, met, err);
    return status;
}

static uint16_t *marks_of(const struct delegraph_graph *graph, struct dg_arena *memory)
{
    static const uint16_t ours[] = {DG_MARK_SUPPORTED,      DG_MARK_CALL,
                                    DG_MARK_GETITEM,        DG_MARK_TRANSPARENT,
                                    DG_MARK_ALLOWED_SINGLE, DG_MARK_PLACEHOLDER};
    uint16_t *marks = dg_alloc(memory, graph->n_nodes, sizeof(*marks));

    for (unsigned i = 0; i < graph->n_nodes; i++)
        for (unsigned bit = 0; bit < sizeof(ours) / sizeof(*ours); bit++)
            if (graph->marks[i] & 1u << bit)
                marks[i] |= ours[bit];
    return marks;
}

static void give(struct delegraph_partitions *out, const struct dg_partitions *found,
                 unsigned n_nodes)
{
    unsigned n = 0;

    out->n_partitions = found->n_parts;
    out->endless = found->endless;
    out->begins[0] = 0;
    for (unsigned p = 0; p < found->n_parts; p++) {
        out->ids[p] = found->parts[p].id;
        for (unsigned k = found->parts[p].begin; k < found->parts[p].end; k++)
            out->nodes[n++] = found->nodes[k];
        out->begins[p + 1] = n;
    }
    for (unsigned i = 0; i < n_nodes; i++)
        out->moved[i] = found->moved && found->moved[i];
}

static struct dg_groups groups_of(const struct delegraph_graph *graph,
                                  struct dg_arena *memory)
{
    struct dg_groups groups = {
        graph->group_of ? graph->n_groups : 0,
        dg_alloc(memory, graph->n_nodes, sizeof(*groups.group_of))};

    for (unsigned i = 0; i < graph->n_nodes; i++)
        groups.group_of[i] = groups.n_groups && graph->group_of[i] < groups.n_groups
                                 ? graph->group_of[i]
                                 : DG_NO_PART;
    return groups;
}

static void run(struct dg_partitions *found, const struct job *job,
                const struct dg_graph *graph, const uint16_t *marks,
                struct dg_arena *scratch)
{
    struct dg_groups groups;
    uint32_t n_dissolved;

    switch (job->partitioner) {
    case DELEGRAPH_SKIP_HORIZONTAL:
        dg_partition_skip_horizontal(found, graph, marks, job->no_single);
        break;
    case DELEGRAPH_GROUP:
        groups = groups_of(job->graph, scratch);
        dg_partition_group(found, graph, marks, &groups, job->no_single);
        break;
    case DELEGRAPH_VALID:
        groups = groups_of(job->graph, scratch);
        dg_partition_valid(found, graph, marks, &groups, job->no_single, &n_dissolved);
        break;
    default:
        dg_partition_torch(found, graph, marks, job->no_single);
    }
}

static void partition(const struct job *job, struct dg_arena *scratch)
{
    /* Partitioners only read it. */
    const struct dg_graph graph = {
        .n_nodes = job->graph->n_nodes,
        .n_edges = job->graph->input_of[job->graph->n_nodes],
        .input_of = (uint32_t *)job->graph->input_of,
        .inputs = (uint32_t *)job->graph->inputs,
        .user_of = (uint32_t *)job->graph->user_of,
        .users = (uint32_t *)job->graph->users,
    };
    uint16_t *marks = marks_of(job->graph, scratch);
    struct dg_partitions found;
    struct dg_partitions_verdict verdict;

    run(&found, job, &graph, marks, scratch);
    dg_verify_partitions(&verdict, scratch, &graph, marks, &found);
    give(job->out, &found, graph.n_nodes);
    job->out->cyclic = !verdict.acyclic;
    dg_partitions_clear(&found);
}

static enum dg_status work(void *context, struct dg_error *err)
{
    const struct job *job = context;
    struct dg_arena scratch = {0};
    enum dg_status status = check_inputs(job->graph, err);

    job->out->n_partitions = 0;
    if (!status && job->graph->group_of && job->graph->n_groups > job->graph->n_nodes)
        status = dg_fail(err, DG_ERR_USAGE, "%u groups of %u nodes",
                         job->graph->n_groups, job->graph->n_nodes);
    if (!status && job->partitioner > DELEGRAPH_VALID)
        status = dg_fail(err, DG_ERR_USAGE, "there is no partitioner %u",
                         (unsigned)job->partitioner);
    if (!status)
        status = check_users(job->graph, &scratch, err);
    if (!status)
        partition(job, &scratch);
    dg_arena_clear(&scratch);
    return status;
}

int delegraph_partition(const struct delegraph_graph *graph,
                        enum delegraph_partitioner partitioner,
                        int allows_single_node_partition,
                        struct delegraph_partitions *out, char *error,
                        unsigned long error_size)
{
    struct job job = {graph, partitioner, !allows_single_node_partition, out};

    return dg_api_call(work, &job, error, error_size);
}
