/* Calls of kernels that refuse them, by what is known of sizes, types and dim orders.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/infer.h"
#include "graph/model.h"
#include "verifiers/plan_parts.h"
#include "verifiers/plan_values.h"

struct fault {
    enum dg_misfit misfit;
    int64_t node;
    struct dg_text why;
};

/* What one look finds, for several rules. */
struct scan {
    struct fault *faults;
    size_t n_faults;
    struct dg_arena memory;
};

struct scanner {
    struct scan *scan;
    struct dg_store *store;
    const struct dg_model *model;
    const struct dg_infer_op **ops; /* by row of op */
    const char **names;
    size_t n_ops;
    struct dg_plan_values values;
    struct dg_arena memory; /* of ops */
    struct dg_arena call;   /* of the newest calls: emptied now and then */
    size_t n_calls;
    struct dg_error *err;
};

enum { CALLS_BETWEEN = 256, MOST_SAID = 400 };

static void release(void *object)
{
    struct scan *scan = object;

    free(scan->faults);
    dg_arena_clear(&scan->memory);
    free(scan);
}

struct call {
    int64_t node;
    uint32_t op;
    struct dg_known *operands;
    size_t n;
};

static void check_call(struct scanner *scanner, struct call *call)
{
    const struct dg_infer_op *op = scanner->ops[call->op];
    struct dg_writer why = {.most = MOST_SAID};
    enum dg_misfit misfit = DG_FITS;
    struct dg_arena *memory = &scanner->scan->memory;

    if (call->n >= dg_infer_operands(op))
        misfit = dg_infer_check(&why, op, call->operands);
    if (misfit)
        *DG_APPEND(scanner->scan->faults, scanner->scan->n_faults) =
            (struct fault){misfit, call->node,
                           dg_format(memory, "%s %s", scanner->names[call->op],
                                     why.data ? why.data : "refuses its operands")};
    dg_writer_clear(&why);
    if (++scanner->n_calls % CALLS_BETWEEN == 0)
        dg_arena_clear(&scanner->call);
}

static void check_calls(struct scanner *scanner, int64_t graph)
{
    const struct dg_model *model = scanner->model;
    struct dg_model_graph method = dg_model_graph_at(model, graph);
    struct call call = {0};

    for (uint32_t i = method.first; i < method.first + method.n_nodes; i++) {
        const struct dg_model_node *node = &model->nodes[i];

        if (node->kind != DG_NODE_KERNEL_CALL || node->op >= scanner->n_ops ||
            !scanner->ops[node->op])
            continue;
        call.node = (int64_t)i + 1;
        call.op = node->op;
        call.n = 0;
        for (uint32_t k = model->operand_of[i]; k < model->operand_of[i + 1]; k++)
            dg_plan_know(DG_APPEND(call.operands, call.n), &scanner->values,
                         model->operands[k].idx, &scanner->call);
        check_call(scanner, &call);
    }
    free(call.operands);
}

static enum dg_status scan_method(struct scanner *scanner, int64_t graph)
{
    enum dg_status status =
        dg_plan_values_read(&scanner->values, scanner->store, graph, scanner->err);

    if (!status)
        check_calls(scanner, graph);
    dg_plan_values_clear(&scanner->values);
    return status;
}

/* *any: the store calls an operator that something is known of. */
static enum dg_status read_ops(struct scanner *scanner, bool *any)
{
    struct dg_rows rows = dg_rows_all(
        scanner->store, "SELECT id, name FROM op ORDER BY id DESC", scanner->err);

    while (dg_rows_next(&rows)) {
        size_t id = (size_t)dg_rows_int(&rows, 0);
        struct dg_text name = dg_rows_slice(&rows, 1);
        const struct dg_op *op = dg_op_find(name.data, name.size);

        if (!scanner->ops) {
            scanner->n_ops = id + 1;
            scanner->ops = dg_alloc(&scanner->memory, id + 1, sizeof(*scanner->ops));
            scanner->names =
                dg_alloc(&scanner->memory, id + 1, sizeof(*scanner->names));
        }
        scanner->names[id] = dg_copy(&scanner->memory, name);
        scanner->ops[id] = op ? dg_infer_op(op, &scanner->memory) : NULL;
        *any |= scanner->ops[id] != NULL;
    }
    return dg_rows_close(&rows, DG_OK, scanner->err);
}

static enum dg_status scan_methods(struct scanner *scanner)
{
    struct dg_rows rows = dg_rows_all(
        scanner->store,
        "SELECT g.id FROM \"graph\" AS g JOIN method ON method.id = method_id"
        " WHERE ir = 'pte' ORDER BY g.id",
        scanner->err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = scan_method(scanner, dg_rows_int(&rows, 0));
    return dg_rows_close(&rows, status, scanner->err);
}

static enum dg_status scan_store(struct scan **out, struct dg_store *store,
                                 struct dg_error *err)
{
    struct scanner scanner = {.store = store, .err = err};
    enum dg_status status;
    bool any = false;

    *out = dg_store_kept(store, release);
    if (*out)
        return DG_OK;
    scanner.scan = calloc(1, sizeof(*scanner.scan));
    if (!scanner.scan)
        dg_out_of_memory();
    status = read_ops(&scanner, &any);
    if (!status && any)
        status = dg_model_read(&scanner.model, store, err);
    if (!status && any)
        status = scan_methods(&scanner);
    dg_arena_clear(&scanner.memory);
    dg_arena_clear(&scanner.call);
    if (status) {
        release(scanner.scan);
        return status;
    }
    dg_store_keep(store, scanner.scan, release);
    *out = scanner.scan;
    return DG_OK;
}

/* Which misfit a rule is about. */
static const struct {
    const char *rule;
    enum dg_misfit misfit;
} misfits[] = {
    {"op-operands", DG_MISFIT_OPERANDS},
    {"op-sizes", DG_MISFIT_SIZES},
    {"op-dtypes", DG_MISFIT_TYPE},
    {"dim-order-propagates", DG_MISFIT_ORDER},
};

enum dg_status dg_check_inferred(const struct dg_findings *found, struct dg_error *err)
{
    struct scan *scan;
    enum dg_status status = scan_store(&scan, found->store, err);
    size_t i = 0;

    while (strcmp(misfits[i].rule, found->rule->name))
        i++;
    for (size_t k = 0; !status && k < scan->n_faults; k++) {
        struct dg_finding finding = {.node = scan->faults[k].node,
                                     .message = scan->faults[k].why};

        if (scan->faults[k].misfit == misfits[i].misfit)
            status = dg_find(found, &finding, err);
    }
    return status;
}
