/* What the operators of a program may be: queries of graph.c. */
#include "verifiers/graph_parts.h"
#include "verifiers/sql.h"

#include <string.h>

#include "base/ops.h"
#include "base/text.h"
#include "base/text_set.h"

/* clang-format off */

/* Python functions that torch's own verifier lets pass (torch/_export/verifier.py). */
#define ALLOWED                                                                        \
    "'_operator.getitem', '_operator.add', '_operator.mul', '_operator.sub',"          \
    "'_operator.truediv', '_operator.ge', '_operator.le', '_operator.gt',"             \
    "'_operator.lt', '_operator.eq', '_operator.ne', '_operator.floordiv',"            \
    "'_operator.mod', '_operator.and_', '_operator.or_', '_operator.not_',"            \
    "'_operator.pow', '_operator.neg', '_operator.abs', '_operator.lshift',"           \
    "'_operator.rshift', 'math.ceil', 'math.floor', 'math.trunc', 'builtins.round',"   \
    "'round'"

/* Whether the file was written by the torch whose operators are known here. */
#define KNOWN_TORCH "json_extract(a.version, '$.torch') GLOB '2.13.*'"

/* Calls of the operators of that kind; scans nothing where there are none. */
#define CALLS_OF(which)                                                                \
    "(SELECT 1 WHERE EXISTS (SELECT 1 FROM op WHERE " which ")) CROSS JOIN node"       \
    "  CROSS JOIN (SELECT * FROM op WHERE " which ") AS op ON op.id = node.op_id"

/* First calls of no operator at all; then operators that `aten` does not have, and those
 * of ExecuTorch itself (its schemas call et_view.default et_view); then Python functions.
 */
const char dg_query_op_kind[] =
    "SELECT min(node.id) AS node, 'error' AS severity,"
    "   iif(count(*) = 1, '1 call has', count(*) || ' calls have') || ' no target' AS message"
    "  FROM node WHERE kind = 'call_function' AND op_id IS NULL"
    " GROUP BY +graph_id"
    " UNION ALL SELECT min(node.id), iif(" KNOWN_TORCH ", 'error', 'warning'),"
    "   printf('%s is no operator of PyTorch 2.13; %s', op.name,"
    "   iif(count(*) = 1, '1 call', count(*) || ' calls'))"
    "  FROM " CALLS_OF("namespace = 'aten' AND args IS NULL")
    "  JOIN \"graph\" AS g ON g.id = graph_id"
    "  JOIN method AS m ON m.id = g.method_id JOIN artifact AS a ON a.id = artifact_id"
    " GROUP BY op.id"
    " UNION ALL SELECT min(node.id), 'warning',"
    "   printf('%s is no operator of ExecuTorch 1.5; %s', op.name,"
    "   iif(count(*) = 1, '1 call', count(*) || ' calls'))"
    "  FROM " CALLS_OF("namespace IN ('executorch_prim', 'dim_order_ops')"
    "   AND args IS NULL AND name <> 'executorch_prim::et_view.default'")
    " GROUP BY op.id"
    " UNION ALL SELECT min(node.id), iif(op.name LIKE 'torch.%' OR"
    "   op.name LIKE 'executorch.%' OR op.name LIKE 'memory.%', 'warning', 'error'),"
    "   printf('%s is a Python function; %s', op.name,"
    "   iif(count(*) = 1, '1 call', count(*) || ' calls'))"
    "  FROM " CALLS_OF("instr(name, '::') = 0 AND name NOT LIKE '#%'"
    "   AND name NOT LIKE 'torch.%' AND name NOT LIKE 'executorch.%'"
    "   AND name NOT LIKE 'memory.%' AND name NOT IN (" ALLOWED ")")
    " WHERE node.kind = 'call_function' GROUP BY op.id ORDER BY 1";

/* Whether a call writes the result of a call that nothing else reads, as relu_() after a
 * convolution does: it could as well give a new one. */
