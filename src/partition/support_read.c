/* What conditions need of a graph: types and sizes of results, arguments of calls. */
#include "partition/support_parts.h"

#include <ctype.h>
#include <stdlib.h>

#include "formats/json.h"

/* Numbers of text such as [1,"s0",3], INT64_MIN for strings. */
struct numbers {
    int64_t *items;
    int32_t n_items;
    bool unbacked; /* a string names a symbol that depends on data: u0 */
};

static const char *read_symbol(struct numbers *out, const char *at, const char *end)
{
    bool name = false; /* within a name */

    for (; at < end && *at != '"'; at++) {
        if (*at == 'u' && !name && at + 1 < end && isdigit((unsigned char)at[1]))
            out->unbacked = true;
        name = isalnum((unsigned char)*at) || *at == '_';
    }
    out->items[out->n_items++] = INT64_MIN;
    return at;
}

static const char *read_digits(struct numbers *out, const char *at, const char *end)
{
    int64_t number = 0;

    for (; at < end && isdigit((unsigned char)*at); at++)
        number = number > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : number * 10 + *at - '0';
    out->items[out->n_items++] = number;
    return at - 1;
}

static struct numbers read_numbers(struct dg_text text, struct dg_arena *memory)
{
    const char *end = text.size ? text.data + text.size : text.data;
    struct numbers out = {.items =
                              dg_alloc(memory, text.size / 2 + 1, sizeof(*out.items))};

    for (const char *at = text.data; at < end; at++) {
        if (*at == '"')
            at = read_symbol(&out, at + 1, end);
        else if (isdigit((unsigned char)*at))
            at = read_digits(&out, at, end);
    }
    return out;
}

static void read_value(struct dg_support_facts *facts, struct dg_support_value *value,
                       const struct dg_rows *rows, bool strides)
{
    struct dg_text shape = dg_rows_slice(rows, 3), text = dg_rows_slice(rows, 4);

    value->known = true;
    value->tensor = dg_text_is(dg_rows_slice(rows, 1), "tensor");
    value->dtype =
        dg_rows_null(rows, 2) ? NULL : dg_dtype_of_name(dg_rows_slice(rows, 2));
    value->rank = -1;
    if (value->tensor && shape.size) {
        struct numbers sizes = read_numbers(shape, &facts->memory);

        value->sizes = sizes.items;
        value->rank = sizes.n_items;
        value->unbacked = sizes.unbacked;
    }
    if (strides && value->rank >= 0 && text.size) {
        struct numbers steps = read_numbers(text, &facts->memory);

        value->strides = steps.n_items == value->rank ? steps.items : NULL;
    }
}

static enum dg_status read_values(struct dg_support_facts *facts,
                                  const struct dg_nodes *nodes, bool strides,
                                  struct dg_store *store, struct dg_error *err)
{
    const struct dg_graph *graph = &nodes->graph;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT node.id, value.kind, value.dtype, value.shape, value.strides FROM node"
        "  JOIN value ON value.id = node.value_id WHERE node.graph_id = ?1",
        err);

    if (status)
        return status;
    facts->values = dg_alloc(&facts->memory, graph->n_nodes, sizeof(*facts->values));
    dg_rows_bind_int(&rows, 1, graph->id);
    while (dg_rows_next(&rows)) {
        int64_t i = dg_rows_int(&rows, 0) - graph->first_id;

        if (i >= 0 && i < graph->n_nodes)
            read_value(facts, &facts->values[i], &rows, strides);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* One call's arguments as they are read. */
struct reader {
    struct dg_json json;
    struct dg_arena *memory;
    struct dg_support_item *items; /* of the present argument */
    size_t n_items;
    struct dg_support_call_arg *args;
    size_t n_args;
    int64_t n_nodes;           /* nodes named so far */
    enum dg_support_type node; /* what a name means in the present argument */
};

static void read_number(struct dg_support_item *item, struct dg_text text)
{
    char buffer[80];
    size_t size = text.size < sizeof(buffer) ? text.size : sizeof(buffer) - 1;
    char *end;

    memcpy(buffer, text.data ? text.data : "", text.data ? size : 0);
    buffer[text.data ? size : 0] = '\0';
    item->type = strpbrk(buffer, ".eEnN") ? DG_ITEM_FLOAT : DG_ITEM_INT;
    item->real = strtod(buffer, &end);
    if (item->type == DG_ITEM_INT)
        item->integer = strtoll(buffer, &end, 10);
}

static void read_item(struct reader *reader)
{
    struct dg_support_item *item = DG_APPEND(reader->items, reader->n_items);

    switch (dg_json_peek(&reader->json)) {
    case DG_JSON_BOOL:
        item->type = DG_ITEM_BOOL;
        item->integer = dg_json_bool(&reader->json);
        break;
    case DG_JSON_NUMBER:
        read_number(item, dg_json_number(&reader->json));
        break;
    case DG_JSON_STRING:
        item->type = reader->node;
        item->text = dg_json_string(&reader->json);
        if (item->type != DG_ITEM_STRING)
            item->integer = reader->n_nodes++;
        break;
    default:
        dg_json_skip(&reader->json);
    }
}

/* A value, a list, or a list of lists, whose items follow one another. */
static void read_items(struct reader *reader, int depth)
{
    if (dg_json_peek(&reader->json) != DG_JSON_ARRAY || depth == 2) {
        read_item(reader);
        return;
    }
    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json))
        read_items(reader, depth + 1);
}

