/* Types of the operands of edge operators. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/text.h"
#include "verifiers/graph_parts.h"

/* Operators without overload are the default overload. */
struct edge_op {
    const char *name, *tensors, *types;
};

static const struct edge_op edge_ops[] = {
#define EDGE_DTYPES(name, tensors, types) {name, tensors, types},
#include "verifiers/edge_dtypes.def"
#undef EDGE_DTYPES
};

enum { N_EDGE_OPS = sizeof(edge_ops) / sizeof(*edge_ops), MOST_TENSORS = 16 };

static const struct {
    const char *dtype;
    char letter;
} letters[] = {
    {"f32", 'f'}, {"i64", 'l'}, {"bool", 'b'}, {"i32", 'i'}, {"f16", 'h'},
    {"f64", 'd'}, {"i8", 'c'},  {"u8", 'B'},   {"i16", 's'}, {"bf16", 'g'},
    {"u16", 'S'}, {"c64", 'F'}, {"c128", 'D'},
};

/* '?': no type that the edge dialect knows, which no combination has. */
static char letter_of(const char *dtype)
{
    for (size_t i = 0; dtype && i < sizeof(letters) / sizeof(*letters); i++) {
        if (!strcmp(dtype, letters[i].dtype))
            return letters[i].letter;
    }
    return dtype ? '?' : '.';
}

static int compare(const void *key, const void *op)
{
    return strcmp(key, ((const struct edge_op *)op)->name);
}

/* `name` is as the store spells it: aten::relu.default */
static const struct edge_op *find_op(const char *name)
{
    static const char suffix[] = ".default";
    size_t size = strlen(name), end = sizeof(suffix) - 1;
    char key[96];

    if (size > end && !strcmp(name + size - end, suffix))
        size -= end;
    if (size >= sizeof(key))
        return NULL;
    memcpy(key, name, size);
    key[size] = '\0';
    return dg_search(key, edge_ops, N_EDGE_OPS, sizeof(*edge_ops), compare);
}

/* A node's types by tensor of its operator; '.' where it has none, or none is known. */
struct signature {
    char types[MOST_TENSORS + 1];
    size_t n;
};

static struct signature nothing(const struct edge_op *op)
{
    struct signature signature = {.n = 1};

    for (const char *p = op->tensors; *p; p++)
        signature.n += *p == ' ';
    memset(signature.types, '.', sizeof(signature.types) - 1);
    return signature;
}

static bool fits(const struct signature *signature, const char *combination)
{
    for (size_t i = 0; i < signature->n; i++) {
        if (signature->types[i] != '.' && signature->types[i] != combination[i])
            return false;
    }
    return true;
}

static bool allowed(const struct edge_op *op, const struct signature *signature)
{
    for (const char *p = op->types; *p; p += signature->n + 1) {
        if (fits(signature, p + 1))
            return true;
    }
    return false;
}

/* Where `name` stands among the tensors of the operator; its number of tensors if it is
 * none. An argument without name is known by its position. */
static size_t place_of(const struct edge_op *op, const struct signature *signature,
                       const char *name, int64_t position)
{
    const char *p = op->tensors;

    if (!*name)
        return position < (int64_t)signature->n ? (size_t)position : signature->n;
    for (size_t i = 0; i < signature->n; i++) {
        size_t size = strcspn(p, " ");

        if (size == strlen(name) && !memcmp(p, name, size))
            return i;
        p += size + (p[size] == ' ');
    }
    return signature->n;
}

/* The type of the first tensor of each argument of node ?1. */
static const char operands_sql[] =
    "SELECT argument.key, coalesce(argument.value ->> 'name', ''), value.dtype,"
    "       min(leaf.id)"
    "  FROM node, json_each(CASE WHEN json_valid(args) THEN args END) AS argument,"
    "       json_tree(argument.value) AS leaf"
    "  JOIN edge ON edge.dst = node.id JOIN value ON value.id = edge.value_id"
    "   AND value.kind = 'tensor' AND value.name = leaf.atom"
    " WHERE node.id = ?1 AND leaf.type = 'text' AND leaf.key IS NOT 'name'"
    " GROUP BY argument.key";

