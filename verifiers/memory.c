/* The memory plan of a method: where tensors lie, and for how long. */
#include "verifiers/verifier.h"

#include "base/text.h"
#include "graph/live.h"

enum { MAX_FINDINGS = 20 }; /* of an arena */

/* A rule at work on one method. */
struct check {
    const struct dg_findings *found;
    struct dg_live *live;
    int64_t arena;
    uint32_t n_found; /* in this arena */
    enum dg_status status;
    struct dg_error *err;
};

static void write_nodes(struct dg_writer *out, const uint32_t *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dg_print(out, "%s\"op_%u\"", i ? "," : "[", nodes[i]);
    dg_print(out, "]");
}

static void print_bytes(struct dg_writer *out, const struct dg_plan_value *value)
{
    dg_print(out, "%lld..%lld", (long long)value->begin, (long long)value->end);
}

static void print_variable(struct dg_writer *out, const struct check *check,
                           uint32_t variable)
{
    const struct dg_live_variable *one = &check->live->variables[variable];
    const struct dg_plan_value *values = check->live->plan->values;

    dg_print(out, "value %lld", (long long)values[one->value].idx);
    if (one->via != DG_PLAN_NONE)
        dg_print(out, " (moved to value %lld)", (long long)values[one->via].idx);
    dg_print(out, ", bytes ");
    print_bytes(out, &values[one->value]);
}

static int report(struct check *check, struct dg_finding *finding,
                  struct dg_writer *message, struct dg_writer *witness)
{
    finding->message = (struct dg_text){message->data, message->size};
    if (witness->size)
        finding->witness = (struct dg_text){witness->data, witness->size};
    check->status = dg_find(check->found, finding, check->err);
    dg_writer_clear(message);
    dg_writer_clear(witness);
    return check->status;
}

static int count_rest(struct check *check)
{
    struct dg_writer message = {0}, witness = {0};
    struct dg_finding finding = {.graph = check->live->plan->graph_id};

    if (check->n_found <= MAX_FINDINGS || check->status)
        return check->status;
    dg_print(&message, "%u more overlaps in arena %lld", check->n_found - MAX_FINDINGS,
             (long long)check->arena);
    return report(check, &finding, &message, &witness);
}

static void write_overlap(struct dg_writer *witness, const struct dg_overlap *overlap)
{
    uint32_t nodes[3], n = 0;

    if (overlap->begin < overlap->node)
        nodes[n++] = overlap->begin;
    nodes[n++] = overlap->node;
    if (overlap->end > overlap->node)
        nodes[n++] = overlap->end;
    write_nodes(witness, nodes, n);
}

static int find_overlap(void *context, const struct dg_overlap *overlap)
{
    struct check *check = context;
    const struct dg_plan *plan = check->live->plan;
    const struct dg_live_variable *variables = check->live->variables;
    const struct dg_plan_value *writer =
        &plan->values[variables[overlap->writer].value];
    struct dg_writer message = {0}, witness = {0};
    struct dg_finding finding = {.node = plan->first_id + overlap->node,
                                 .value = writer->id};

    if (writer->arena != check->arena) {
        if (count_rest(check))
            return check->status;
        check->arena = writer->arena;
        check->n_found = 0;
    }
    if (++check->n_found > MAX_FINDINGS)
        return 0;
    dg_print(&message, "op_%u writes ", overlap->node);
    print_variable(&message, check, overlap->writer);
    dg_print(&message, " of arena %lld, over ", (long long)check->arena);
    print_variable(&message, check, overlap->victim);
    dg_print(&message, ", which is live from op_%u to op_%u", overlap->begin,
             overlap->end);
    write_overlap(&witness, overlap);
    return report(check, &finding, &message, &witness);
}

static int give_up(struct check *check)
{
    struct dg_writer message = {0}, witness = {0};
    struct dg_finding finding = {.graph = check->live->plan->graph_id,
                                 .severity = "note"};

    dg_print(&message, "the method has too many jumps and values to be checked");
    return report(check, &finding, &message, &witness);
}

static void find_overlaps(struct check *check)
{
    check->arena = -1;
    check->n_found = 0;
    if (check->live->too_large) {
        give_up(check);
        return;
    }
    dg_live_overlaps(check->live, find_overlap, check);
    count_rest(check);
}

