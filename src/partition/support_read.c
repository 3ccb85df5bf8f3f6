/* What conditions need of a graph: types and sizes of results, arguments of calls. */
#include <ctype.h>
#include <stdlib.h>

#include "graph/model.h"
#include "graph/model_values.h"
#include "partition/support_calls.h"
#include "store/scan.h"

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

static uint32_t number_of(struct shapes *shapes, struct dg_text text,
                          struct dg_arena *memory)
{
    uint32_t number = dg_text_set_find(&shapes->texts, text);

    if (number == DG_NO_TEXT) {
        text.data = dg_copy(memory, text);
        number = dg_text_set_add(&shapes->texts, text);
        *DG_APPEND(shapes->numbers, shapes->n_numbers) = read_numbers(text, memory);
    }
    return number;
}

struct reader {
    struct dg_support_facts *facts;
    const struct dg_support *support;
    struct dg_store *store;
    const struct dg_model_node *nodes; /* of the graph */
    const struct dg_model_values *values;
    size_t first_value, n_values; /* rows of the graph's values */
    uint32_t *strides;            /* of each: 1 + its number among shapes; 0: none */
    struct shapes shapes;
    struct dg_call_reader calls;
};

static enum dg_status find_sources(struct reader *reader, struct dg_error *err)
{
    const struct dg_graph *graph = &reader->calls.nodes->graph;
    const struct dg_model *model;
    enum dg_status status = dg_model_read(&model, reader->store, err);

    if (!status)
        status = dg_model_values_read(&reader->values, reader->store, err);
    if (status)
        return status;
    reader->nodes = model->nodes + graph->first_id - 1;
    if (graph->id >= 1 && (uint64_t)graph->id <= reader->values->n_graphs) {
        reader->first_value = reader->values->graphs[graph->id - 1].first;
        reader->n_values = reader->values->graphs[graph->id - 1].n;
    }
    return DG_OK;
}

static enum dg_status read_strides(struct reader *reader, struct dg_error *err)
{
    struct dg_arena *memory = &reader->facts->memory;
    struct dg_scan scan =
        dg_scan_range(reader->store, "value", "strides",
                      (int64_t)reader->first_value + 1, reader->n_values, err);

    reader->strides = dg_alloc(memory, reader->n_values, sizeof(*reader->strides));
    for (size_t i = 0; i < reader->n_values && dg_scan_next(&scan); i++) {
        struct dg_text text = dg_scan_text(&scan, 0);

        if (text.size)
            reader->strides[i] = number_of(&reader->shapes, text, memory) + 1;
    }
    return dg_scan_close(&scan, DG_OK, err);
}

static void take_strides(struct dg_support_value *value, const struct reader *reader,
                         uint32_t row)
{
    size_t i = row - reader->first_value;
    const struct numbers *steps;

    if (!reader->strides || i >= reader->n_values || !reader->strides[i])
        return;
    steps = &reader->shapes.numbers[reader->strides[i] - 1];
    value->strides = steps->n_items == value->rank ? steps->items : NULL;
}

/* The value in that row, counted from 0. */
static void take_value(struct reader *reader, struct dg_support_value *value,
                       uint32_t row)
{
    const struct dg_model_type *type =
        &reader->values->types[reader->values->type_of[row]];
    const struct numbers *sizes;
    uint32_t number;

    value->known = true;
    value->tensor = type->kind == DG_VALUE_TENSOR;
    value->dtype = type->dtype;
    value->rank = -1;
    if (!value->tensor || !type->sizes.size)
        return;
    number = number_of(&reader->shapes, type->sizes, &reader->facts->memory);
    sizes = &reader->shapes.numbers[number];
    value->sizes = sizes->items;
    value->rank = sizes->n_items;
    value->unbacked = sizes->unbacked;
    take_strides(value, reader, row);
}

static enum dg_status read_values(struct reader *reader, struct dg_error *err)
{
    struct dg_support_facts *facts = reader->facts;
    uint32_t n = reader->calls.nodes->graph.n_nodes;
    enum dg_status status = find_sources(reader, err);

    if (!status && reader->support->strides)
        status = read_strides(reader, err);
    facts->values = dg_alloc(&facts->memory, n, sizeof(*facts->values));
    for (uint32_t i = 0; i < n && !status; i++) {
        if (reader->nodes[i].value)
            take_value(reader, &facts->values[i], reader->nodes[i].value - 1);
    }
    return status;
}

static enum dg_status read_calls(struct reader *reader, const bool *wanted,
                                 struct dg_error *err)
{
    struct dg_support_facts *facts = reader->facts;
    const struct dg_graph *graph = &reader->calls.nodes->graph;
    struct dg_scan scan = dg_scan_range(reader->store, "node", "args", graph->first_id,
                                        graph->n_nodes, err);

    facts->calls = dg_alloc(&facts->memory, graph->n_nodes, sizeof(*facts->calls));
    for (uint32_t i = 0; i < graph->n_nodes && dg_scan_next(&scan); i++) {
        struct dg_text args = wanted[i] ? dg_scan_text(&scan, 0) : (struct dg_text){0};

        if (args.data)
            dg_call_read(&reader->calls, &facts->calls[i], args, i);
    }
    return dg_scan_close(&scan, DG_OK, err);
}

enum dg_status dg_support_read(struct dg_support_facts *facts,
                               const struct dg_support *support,
                               const struct dg_nodes *nodes, const bool *wanted,
                               struct dg_store *store, struct dg_error *err)
{
    struct reader reader = {.facts = facts,
                            .support = support,
                            .store = store,
                            .calls = {nodes, &facts->memory}};
    enum dg_status status = support->values ? read_values(&reader, err) : DG_OK;

    if (!status && wanted)
        status = read_calls(&reader, wanted, err);
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
