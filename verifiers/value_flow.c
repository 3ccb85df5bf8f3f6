/* Values that nothing uses, and results whose sizes do not follow their operands. */
#include "verifiers/value_parts.h"
#include "verifiers/value_scan.h"

#include <string.h>

#include "base/ops.h"
#include "base/text.h"
#include "graph/model.h"

enum { NAMED_VALUES = 5 };

/* NULL: there is no such value. */
static uint8_t *state_of(const struct dg_value_scan *scan, int64_t value)
{
    return value > 0 && (uint64_t)value <= scan->values->n_rows
               ? &scan->states[value - 1]
               : NULL;
}

static void use(const struct dg_value_scan *scan, int64_t value)
{
    uint8_t *state = state_of(scan, value);

    if (state)
        *state |= DG_VALUE_USED;
}

/* Not worth a word: num_batches_tracked of a batch norm, frequencies of a rotary
 * embedding. */
static void use_small_constants(const struct dg_value_scan *scan)
{
    const struct dg_model_values *values = scan->values;

    for (size_t i = 0; values->items && i < values->n_rows; i++) {
        const struct dg_model_value *value = &values->items[i];

        if (value->storage == DG_STORED_CONSTANT && value->nbytes != DG_NONE &&
            value->nbytes < 1024)
            scan->states[i] |= DG_VALUE_USED;
    }
}