static int find_undefined(struct check *check, const struct dg_live_place *place)
{
    const struct dg_plan *plan = check->live->plan;
    const struct dg_plan_value *value = &plan->values[place->of];
    struct dg_writer message = {0}, witness = {0};
    struct dg_finding finding = {.node = plan->first_id + place->node,
                                 .value = value->id};
    const uint32_t *path;
    size_t length;

    path = dg_live_path(check->live, place->of, place->node, &length);
    dg_print(&message, "op_%u reads value %lld, bytes ", place->node,
             (long long)value->idx);
    print_bytes(&message, value);
    dg_print(&message, " of arena %lld, which nothing has written on a way there",
             (long long)value->arena);
    write_nodes(&witness, path, length);
    return report(check, &finding, &message, &witness);
}

static void find_all_undefined(struct check *check)
{
    if (check->live->too_large)
        give_up(check);
    for (uint32_t i = 0; i < check->live->n_undefined && !check->status; i++)
        find_undefined(check, &check->live->undefined[i]);
}

static enum dg_status check_method(const struct dg_findings *found, int64_t graph,
                                   void (*look)(struct check *), struct dg_error *err)
{
    struct dg_plan plan;
    struct dg_live live = {0};
    struct check check = {.found = found, .live = &live, .err = err};

    check.status = dg_plan_load(&plan, found->store, graph, err);
    if (!check.status) {
        dg_live_find(&live, &plan);
        look(&check);
    }
    dg_live_clear(&live);
    dg_plan_clear(&plan);
    return check.status;
}

static enum dg_status each_method(const struct dg_findings *found,
                                  void (*look)(struct check *), struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, found->store,
        "SELECT \"graph\".id FROM \"graph\" JOIN method ON method.id = method_id"
        " WHERE ir = 'pte' ORDER BY 1",
        err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows))
        status = check_method(found, dg_rows_int(&rows, 0), look, err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status check_overlap(const struct dg_findings *found,
                                    struct dg_error *err)
{
    return each_method(found, find_overlaps, err);
}

static enum dg_status check_defined(const struct dg_findings *found,
                                    struct dg_error *err)
{
    return each_method(found, find_all_undefined, err);
}

static const struct dg_rule rules[] = {
    {
        .name = "extent",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "planned tensors lie inside their arena",
        .reason = "the runtime fails, or tensors lie outside of all memory",
        .fix = "plan memory again; a pass that changed sizes afterwards is the cause",
        .issue = "#21958",
        .level = "pte",
        .query = "SELECT v.id AS value, printf('value %lld spans %lld..%lld of arena"
                 " %lld, which has %lld bytes', v.idx, mem_offset, mem_offset + nbytes,"
                 " mem_id, arena.size_bytes) AS message"
                 "  FROM value AS v JOIN \"graph\" AS g ON g.id = v.graph_id"
                 "  JOIN arena ON arena.method_id = g.method_id AND arena.idx = mem_id"
                 " WHERE mem_id > 0 AND nbytes IS NOT NULL"
                 "   AND mem_offset NOT BETWEEN 0 AND arena.size_bytes - nbytes"
                 " ORDER BY v.id",
    },
    {
        .name = "reserved-zero",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "arena 0 is reserved and empty, and no arena has a negative size",
        .reason =
            "the runtime refuses negative sizes; other tools take arena 0 for one "
            "that is used",
        .fix = "plan memory again",
        .level = "pte",
        .query = "SELECT method_id AS method, printf('arena %lld has %lld bytes', idx,"
                 " size_bytes) AS message,"
                 " iif(size_bytes < 0, 'error', 'warning') AS severity FROM arena"
                 " WHERE (idx = 0 AND size_bytes <> 0) OR size_bytes < 0"
                 " ORDER BY method_id, idx",
    },
    {
        .name = "no-live-overlap",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "planned tensors that are alive together do not share bytes",
        .reason = "one overwrites the other, and the results are wrong",
        .fix = "plan memory again; control flow and in-place passes are common causes",
        .issue = "#21490",
        .level = "pte",
        .check = check_overlap,
    },
    {
        .name = "use-before-def",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what an instruction reads was written before, on every way there",
        .reason = "it reads what happens to lie in memory",
        .fix = "export again; a buffer that is taken for a constant is a common cause",
        .issue = "#21855",
        .level = "pte",
        .check = check_defined,
    },
    {0},
};

const struct dg_verifier dg_verifier_memory = {"memory", rules};
