/* Reading the arguments of calls. */
#include "partition/support_calls.h"

#include <stdlib.h>

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

static void read_item(struct dg_call_reader *reader)
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
static void read_items(struct dg_call_reader *reader, int depth)
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
static void read_arg(struct dg_call_reader *reader)
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

static void read_args(struct dg_call_reader *reader, struct dg_support_call *call,
                      struct dg_text args)
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
    call->n_args = reader->n_args;
    call->args = dg_alloc(reader->memory, call->n_args, sizeof(*call->args));
    if (call->n_args)
        memcpy(call->args, reader->args, call->n_args * sizeof(*call->args));
}

/* Names of nodes are as many as the inputs of the node, and in their order. */
static void place_nodes(const struct dg_call_reader *reader,
                        struct dg_support_call *call, uint32_t node)
{
    const struct dg_graph *graph = &reader->nodes->graph;
    uint32_t begin = graph->input_of[node], end = graph->input_of[node + 1];
    bool known = reader->n_nodes == (int64_t)(end - begin);

    for (size_t a = 0; a < call->n_args; a++) {
        for (size_t i = 0; i < call->args[a].n_items; i++) {
            struct dg_support_item *item = &call->args[a].items[i];

            if (item->type >= DG_ITEM_SYMBOL)
                item->integer =
                    known ? (int64_t)graph->inputs[begin + item->integer] : -1;
        }
    }
}

/* The text of a call while names of nodes are left out of it. */
struct outline {
    const char *at, *kept, *end; /* what stands from `kept` on is to be written */
    uint32_t input, last_input;  /* of the graph's */
    bool names;                  /* strings that come now are names of nodes */
    int depth;
};

static bool is_plain(struct dg_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < ' ' || text.data[i] > '~')
            return false;
    }
    return true;
}

static bool outline_string(struct dg_call_reader *reader, struct outline *outline)
{
    const uint32_t *inputs = reader->nodes->graph.inputs;
    const char *begin = outline->at + 1;
    const char *quote = memchr(begin, '"', (size_t)(outline->end - begin));
    struct dg_text text = {begin, quote ? (size_t)(quote - begin) : 0};

    if (!quote)
        return false;
    outline->at = quote;
    if (quote + 1 < outline->end && quote[1] == ':') {
        outline->names = meaning(text) != DG_ITEM_STRING;
    } else if (outline->names) {
        if (outline->input == outline->last_input || !is_plain(text) ||
            !dg_text_equal(text, reader->nodes->names[inputs[outline->input++]]))
            return false;
        dg_write(&reader->outline, outline->kept, (size_t)(begin - outline->kept));
        outline->kept = quote;
    }
    return true;
}

/* Objects lie in the outermost list, and in them no objects. */
static bool outline_bracket(struct outline *outline)
{
    switch (*outline->at) {
    case '{':
        return outline->depth++ == 1;
    case '[':
        return outline->depth != 1 && outline->depth++ < 4;
    case '}':
    case ']':
        return outline->depth-- > 0;
    default:
        return *outline->at > ' ';
    }
}

/* Writes reader->outline. False: the text is no such one, or names other nodes than the
 * inputs of `node` in turn. */
static bool leave_out_names(struct dg_call_reader *reader, struct dg_text args,
                            uint32_t node)
{
    const struct dg_graph *graph = &reader->nodes->graph;
    struct outline outline = {.at = args.data,
                              .kept = args.data,
                              .end = args.data + args.size,
                              .input = graph->input_of[node],
                              .last_input = graph->input_of[node + 1]};

    reader->outline.size = 0;
    if (memchr(args.data, '\\', args.size))
        return false;
    for (; outline.at < outline.end; outline.at++) {
        if (*outline.at == '"' ? !outline_string(reader, &outline)
                               : !outline_bracket(&outline))
            return false;
    }
    dg_write(&reader->outline, outline.kept, (size_t)(outline.end - outline.kept));
    return outline.input == outline.last_input;
}

static struct dg_support_call *read_shared(struct dg_call_reader *reader,
                                           struct dg_text args)
{
    struct dg_text text = dg_written(&reader->outline);
    uint32_t number = dg_text_set_find(&reader->outlines, text);

    if (number == DG_NO_TEXT) {
        text.data = dg_copy(reader->memory, text);
        number = dg_text_set_add(&reader->outlines, text);
        DG_APPEND(reader->calls, reader->n_calls)->by_input = true;
        read_args(reader, &reader->calls[number], args);
    }
    return &reader->calls[number];
}

void dg_call_read(struct dg_call_reader *reader, struct dg_support_call *call,
                  struct dg_text args, uint32_t node)
{
    if (leave_out_names(reader, args, node)) {
        *call = *read_shared(reader, args);
    } else {
        read_args(reader, call, args);
        place_nodes(reader, call, node);
    }
}

void dg_call_reader_clear(struct dg_call_reader *reader)
{
    free(reader->items);
    free(reader->args);
    free(reader->calls);
    dg_text_set_clear(&reader->outlines);
    dg_writer_clear(&reader->outline);
}
