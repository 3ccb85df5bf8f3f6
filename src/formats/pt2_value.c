/* What nodes compute: types, shapes and symbols. */
#include "formats/pt2.h"

static const char *layout_name(int64_t code)
{
    static const char *const names[] = {
        "unknown",    "sparse_coo", "sparse_csr", "sparse_csc",
        "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided",
    };

    return code >= 0 && code < 8 ? names[code] : "unknown";
}

static struct dg_text expression(struct dg_pt2 *pt2, struct dg_text text)
{
    struct dg_name *known = dg_names_at(&pt2->expressions, text);

    if (known->value == DG_NONE) {
        known->value = (int64_t)pt2->n_expression_texts;
        *DG_APPEND(pt2->expression_texts, pt2->n_expression_texts) =
            dg_pt2_expression(text, &pt2->program->memory);
    }
    return pt2->expression_texts[known->value];
}

/* {"expr_str": "Symbol('s0', ...)", "hint": {...}} */
static struct dg_text symbolic(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_text key, text = dg_text("");

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "expr_str"))
            text = expression(pt2, dg_json_string(json));
        else
            dg_json_skip(json);
    }
    return text;
}

/* SymInt, SymFloat, SymBool */
static struct dg_any size(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_any any = {0};
    struct dg_text variant;

    dg_json_object(json);
    while (dg_pt2_variant(json, &variant)) {
        if (dg_text_is(variant, "int"))
            any = (struct dg_any){.type = DG_INTEGER, .integer = dg_json_int(json)};
        else if (dg_text_is(variant, "expr"))
            any = (struct dg_any){.type = DG_TEXT, .text = symbolic(pt2, json)};
        else if (dg_text_is(variant, "float"))
            any = (struct dg_any){.type = DG_REAL, .real = dg_json_double(json)};
        else if (dg_text_is(variant, "bool"))
            any = (struct dg_any){.type = DG_INTEGER, .integer = dg_json_bool(json)};
        else
            dg_pt2_unknown(pt2, json, variant);
    }
    if (any.type == DG_NULL)
        dg_json_fail(json, "expected a union with one variant");
    return any;
}

/* Extents along the way: how many elements, how far apart first and last lie. */
enum { MAX_RANK = 64 };

struct sizes {
    int64_t items[MAX_RANK];
    size_t count;
    bool fixed;
};

static void write_decimal(struct dg_writer *out, int64_t number)
{
    char text[20], *at = text + sizeof(text);
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;

    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (number < 0)
        *--at = '-';
    dg_write(out, at, (size_t)(text + sizeof(text) - at));
}

static struct dg_text sizes(struct dg_pt2 *pt2, struct dg_json *json,
                            struct sizes *read)
{
    struct dg_writer *out = &pt2->scratch;

    *read = (struct sizes){.fixed = true};
    out->size = 0;
    dg_write(out, "[", 1);
    dg_json_array(json);
    while (dg_json_item(json)) {
        struct dg_any any = size(pt2, json);

        if (out->size > 1)
            dg_write(out, ",", 1);
        if (any.type == DG_INTEGER)
            write_decimal(out, any.integer);
        else
            dg_write_json(out, any.type == DG_TEXT ? any.text : dg_text(""));
        read->fixed &= any.type == DG_INTEGER && read->count < MAX_RANK;
        if (read->fixed)
            read->items[read->count++] = any.integer;
    }
    dg_write(out, "]", 1);
    return dg_pt2_keep(pt2, out);
}

static int64_t count_elements(const struct sizes *shape)
{
    int64_t count = 1;

    if (!shape->fixed)
        return -1;
    for (size_t i = 0; i < shape->count; i++) {
        if (shape->items[i] < 0 ||
            __builtin_mul_overflow(count, shape->items[i], &count))
            return -1;
    }
    return count;
}

static int64_t span(const struct sizes *shape, const struct sizes *strides,
                    int64_t elements)
{
    int64_t total = 1;

    if (elements < 0 || !strides->fixed || strides->count != shape->count)
        return -1;
    if (!elements)
        return 0;
    for (size_t i = 0; i < shape->count; i++) {
        int64_t step;

        if (strides->items[i] < 0 ||
            __builtin_mul_overflow(shape->items[i] - 1, strides->items[i], &step) ||
            __builtin_add_overflow(total, step, &total))
            return -1;
    }
    return total;
}

static struct dg_text device(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_text key, type = {0};
    int64_t index = -1;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "type"))
            type = dg_json_string(json);
        else if (dg_json_peek(json) == DG_JSON_NUMBER)
            index = dg_json_int(json);
        else
            dg_json_skip(json);
    }
    if (index < 0 || !type.data)
        return type;
    return dg_format(&pt2->program->memory, "%.*s:%lld", (int)type.size, type.data,
                     (long long)index);
}

static const struct dg_dtype *dtype(struct dg_pt2 *pt2, struct dg_json *json)
{
    int64_t code = dg_json_int(json);

    return pt2->exir ? dg_dtype_of_exir(code) : dg_dtype_of_torch(code);
}