static enum dg_status read_operands(struct dg_rows *operands, const struct edge_op *op,
                                    int64_t node, struct signature *signature,
                                    struct dg_error *err)
{
    dg_rows_bind_int(operands, 1, node);
    while (dg_rows_next(operands)) {
        size_t place = place_of(op, signature, dg_rows_text(operands, 1),
                                dg_rows_int(operands, 0));

        if (place < signature->n)
            signature->types[place] = letter_of(dg_rows_text(operands, 2));
    }
    return dg_rows_again(operands, err);
}

static void write_types(struct dg_writer *out, const struct edge_op *op,
                        const struct signature *signature)
{
    const char *p = op->tensors;

    for (size_t i = 0; i < signature->n; i++) {
        size_t size = strcspn(p, " ");
        const char *dtype = "?";

        for (size_t k = 0; k < sizeof(letters) / sizeof(*letters); k++) {
            if (letters[k].letter == signature->types[i])
                dtype = letters[k].dtype;
        }
        if (signature->types[i] != '.' && !strncmp(p, "__ret_", 6))
            dg_print(out, "%sgives %s", out->size ? " and " : "", dtype);
        else if (signature->types[i] != '.')
            dg_print(out, "%s%.*s %s", out->size ? ", " : "takes ", (int)size, p,
                     dtype);
        p += size + (p[size] == ' ');
    }
}

/* What torch checks ends at the first delegate of a graph. */
static enum dg_status report(const struct dg_findings *found, int64_t node,
                             const struct edge_op *op,
                             const struct signature *signature, struct dg_error *err)
{
    struct dg_writer message = {0};
    struct dg_finding finding = {.node = node};
    enum dg_status status;

    write_types(&message, op, signature);
    dg_print(&message, "; the edge dialect has no such %s", op->name);
    finding.message = dg_written(&message);
    status = dg_find(found, &finding, err);
    dg_writer_clear(&message);
    return status;
}

static enum dg_status check_call(const struct dg_findings *found,
                                 const struct dg_rows *calls, struct dg_rows *operands,
                                 struct dg_error *err)
{
    const struct edge_op *op = find_op(dg_rows_text(calls, 1));
    struct signature signature;
    char result, least, most;
    enum dg_status status;

    if (!op)
        return DG_OK;
    signature = nothing(op);
    result = letter_of(dg_rows_text(calls, 2));
    least = letter_of(dg_rows_text(calls, 3));
    most = letter_of(dg_rows_text(calls, 4));
    if (least == most && (result == most || result == '.')) {
        memset(signature.types, least, signature.n);
        if (allowed(op, &signature))
            return DG_OK;
        signature = nothing(op);
    }
    if (strstr(op->tensors, "__ret_0"))
        signature.types[signature.n - 1] = result;
    status = read_operands(operands, op, dg_rows_int(calls, 0), &signature, err);
    if (status || allowed(op, &signature))
        return status;
    return report(found, dg_rows_int(calls, 0), op, &signature, err);
}

static const char calls_sql[] =
    "SELECT node.id, op.name, result.dtype, min(value.dtype), max(value.dtype)"
    "  FROM method JOIN \"graph\" ON method_id = method.id"
    "   AND \"graph\".kind <> 'lowered'"
    "  JOIN node ON node.graph_id = \"graph\".id AND node.kind = 'call_function'"
    "  JOIN op ON op.id = op_id AND namespace = 'aten'"
    "  LEFT JOIN value AS result ON result.id = node.value_id"
    "   AND result.kind = 'tensor'"
    "  LEFT JOIN edge ON edge.dst = node.id"
    "  LEFT JOIN value ON value.id = edge.value_id AND value.kind = 'tensor'"
    " WHERE method.ir = 'edge' GROUP BY node.id";

enum dg_status dg_check_edge_dtype(const struct dg_findings *found,
                                   struct dg_error *err)
{
    struct dg_rows calls, operands;
    enum dg_status status = dg_rows_open(&operands, found->store, operands_sql, err);

    if (status)
        return status;
    status = dg_rows_open(&calls, found->store, calls_sql, err);
    if (!status) {
        while (!status && dg_rows_next(&calls))
            status = check_call(found, &calls, &operands, err);
        status = dg_rows_close(&calls, status, err);
    }
    return dg_rows_close(&operands, status, err);
}
