/* What conditions need of a graph: types and sizes of results, arguments of calls. */
#include <ctype.h>
#include <stdlib.h>

#include "partition/support_calls.h"

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

/* Few shapes and strides are those of many values. */
struct shapes {
    struct dg_text_set texts;
    struct numbers *numbers;
    size_t n_numbers;
};

static const struct numbers *read_shape(struct shapes *shapes, struct dg_text text,
                                        struct dg_arena *memory)
{
    uint32_t number = dg_text_set_find(&shapes->texts, text);

    if (number == DG_NO_TEXT) {
        text.data = dg_copy(memory, text);
        number = dg_text_set_add(&shapes->texts, text);
        *DG_APPEND(shapes->numbers, shapes->n_numbers) = read_numbers(text, memory);
    }
    return &shapes->numbers[number];
}

/* The columns of the query below. */
enum { ARGS, KIND, DTYPE, SHAPE, STRIDES };

struct reader {
    struct dg_support_facts *facts;
    const struct dg_support *support;
    const bool *wanted;
    struct shapes shapes;
    struct dg_call_reader calls;
};

static void read_value(struct reader *reader, struct dg_support_value *value,
                       struct dg_text kind, const struct dg_rows *rows)
{
    struct dg_text dtype = dg_rows_slice(rows, DTYPE);
    struct dg_text shape = dg_rows_slice(rows, SHAPE), text = {0};
    struct dg_arena *memory = &reader->facts->memory;

    if (reader->support->strides)
        text = dg_rows_slice(rows, STRIDES);
    value->known = true;
    value->tensor = dg_text_is(kind, "tensor");
    value->dtype = dtype.data ? dg_dtype_of_name(dtype) : NULL;
    value->rank = -1;
    if (value->tensor && shape.size) {
        const struct numbers *sizes = read_shape(&reader->shapes, shape, memory);

        value->sizes = sizes->items;
        value->rank = sizes->n_items;
        value->unbacked = sizes->unbacked;
    }
    if (value->rank >= 0 && text.size) {
        const struct numbers *steps = read_shape(&reader->shapes, text, memory);

        value->strides = steps->n_items == value->rank ? steps->items : NULL;
    }
}

static void read_node(struct reader *reader, uint32_t node, const struct dg_rows *rows)
{
    struct dg_support_facts *facts = reader->facts;
    bool wanted = facts->calls && reader->wanted[node];
    struct dg_text kind =
        facts->values ? dg_rows_slice(rows, KIND) : (struct dg_text){0};
    struct dg_text args = wanted ? dg_rows_slice(rows, ARGS) : (struct dg_text){0};

    if (kind.data)
        read_value(reader, &facts->values[node], kind, rows);
    if (args.data)
        dg_call_read(&reader->calls, &facts->calls[node], args, node);
}

static enum dg_status read_nodes(struct reader *reader, struct dg_store *store,
                                 struct dg_error *err)
{
    const struct dg_graph *graph = &reader->calls.nodes->graph;
    struct dg_rows rows =
        dg_rows_of(store,
                   "SELECT args, value.kind, dtype, shape, strides FROM node"
                   "  LEFT JOIN value ON value.id = value_id"
                   " WHERE node.id BETWEEN ?1 AND ?2 ORDER BY node.id",
                   graph->first_id, err);

    dg_rows_bind_int(&rows, 2, graph->first_id + graph->n_nodes - 1);
    for (uint32_t i = 0; i < graph->n_nodes && dg_rows_next(&rows); i++)
        read_node(reader, i, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_support_read(struct dg_support_facts *facts,
                               const struct dg_support *support,
                               const struct dg_nodes *nodes, const bool *wanted,
                               struct dg_store *store, struct dg_error *err)
{
    struct reader reader = {facts, support, wanted, .calls = {nodes, &facts->memory}};
    uint32_t n = nodes->graph.n_nodes;
    enum dg_status status = DG_OK;

    if (support->values)
        facts->values = dg_alloc(&facts->memory, n, sizeof(*facts->values));
    if (wanted)
        facts->calls = dg_alloc(&facts->memory, n, sizeof(*facts->calls));
    if (facts->values || facts->calls)
        status = read_nodes(&reader, store, err);
    dg_text_set_clear(&reader.shapes.texts);
    free(reader.shapes.numbers);
    dg_call_reader_clear(&reader.calls);
    return status;
}

void dg_support_facts_clear(struct dg_support_facts *facts)
{
    dg_arena_clear(&facts->memory);
    *facts = (struct dg_support_facts){0};
}
