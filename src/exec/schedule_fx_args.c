/* Arguments of FX nodes, from the JSON of their rows to operands. */
#include "exec/schedule_fx.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "formats/json.h"

struct reader {
    struct dg_fx *fx;
    struct dg_fx_node *node;
    struct dg_fx_arg *arg;
    struct dg_json json;
    uint32_t pos; /* of the next name */
};

static struct dg_arena *memory_of(struct reader *reader)
{
    return &reader->fx->schedule->memory;
}

/* The node that the next name in the text leads to. */
static void name(struct reader *reader, struct dg_operand *operand)
{
    struct dg_fx *fx = reader->fx;
    struct dg_text text = dg_json_string(&reader->json);
    const struct dg_fx_edge *edge =
        fx->edge < fx->n_edges ? &fx->edges[fx->edge] : NULL;

    operand->kind = DG_OPERAND_SLOT;
    if (edge && edge->dst == reader->node->slot && edge->pos == reader->pos) {
        operand->slot = edge->src;
        fx->used[edge->src] = true;
        fx->edge++;
    } else if (!reader->arg->problem && text.data) {
        reader->arg->problem =
            dg_format(memory_of(reader), "%.*s is not made by any node", (int)text.size,
                      text.data)
                .data;
    }
    reader->pos++;
}

static void boolean(struct reader *reader, struct dg_operand *operand)
{
    operand->literal.kind = DG_ARG_BOOL;
    operand->literal.as.integer = dg_json_bool(&reader->json);
}

static bool is_integer(struct dg_text number)
{
    for (size_t i = 0; i < number.size; i++) {
        if (!strchr("+-0123456789", number.data[i]))
            return false;
    }
    return number.size > 0;
}

static void number(struct reader *reader, struct dg_operand *operand)
{
    struct dg_text text = dg_json_number(&reader->json);
    char digits[80] = "";

    memcpy(digits, text.size ? text.data : "", text.size < 80 ? text.size : 79);
    if (is_integer(text)) {
        operand->literal.kind = DG_ARG_INT;
        operand->literal.as.integer = strtoll(digits, NULL, 10);
    } else {
        operand->literal.kind = DG_ARG_FLOAT;
        operand->literal.as.real = strtod(digits, NULL);
    }
}

static void real(struct reader *reader, struct dg_operand *operand)
{
    operand->literal.kind = DG_ARG_FLOAT;
    operand->literal.as.real = dg_json_double(&reader->json);
}

static void string(struct reader *reader, struct dg_operand *operand)
{
    operand->literal.kind = DG_ARG_STRING;
    operand->literal.as.string =
        dg_copy(memory_of(reader), dg_json_string(&reader->json));
}

static void nothing(struct reader *reader, struct dg_operand *operand)
{
    operand->literal.kind = DG_ARG_NONE;
    dg_json_skip(&reader->json);
}

static void element_type(struct reader *reader, struct dg_operand *operand)
{
    int64_t code = dg_json_int(&reader->json);
    const struct dg_dtype *dtype =
        reader->fx->method->exir ? dg_dtype_of_exir(code) : dg_dtype_of_torch(code);

    operand->literal.kind = DG_ARG_TYPE;
    operand->literal.as.type = dg_type_of(dtype);
    if (operand->literal.as.type == DG_TYPE_NONE)
        reader->arg->problem = dg_format(memory_of(reader), "tensors of type %s",
                                         dtype ? dtype->name : "that is not known")
                                   .data;
}

/* A name where it is text, a number, a bool or null. */
static void any(struct reader *reader, struct dg_operand *operand)
{
    switch (dg_json_peek(&reader->json)) {
    case DG_JSON_STRING:
        name(reader, operand);
        break;
    case DG_JSON_NUMBER:
        number(reader, operand);
        break;
    case DG_JSON_BOOL:
        boolean(reader, operand);
        break;
    default:
        nothing(reader, operand);
    }
}

/* In a plain list texts are texts. */
static void plain(struct reader *reader, struct dg_operand *operand)
{
    if (dg_json_peek(&reader->json) == DG_JSON_STRING)
        string(reader, operand);
    else
        any(reader, operand);
}

typedef void read_fn(struct reader *reader, struct dg_operand *operand);

static void list(struct reader *reader, struct dg_operand *operand, read_fn *read)
{
    struct dg_operand *items = NULL;
    size_t n = 0;

    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json)) {
        struct dg_operand item = {0};

        read(reader, &item);
        *DG_APPEND(items, n) = item;
    }
    operand->kind = DG_OPERAND_LIST;
    operand->n_items = n;
    operand->items = dg_alloc(memory_of(reader), n + 1, sizeof(*items));
    if (n)
        memcpy(operand->items, items, n * sizeof(*items));
    free(items);
}

static void names(struct reader *reader, struct dg_operand *operand)
{
    list(reader, operand, any);
}

static void numbers(struct reader *reader, struct dg_operand *operand)
{
    list(reader, operand, plain);
}

static void reals(struct reader *reader, struct dg_operand *operand)
{
    list(reader, operand, real);
}

static void nested_names(struct reader *reader, struct dg_operand *operand)
{
    list(reader, operand, names);
}

static void nested_numbers(struct reader *reader, struct dg_operand *operand)
{
    list(reader, operand, numbers);
}