static void tensor_field(struct dg_pt2 *pt2, struct dg_json *json, struct dg_text key,
                         struct dg_pt2_tensor *tensor, struct sizes *read)
{
    if (dg_text_is(key, "dtype"))
        tensor->dtype = dtype(pt2, json);
    else if (dg_text_is(key, "sizes"))
        tensor->shape = sizes(pt2, json, &read[0]);
    else if (dg_text_is(key, "strides"))
        tensor->strides = sizes(pt2, json, &read[1]);
    else if (dg_text_is(key, "device"))
        tensor->device = device(pt2, json);
    else if (dg_text_is(key, "storage_offset"))
        tensor->storage_offset = size(pt2, json);
    else if (dg_text_is(key, "layout"))
        tensor->layout = layout_name(dg_json_int(json));
    else if (dg_text_is(key, "requires_grad"))
        tensor->requires_grad = dg_json_bool(json);
    else
        dg_pt2_unknown(pt2, json, key);
}

struct dg_pt2_tensor dg_pt2_tensor_meta(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_pt2_tensor tensor = {.requires_grad = DG_NONE, .nbytes = DG_NONE};
    struct sizes read[2];
    struct dg_text key;

    read[0] = read[1] = (struct sizes){0};
    dg_json_object(json);
    while (dg_json_key(json, &key))
        tensor_field(pt2, json, key, &tensor, read);
    tensor.elements = count_elements(&read[0]);
    tensor.span = span(&read[0], &read[1], tensor.elements);
    if (tensor.elements < 0 || !tensor.dtype || !tensor.dtype->bytes ||
        __builtin_mul_overflow(tensor.elements, tensor.dtype->bytes, &tensor.nbytes))
        tensor.nbytes = DG_NONE;
    return tensor;
}

static const struct dg_value_type *read_type(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_pt2_tensor tensor = dg_pt2_tensor_meta(pt2, json);
    struct dg_value_type *type = dg_alloc(&pt2->program->memory, 1, sizeof(*type));

    *type = (struct dg_value_type){
        .dtype = tensor.dtype ? tensor.dtype->name : NULL,
        .shape = tensor.shape,
        .strides = tensor.strides,
        .device = tensor.device,
        .storage_offset = tensor.storage_offset,
        .layout = tensor.layout,
        .requires_grad = tensor.requires_grad,
        .nbytes = tensor.nbytes,
    };
    return type;
}

/* One of the last few, which need not even be walked to their ends. */
static const struct dg_value_type *recent_type(struct dg_pt2 *pt2, struct dg_json *json)
{
    for (size_t i = 0; i < DG_PT2_RECENT && i < pt2->n_recent; i++) {
        const struct dg_name *known = &pt2->metas.names[pt2->recent[i]];

        if (dg_json_skip_same(json, known->text))
            return pt2->types[known->value];
    }
    return NULL;
}

/* Most tensors are described in the same words as one before: read those once. */
static const struct dg_value_type *known_type(struct dg_pt2 *pt2, struct dg_json *json)
{
    const struct dg_value_type *recent = recent_type(pt2, json);
    struct dg_name *known;
    struct dg_text raw;

    if (recent)
        return recent;
    raw = dg_json_skip(json);
    known = dg_names_at(&pt2->metas, raw);
    if (known->value == DG_NONE && !json->failed) {
        known->value = (int64_t)pt2->n_types;
        json->at = raw.data;
        *DG_APPEND(pt2->types, pt2->n_types) = read_type(pt2, json);
    }
    if (json->failed)
        return &dg_no_type;
    pt2->recent[pt2->n_recent++ % DG_PT2_RECENT] = (size_t)(known - pt2->metas.names);
    return pt2->types[known->value];
}

static uint8_t bit_of(const char *kind)
{
    static const char *const kinds[] = {"tensor", "sym_int", "sym_bool", "sym_float",
                                        "custom_obj"};
    size_t i = 0;

    while (i + 1 < sizeof(kinds) / sizeof(*kinds) && strcmp(kinds[i], kind) != 0)
        i++;
    return (uint8_t)(1u << i);
}

void dg_pt2_values(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_scope *scope,
                   const char *kind)
{
    const uint8_t bit = bit_of(kind);
    struct dg_text name;

    dg_json_object_of_names(json);
    while (dg_json_key(json, &name)) {
        int64_t row = (int64_t)pt2->program->n_values;
        struct dg_value_row *value = dg_add_value(pt2->program);
        struct dg_name *known = dg_names_at(&scope->names, name);

        if (known->kinds & bit)
            dg_json_refuse_key(json);
        known->kinds |= bit;
        value->graph = scope->graph;
        value->idx = scope->n_values++;
        value->name = known->text;
        value->kind = kind;
        if (known->value == DG_NONE)
            known->value = row;
        if (known->node != DG_NONE && pt2->program->nodes[known->node].value == DG_NONE)
            pt2->program->nodes[known->node].value = row;
        if (*kind == 't')
            pt2->program->values[row].type = known_type(pt2, json);
        else if (*kind == 's')
            value->scalar = size(pt2, json);
        else
            dg_json_skip(json);
    }
}