#define WRITES_ITS_OWN                                                                 \
    "(op.args LIKE 'Tensor(_!) self%' AND EXISTS (SELECT 1 FROM edge AS e"             \
    "   JOIN node AS p ON p.id = e.src AND p.kind = 'call_function'"                   \
    "   JOIN op AS made ON made.id = p.op_id AND made.args IS NOT NULL"                \
    "    AND (NOT made.flags & (1 << 1) OR made.flags & (1 << 5))"                     \
    "  WHERE e.dst = node.id AND e.pos = 0 AND NOT EXISTS (SELECT 1 FROM edge AS other"\
    "   WHERE other.src = p.id AND other.dst <> node.id)))"

/* The dialect is not kept: a TRAINING program may mutate. */
const char dg_query_op_functional[] =
    "SELECT node.id AS node, iif(ir = 'aten', 'note', 'warning') AS severity,"
    "   printf('%s writes one of its arguments', op.name) AS message"
    "  FROM " CALLS_OF("flags & (1 << 5) AND namespace <> 'higher_order'")
    "  JOIN \"graph\" AS g ON g.id = graph_id"
    "  JOIN method AS m ON m.id = g.method_id AND ir <> 'pte'"
    "   AND (ir = 'aten' OR g.kind <> 'lowered')"
    " WHERE NOT (ir = 'aten' AND " WRITES_ITS_OWN ") ORDER BY node.id";

const char dg_query_op_opaque[] =
    "SELECT min(node.id) AS node, printf('%s has no schema here: its %s opaque',"
    "   op.name, iif(count(*) = 1, 'call is', count(*) || ' calls are')) AS message"
    "  FROM " CALLS_OF("args IS NULL AND instr(name, '::') > 0"
    "   AND namespace NOT IN ('aten', 'higher_order')") " GROUP BY op.id ORDER BY 1";

/* What a plan gives to a delegate its backend may have asked to keep whole. */
const char dg_query_edge_op[] =
    "SELECT min(node.id) AS node, 'warning' AS severity, printf('%s is not in the core"
    " set; %s', op.name, iif(count(*) = 1, '1 call', count(*) || ' calls')) AS message"
    "  FROM op JOIN node ON op_id = op.id JOIN \"graph\" AS g ON g.id = graph_id"
    "  JOIN method AS m ON m.id = g.method_id AND ir = 'edge'"
    " WHERE g.kind <> 'lowered' AND op.namespace = 'aten' AND op.args IS NOT NULL"
    "   AND NOT flags & ((1 << 0) | (1 << 8)) AND op.name NOT IN "
    "('aten::mkldnn_rnn_layer',"
    "    'aten::_upsample_bilinear2d_aa', 'aten::quantize_per_tensor',"
    "    'aten::dequantize.self', 'aten::max', 'aten::min', 'aten::full_like',"
    "    'aten::copy_', 'aten::mkldnn_rnn_layer.default', 'aten::max.default',"
    "    'aten::_upsample_bilinear2d_aa.default', 'aten::quantize_per_tensor.default',"
    "    'aten::min.default', 'aten::full_like.default', 'aten::copy_.default')"
    "   AND op.name NOT LIKE 'aten::sym_%' AND op.name NOT LIKE 'aten::_assert_%'"
    "   AND op.name NOT LIKE 'aten::item%' AND op.name NOT LIKE '%_local_scalar_dense%'"
    "   AND NOT EXISTS (SELECT 1 FROM partition_node JOIN partition"
    "    ON partition.id = partition_id AND part_run_id IN " DG_NEWEST_PLANS
    "    WHERE node_id = node.id)"
    /* It was lowered: of an ETRecord the .pte has it. */
    "   AND (m.id, coalesce(node.debug_handle, '')) NOT IN (SELECT method_id,"
    "    debug_handle FROM instruction_handle)"
    " GROUP BY op.id ORDER BY 1";