static void graph(struct reader *reader, struct dg_operand *operand)
{
    uint32_t at = (uint32_t)reader->fx->edge;

    name(reader, operand);
    if (reader->arg->problem)
        return;
    reader->arg->graph = reader->fx->targets[reader->fx->edges[at].src];
}

static void operator_name(struct reader *reader, struct dg_operand *operand)
{
    string(reader, operand);
}

static void unsupported(struct reader *reader, const char *what)
{
    reader->arg->problem = what;
    dg_json_skip(&reader->json);
}

/* {"real": 1.0, "imag": 2.0} */
static void complex_number(struct reader *reader, struct dg_operand *operand)
{
    struct dg_text key;

    operand->literal = (struct dg_arg){.kind = DG_ARG_COMPLEX};
    dg_json_object(&reader->json);
    while (dg_json_key(&reader->json, &key)) {
        if (dg_text_is(key, "real"))
            operand->literal.as.pair.real = dg_json_double(&reader->json);
        else if (dg_text_is(key, "imag"))
            operand->literal.as.pair.imag = dg_json_double(&reader->json);
        else
            dg_json_skip(&reader->json);
    }
}

/* Words for compilers, and names without values, mean nothing here. */
static void dictionary(struct reader *reader, struct dg_operand *operand)
{
    struct dg_text key;
    bool hints = dg_text_is(reader->arg->name, "hints");

    operand->literal.kind = DG_ARG_NONE;
    dg_json_object(&reader->json);
    while (dg_json_key(&reader->json, &key)) {
        if (!hints)
            reader->arg->problem = "a dictionary";
        dg_json_skip(&reader->json);
    }
}

static void custom_object(struct reader *reader, struct dg_operand *operand)
{
    name(reader, operand);
    reader->arg->problem = "a custom object";
}

static const struct {
    const char *variant;
    read_fn *read;
} variants[] = {
    {"tensor", name},
    {"tensors", names},
    {"int", number},
    {"ints", numbers},
    {"float", real},
    {"bool", boolean},
    {"none", nothing},
    {"sym_int", any},
    {"sym_ints", names},
    {"string", string},
    {"scalar_type", element_type},
    {"memory_format", nothing},
    {"layout", nothing},
    {"device", nothing},
    {"bools", numbers},
    {"floats", reals},
    {"strings", numbers},
    {"graph", graph},
    {"optional_tensors", names},
    {"optional_tensor", any},
    {"sym_bool", any},
    {"sym_bools", names},
    {"sym_float", any},
    {"sym_floats", names},
    {"custom_obj", custom_object},
    {"operator", operator_name},
    {"complex", complex_number},
    {"nested_tensors", nested_names},
    {"string_to_argument", dictionary},
    {"int_lists", nested_numbers},
    {"float_lists", nested_numbers},
};

static void variant(struct reader *reader, struct dg_text key)
{
    for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
        if (dg_text_is(key, variants[i].variant)) {
            variants[i].read(reader, &reader->arg->operand);
            return;
        }
    }
    unsupported(reader, "an argument of a kind that is not known");
}

static void argument(struct reader *reader)
{
    struct dg_text key;

    dg_json_object(&reader->json);
    while (dg_json_key(&reader->json, &key)) {
        if (dg_text_is(key, "name"))
            reader->arg->name = dg_json_string(&reader->json);
        else
            variant(reader, key);
    }
}

/* Nodes whose edges lie behind them in the table have none that are read here. */
static void skip_edges(struct dg_fx *fx, uint32_t before)
{
    while (fx->edge < fx->n_edges && fx->edges[fx->edge].dst < before)
        fx->edge++;
}

enum dg_status dg_fx_arguments(struct dg_fx *fx, struct dg_fx_node *node)
{
    struct reader reader = {.fx = fx, .node = node};
    struct dg_fx_arg *items = NULL;

    skip_edges(fx, node->slot);
    dg_json_begin(&reader.json, node->args, node->name, &fx->scratch, fx->method->err);
    node->n_items = 0;
    dg_json_array(&reader.json);
    while (dg_json_item(&reader.json)) {
        struct dg_fx_arg item = {0};

        reader.arg = &item;
        argument(&reader);
        *DG_APPEND(items, node->n_items) = item;
    }
    node->items = dg_alloc(&fx->scratch, node->n_items + 1, sizeof(*items));
    if (node->n_items)
        memcpy(node->items, items, node->n_items * sizeof(*items));
    free(items);
    return dg_json_end(&reader.json);
}

int dg_fx_sizes(struct dg_text text, int64_t *sizes, const char **symbols,
                struct dg_arena *memory)
{
    struct dg_error err = {0};
    struct dg_json json;
    int n = 0;

    if (!text.data)
        return 0;
    dg_json_begin(&json, text, "shape", memory, &err);
    dg_json_array(&json);
    while (dg_json_item(&json)) {
        bool symbol = dg_json_peek(&json) == DG_JSON_STRING;

        if (n == DG_RANK_MOST)
            return -1;
        symbols[n] = symbol ? dg_copy(memory, dg_json_string(&json)) : NULL;
        sizes[n++] = symbol ? -1 : dg_json_int(&json);
    }
    return dg_json_end(&json) ? -1 : n;
}