static enum dg_support_type meaning(struct dg_text variant)
{
    if (dg_text_begins(variant, "sym_"))
        return DG_ITEM_SYMBOL;
    if (dg_text_is(variant, "tensor") || dg_text_is(variant, "tensors") ||
        dg_text_begins(variant, "optional_tensor") || dg_text_is(variant, "graph") ||
        dg_text_is(variant, "nested_tensors") || dg_text_is(variant, "custom_obj"))
        return DG_ITEM_TENSOR;
    return DG_ITEM_STRING;
}

/* {"name": "min", "float": -3.0} */
static void read_arg(struct reader *reader)
{
    struct dg_support_call_arg *arg = DG_APPEND(reader->args, reader->n_args);
    struct dg_text key;

    reader->n_items = 0;
    dg_json_object(&reader->json);
    while (dg_json_key(&reader->json, &key)) {
        if (dg_text_is(key, "name")) {
            arg->name = dg_json_string(&reader->json);
        } else if (dg_text_is(key, "none")) {
            dg_json_skip(&reader->json);
            DG_APPEND(reader->items, reader->n_items)->type = DG_ITEM_NONE;
        } else if (dg_text_is(key, "float") &&
                   dg_json_peek(&reader->json) == DG_JSON_STRING) {
            read_number(DG_APPEND(reader->items, reader->n_items),
                        dg_json_string(&reader->json));
        } else {
            reader->node = meaning(key);
            read_items(reader, 0);
        }
    }
    arg->n_items = reader->n_items;
    arg->items = dg_alloc(reader->memory, arg->n_items, sizeof(*arg->items));
    if (arg->n_items)
        memcpy(arg->items, reader->items, arg->n_items * sizeof(*arg->items));
}

/* Names of nodes are as many as the inputs of the node, and in their order. */
static void place_nodes(struct reader *reader, const struct dg_graph *graph,
                        uint32_t node)
{
    uint32_t begin = graph->input_of[node], end = graph->input_of[node + 1];
    bool known = reader->n_nodes == (int64_t)(end - begin);

    for (size_t a = 0; a < reader->n_args; a++) {
        for (size_t i = 0; i < reader->args[a].n_items; i++) {
            struct dg_support_item *item = &reader->args[a].items[i];

            if (item->type >= DG_ITEM_SYMBOL)
                item->integer =
                    known ? (int64_t)graph->inputs[begin + item->integer] : -1;
        }
    }
}

static void read_call(struct reader *reader, struct dg_support_call *call,
                      struct dg_text args, const struct dg_graph *graph, uint32_t node)
{
    struct dg_text copy = {dg_copy(reader->memory, args), args.size};
    struct dg_error err = {0};

    reader->n_args = 0;
    reader->n_nodes = 0;
    dg_json_begin(&reader->json, copy, "args", reader->memory, &err);
    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json))
        read_arg(reader);
    if (dg_json_end(&reader->json))
        return;
    place_nodes(reader, graph, node);
    call->n_args = reader->n_args;
    call->args = dg_alloc(reader->memory, call->n_args, sizeof(*call->args));
    if (call->n_args)
        memcpy(call->args, reader->args, call->n_args * sizeof(*call->args));
}

static enum dg_status read_calls(struct dg_support_facts *facts,
                                 const struct dg_nodes *nodes, const bool *wanted,
                                 struct dg_store *store, struct dg_error *err)
{
    const struct dg_graph *graph = &nodes->graph;
    struct reader reader = {.memory = &facts->memory};
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT id, args FROM node WHERE graph_id = ?1 AND args IS NOT NULL", err);

    if (status)
        return status;
    facts->calls = dg_alloc(&facts->memory, graph->n_nodes, sizeof(*facts->calls));
    dg_rows_bind_int(&rows, 1, graph->id);
    while (dg_rows_next(&rows)) {
        int64_t i = dg_rows_int(&rows, 0) - graph->first_id;

        if (i >= 0 && i < graph->n_nodes && wanted[i])
            read_call(&reader, &facts->calls[i], dg_rows_slice(&rows, 1), graph,
                      (uint32_t)i);
    }
    free(reader.items);
    free(reader.args);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_support_read(struct dg_support_facts *facts,
                               const struct dg_support *support,
                               const struct dg_nodes *nodes, const bool *wanted,
                               struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (support->values)
        status = read_values(facts, nodes, support->strides, store, err);
    if (!status && wanted)
        status = read_calls(facts, nodes, wanted, store, err);
    return status;
}

void dg_support_facts_clear(struct dg_support_facts *facts)
{
    dg_arena_clear(&facts->memory);
    *facts = (struct dg_support_facts){0};
}