const char dg_query_dim_order_mode[] =
    "WITH ordered AS MATERIALIZED (SELECT DISTINCT graph_id FROM "
    CALLS_OF("namespace = 'dim_order_ops'") ")"
    "SELECT min(node.id) AS node, 'warning' AS severity, printf('%s stands beside"
    " operators of dim_order_ops; %s', op.name,"
    "   iif(count(*) = 1, '1 call', count(*) || ' calls')) AS message"
    "  FROM ordered CROSS JOIN \"graph\" AS g ON g.id = ordered.graph_id"
    "  JOIN method AS m ON m.id = g.method_id AND ir = 'edge'"
    "  CROSS JOIN node ON node.graph_id = g.id CROSS JOIN op ON op.id = op_id"
    " WHERE op.name IN ('aten::_to_copy', 'aten::_to_copy.default',"
    "    'aten::empty.memory_format', 'aten::clone', 'aten::clone.default')"
    " GROUP BY op.id, node.graph_id ORDER BY 1";

/* Calls that the host will run as far as the file and the newest plan tell, by
 * operator. Views need no kernel, sizes and asserts are the runtime's own. Whether the
 * rest of the program may still go to a delegate is the last column. */
static const char host_ops[] =
    "SELECT op.name, min(node.id), count(*), " DG_TO_BE_LOWERED
    "   OR EXISTS (SELECT 1 FROM part_run WHERE artifact_id = m.artifact_id)"
    "   OR EXISTS (SELECT 1 FROM delegate WHERE delegate.method_id = m.id)"
    "  FROM method AS m CROSS JOIN \"graph\" AS g ON g.method_id = m.id"
    "  CROSS JOIN node ON node.graph_id = g.id CROSS JOIN op ON op.id = node.op_id"
    " WHERE m.ir = 'edge' AND node.kind = 'call_function'"
    "   AND op.name LIKE '%::%' AND op.namespace NOT IN ('higher_order', 'et_copy',"
    "    'executorch_prim', 'memory') AND op.name NOT LIKE '%::sym_%'"
    "   AND op.name NOT LIKE '%::%assert%'"
    "   AND op.name NOT IN ('aten::view_copy', 'aten::view_copy.default')"
    "   AND op.name NOT LIKE 'aten::_local_scalar_dense%'"
    "   AND NOT EXISTS (SELECT 1 FROM \"graph\" AS l WHERE " DG_IS_IN_LOWERED ")"
    "   AND NOT EXISTS (SELECT 1 FROM partition_node JOIN partition"
    "    ON partition.id = partition_id AND declared IS NOT 0"
    "     AND part_run_id IN " DG_NEWEST_PLANS
    "    WHERE partition_node.node_id = node.id)"
    " GROUP BY op.id, m.id ORDER BY 2";

/* clang-format on */

static struct dg_text plain(struct dg_text name)
{
    static const char suffix[] = ".default";
    size_t size = sizeof(suffix) - 1;

    if (name.size > size && !memcmp(name.data + name.size - size, suffix, size))
        name.size -= size;
    return name;
}

static bool is_one(const struct dg_op_arg *arg, const char *name)
{
    return strlen(name) == arg->name_length &&
           !memcmp(arg->name, name, arg->name_length);
}

/* What a new tensor is like follows from the place for the result. */
static bool is_option(const struct dg_op_arg *arg)
{
    return arg->kwarg_only && (is_one(arg, "dtype") || is_one(arg, "layout") ||
                               is_one(arg, "device") || is_one(arg, "pin_memory"));
}

static bool is_same(const struct dg_op_arg *a, const struct dg_op_arg *b)
{
    return a->name_length == b->name_length &&
           !memcmp(a->name, b->name, a->name_length) && !strcmp(a->type, b->type);
}

/* Whether both take the same arguments, those aside that are about the result. */
static bool takes_the_same(const struct dg_op *functional, const struct dg_op *out)
{
    const char *left = functional->args, *right = out->args;
    struct dg_op_arg a = {0}, b = {0};
    bool more = dg_op_next_arg(&left, &a);

    while (dg_op_next_arg(&right, &b)) {
        if (b.is_out)
            continue;
        while (more && !is_same(&a, &b) && is_option(&a))
            more = dg_op_next_arg(&left, &a);
        if (!more || !is_same(&a, &b))
            return false;
        more = dg_op_next_arg(&left, &a);
    }
    while (more && is_option(&a))
        more = dg_op_next_arg(&left, &a);
    return !more;
}