static enum dg_status use_signature(const struct dg_value_scan *scan,
                                    struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        store,
        "SELECT DISTINCT value_id FROM signature WHERE value_id IS NOT NULL ORDER BY 1",
        err);

    while (dg_rows_next(&rows))
        use(scan, dg_rows_int(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

static void use_operands(const struct dg_value_scan *scan, const struct dg_model *model)
{
    for (uint32_t k = 0; k < model->n_operands; k++)
        use(scan, model->operands[k].value);
}

static void name_unused(struct dg_writer *out, const struct dg_value_scan *scan,
                        const struct dg_value_graph *graph, struct dg_finding *finding)
{
    size_t n = 0;

    for (size_t i = 0; i < graph->n; i++) {
        if (scan->states[graph->first + i] & (DG_VALUE_LISTED | DG_VALUE_USED))
            continue;
        if (!n++)
            finding->value = (int64_t)(graph->first + i) + 1;
        if (n <= NAMED_VALUES)
            dg_print(out, "%s%zu", n > 1 ? ", " : "", i);
    }
    dg_print(out, "%s: %zu of %zu", n > NAMED_VALUES ? ", ..." : "", n, graph->n);
}

static enum dg_status find_unused(const struct dg_findings *found,
                                  const struct dg_value_scan *scan,
                                  const struct dg_value_graph *graph,
                                  struct dg_error *err)
{
    struct dg_finding finding = {.graph = graph->id};
    struct dg_writer message = {0};
    enum dg_status status = DG_OK;

    dg_print(&message, "nothing uses values ");
    name_unused(&message, scan, graph, &finding);
    finding.message = dg_written(&message);
    if (finding.value)
        status = dg_find(found, &finding, err);
    dg_writer_clear(&message);
    return status;
}

enum dg_status dg_check_value_unused(const struct dg_findings *found,
                                     struct dg_error *err)
{
    const struct dg_value_scan *scan;
    const struct dg_model *model;
    enum dg_status status = dg_value_scan(&scan, found->store, err);

    if (!status)
        status = dg_model_read(&model, found->store, err);
    if (!status)
        status = use_signature(scan, found->store, err);
    if (status)
        return status;
    use_operands(scan, model);
    use_small_constants(scan);
    for (size_t i = 0; i < scan->values->n_graphs && !status; i++)
        if (scan->values->graphs[i].is_pte)
            status = find_unused(found, scan, &scan->values->graphs[i], err);
    return status;
}

/* A node that reads a bounded tensor and writes a static one. 0: not yet. */
struct suspect {
    int64_t node, read, position, written;
    uint8_t *updated; /* the state of a bounded tensor that it updates */
    bool returns;
};

static const char suspect_sql[] =
    "SELECT printf('reads value %lld, sizes %s at most, and writes value %lld, whose"
    " sizes %s are static', r.idx, r.shape, w.idx, w.shape), op.name, op.flags"
    "  FROM node JOIN op ON op.id = node.op_id JOIN value AS r ON r.id = ?2"
    "  JOIN value AS w ON w.id = ?3 WHERE node.id = ?1 AND node.kind = 'kernel_call'";

static bool is_pointwise(const char *name, size_t size)
{
    const struct dg_op *op = dg_op_find(name, size);

    return op && op->flags & DG_OP_POINTWISE;
}

static bool follows(const char *name, int64_t position)
{
    static const struct {
        const char *op;
        int64_t operand;
    } followers[] = {
#define FOLLOWER(op, operand) {op, operand},
#include "verifiers/followers.def"
    };
    size_t size = strcspn(name, ".");

    for (size_t i = 0; i < sizeof(followers) / sizeof(*followers); i++) {
        if (position == followers[i].operand && strlen(followers[i].op) == size &&
            !memcmp(name, followers[i].op, size))
            return true;
    }
    return false;
}

/* Whether the result of a kernel has the sizes of what it reads, or what these and
 * others broadcast to. Many `.out` overloads lack the tag of their functional twins. */
static bool keeps_sizes(const char *name, int64_t flags)
{
    static const char *const others[] = {
        "aten::_softmax.out", "aten::_log_softmax.out", "aten::clone.out",
        "dim_order_ops::_to_dim_order_copy.out", "dim_order_ops::_clone_dim_order.out"};
    size_t size = strlen(name);

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (!strcmp(name, others[i]))
            return true;
    }
    return flags & DG_OP_POINTWISE || (size > 4 && !strcmp(name + size - 3, "out") &&
                                       is_pointwise(name, size - 4));
}

static enum dg_status find_suspect(const struct dg_findings *found,
                                   struct dg_rows *detail,
                                   const struct suspect *suspect, struct dg_error *err)
{
    struct dg_finding finding = {.node = suspect->node, .value = suspect->written};
    enum dg_status status = DG_OK;

    if (!suspect->read || !suspect->written)
        return DG_OK;
    dg_rows_bind_int(detail, 1, suspect->node);
    dg_rows_bind_int(detail, 2, suspect->read);
    dg_rows_bind_int(detail, 3, suspect->written);
    if (dg_rows_next(detail) &&
        (keeps_sizes(dg_rows_text(detail, 1), dg_rows_int(detail, 2)) ||
         follows(dg_rows_text(detail, 1), suspect->position))) {
        finding.message = dg_rows_slice(detail, 0);
        status = dg_find(found, &finding, err);
    }
    return status ? status : dg_rows_again(detail, err);
}

static void look_at_operand(struct suspect *suspect, const struct dg_value_scan *scan,
                            const struct dg_model_operand *operand)
{
    uint8_t *state = state_of(scan, operand->value);

    if (!state)
        return;
    if (operand->access == DG_ACCESS_READ && !suspect->read &&
        (*state & (DG_VALUE_BOUNDED | DG_VALUE_FILLED)) == DG_VALUE_BOUNDED) {
        suspect->read = operand->value;
        suspect->position = operand->pos;
    }
    if (operand->access == DG_ACCESS_BOTH && *state & DG_VALUE_BOUNDED)
        suspect->updated = state;
    suspect->returns |= operand->access == DG_ACCESS_WRITE;
    if (operand->access == DG_ACCESS_WRITE && *state & DG_VALUE_STATIC)
        suspect->written = operand->value;
}

/* What map and scan stack row by row, executorch_prim::et_copy_index, returns nothing
 * and leaves the tensor with all its rows. */
static void note_filled(const struct suspect *suspect)
{
    if (suspect->updated && !suspect->returns)
        *suspect->updated |= DG_VALUE_FILLED;
}

static enum dg_status find_static_in_pte(const struct dg_findings *found,
                                         const struct dg_value_scan *scan,
                                         const struct dg_model *model,
                                         struct dg_error *err)
{
    struct dg_rows detail;
    enum dg_status status = dg_rows_open(&detail, found->store, suspect_sql, err);

    if (status)
        return status;
    for (uint32_t i = 0; i < model->n_nodes && !status; i++) {
        struct suspect suspect = {.node = (int64_t)i + 1};

        for (uint32_t k = model->operand_of[i]; k < model->operand_of[i + 1]; k++)
            look_at_operand(&suspect, scan, &model->operands[k]);
        note_filled(&suspect);
        status = find_suspect(found, &detail, &suspect, err);
    }
    return dg_rows_close(&detail, status, err);
}

/* The same in an edge program, where a symbol stands for a size that may change. */
static const char edge_sql[] =
    "WITH follower(stem, operand) AS (VALUES ('', 0)"
#define FOLLOWER(op, operand) ",('" op "'," #operand ")"
#include "verifiers/followers.def"
    "),"
    "known AS MATERIALIZED (SELECT op.id, operand FROM op JOIN follower"
    "   ON stem = substr(name, 1, instr(name, '.') - 1)"
    " UNION ALL SELECT id, NULL FROM op WHERE flags & 4)"
    "SELECT n.id AS node, printf('reads %s, sizes %s, and gives sizes %s',"
    "  r.name, r.shape, w.shape) AS message"
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id AND g.kind <> "
    "'lowered'"
    "  JOIN node AS n ON n.graph_id = g.id"
    "  JOIN known ON known.id = n.op_id"
    "  JOIN value AS w ON w.id = n.value_id AND w.shape NOT GLOB '*\"*'"
    "  JOIN edge ON edge.dst = n.id AND edge.pos = coalesce(operand, edge.pos)"
    "  JOIN value AS r ON r.id = edge.value_id AND r.shape GLOB '*\"*'"
    " WHERE method.ir = 'edge' AND EXISTS (SELECT 1 FROM range_constraint)"
    " GROUP BY n.id HAVING edge.pos = min(edge.pos) ORDER BY n.id";

static enum dg_status find_static_in_edge(const struct dg_findings *found,
                                          struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(found->store, edge_sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        struct dg_finding finding = {.node = dg_rows_int(&rows, 0),
                                     .message = dg_rows_slice(&rows, 1)};

        status = dg_find(found, &finding, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_check_static_out(const struct dg_findings *found,
                                   struct dg_error *err)
{
    const struct dg_value_scan *scan;
    const struct dg_model *model;
    enum dg_status status = dg_value_scan(&scan, found->store, err);

    if (!status && scan->any_bounded)
        status = dg_model_read(&model, found->store, err);
    if (!status && scan->any_bounded)
        status = find_static_in_pte(found, scan, model, err);
    return status ? status : find_static_in_edge(found, err);
}