static bool is_overload_of(const char *name, const char *base, size_t length)
{
    return !strncmp(name, base, length) && (!name[length] || name[length] == '.');
}

/* What emission makes of the operator; NULL: it fails. An operator that writes its
 * arguments stays what it is. Overloads are neighbours in the table. */
static const struct dg_op *out_variant(const struct dg_op *op)
{
    size_t length = strcspn(op->name, "."), first = (size_t)(op - dg_ops);

    if (op->flags & DG_OP_MUTATES)
        return op;
    while (first && is_overload_of(dg_ops[first - 1].name, op->name, length))
        first--;
    for (size_t i = first;
         i < dg_n_ops && is_overload_of(dg_ops[i].name, op->name, length); i++) {
        if (dg_ops[i].flags & DG_OP_OUT && takes_the_same(op, &dg_ops[i]))
            return &dg_ops[i];
    }
    return NULL;
}

/* Of an operator without schema any kernel with "out" in its overload will do. */
static bool has_some_out(const struct dg_text_set *has, struct dg_text name)
{
    size_t length = 0;

    while (length < name.size && name.data[length] != '.')
        length++;
    for (uint32_t i = 0; i < has->n_texts; i++) {
        struct dg_text one = has->texts[i];

        if (one.size > length + 3 && !memcmp(one.data, name.data, length) &&
            one.data[length] == '.' && !memcmp(one.data + one.size - 3, "out", 3))
            return true;
    }
    return false;
}

static enum dg_status look_at_op(const struct dg_findings *found,
                                 const struct dg_rows *rows,
                                 const struct dg_text_set *has, struct dg_error *err)
{
    struct dg_text name = dg_rows_slice(rows, 0), kernel = name;
    const struct dg_op *op = dg_op_find(name.data, name.size);
    const struct dg_op *out = op ? out_variant(op) : NULL;
    long long n = dg_rows_int(rows, 2);
    struct dg_arena memory = {0};
    struct dg_finding finding = {.node = dg_rows_int(rows, 1),
                                 .severity =
                                     dg_rows_int(rows, 3) ? "error" : "warning"};
    enum dg_status status = DG_OK;

    if (out)
        kernel = dg_text(out->name);
    if (op && !out)
        finding.message =
            dg_format(&memory, "%.*s has no out variant; %lld %s", (int)name.size,
                      name.data, n, n == 1 ? "call" : "calls");
    else if (out ? dg_text_set_find(has, plain(kernel)) == DG_NO_TEXT
                 : !has_some_out(has, name))
        finding.message = dg_format(
            &memory,
            "%.*s becomes %.*s%s, which is not among the %u %s of --ops; %lld %s",
            (int)name.size, name.data,
            (int)(out ? kernel.size : strcspn(name.data, ".")), kernel.data,
            out ? "" : ".out", has->n_texts,
            has->n_texts == 1 ? "operator" : "operators", n, n == 1 ? "call" : "calls");
    if (finding.message.size)
        status = dg_find(found, &finding, err);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_out_variants(const struct dg_findings *found,
                                     struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_text_set has = {0};
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, found->store, "SELECT value FROM setting WHERE name = 'op'", err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        struct dg_text name = plain(dg_rows_slice(&rows, 0));

        name.data = dg_copy(&memory, name);
        dg_text_set_add(&has, name);
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && !(status = dg_rows_open(&rows, found->store, host_ops, err))) {
        while (!status && dg_rows_next(&rows))
            status = look_at_op(found, &rows, &has, err);
        status = dg_rows_close(&rows, status, err);
    }
    dg_text_set_clear(&has);
    dg_arena_clear(&memory);
    return status;
}
