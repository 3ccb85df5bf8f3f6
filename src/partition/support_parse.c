/* The smaller parts of a list of supported operators in JSON: names, words, numbers,
 * and conditions on tensors. */
#include "partition/support_reader.h"

#include <stdlib.h>

enum { MAX_FIELDS = 32 };

int dg_support_line(const struct dg_support_reader *reader)
{
    int line = 1;

    for (const char *at = reader->json.begin; at < reader->json.at; at++)
        line += *at == '\n';
    return line;
}

void dg_support_unknown(struct dg_support_reader *reader, const char *what,
                        struct dg_text wrong, const char *near)
{
    int line = dg_support_line(reader);

    if (near)
        dg_json_fail(&reader->json,
                     "line %d: unknown %s \"%.*s\": did you mean \"%s\"?", line, what,
                     (int)wrong.size, wrong.data, near);
    else
        dg_json_fail(&reader->json, "line %d: unknown %s \"%.*s\"", line, what,
                     (int)wrong.size, wrong.data);
}

static const struct dg_support_field *find_field(struct dg_support_reader *reader,
                                                 const struct dg_support_field *fields,
                                                 size_t n, struct dg_text key)
{
    const char *names[MAX_FIELDS];

    for (size_t i = 0; i < n; i++) {
        if (dg_text_is(key, fields[i].name))
            return &fields[i];
        names[i] = fields[i].name;
    }
    dg_support_unknown(reader, "field", key,
                       dg_nearest(dg_copy(&reader->support->memory, key), names, n));
    return NULL;
}

void dg_support_read_object(struct dg_support_reader *reader,
                            const struct dg_support_field *fields, size_t n,
                            void *target)
{
    const struct dg_support_field *field;
    struct dg_text key;

    dg_json_object(&reader->json);
    while (dg_json_key(&reader->json, &key)) {
        field = find_field(reader, fields, n, key);
        if (field)
            field->read(reader, target);
    }
}

/* One of some words. */
int dg_support_read_word(struct dg_support_reader *reader, const char *what,
                         const char *const *words, size_t n)
{
    struct dg_text word = dg_json_string(&reader->json);

    for (size_t i = 0; i < n && !reader->json.failed; i++) {
        if (dg_text_is(word, words[i]))
            return (int)i;
    }
    if (!reader->json.failed && n == 1)
        dg_json_fail(&reader->json, "line %d: %s \"%.*s\"; expected \"%s\"",
                     dg_support_line(reader), what, (int)word.size, word.data, *words);
    else if (!reader->json.failed)
        dg_support_unknown(
            reader, what, word,
            dg_nearest(dg_copy(&reader->support->memory, word), words, n));
    return 0;
}

/* Lists grow with malloc; what a list keeps lies in its arena. */
void *dg_support_keep(struct dg_support_reader *reader, void *items, size_t n,
                      size_t size)
{
    void *copy = dg_alloc(&reader->support->memory, n, size);

    if (n)
        memcpy(copy, items, n * size);
    free(items);
    return copy;
}

static void read_op(struct dg_support_reader *reader, struct dg_text *op)
{
    struct dg_text name = dg_json_string(&reader->json);
    const char *near;

    if (reader->json.failed)
        return;
    *op = dg_op_spelling(&reader->support->memory, name);
    if (!dg_op_can_be(&reader->support->memory, *op, &near))
        dg_support_unknown(reader, "operator", name, near);
}

void dg_support_read_ops(struct dg_support_reader *reader, void *target)
{
    struct dg_support_match *match = target;
    struct dg_text *ops = NULL;
    size_t n = 0;

    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json))
        read_op(reader, DG_APPEND(ops, n));
    if (!n)
        dg_json_fail(&reader->json, "line %d: expected an operator",
                     dg_support_line(reader));
    match->ops = DG_KEEP(reader, ops, n);
    match->n_ops = n;
}

static const struct dg_dtype *read_dtype(struct dg_support_reader *reader)
{
    static const char *const names[] = {
        "u8",  "i8",  "i16",  "i32",    "i64",      "f16",    "f32",       "f64",
        "c32", "c64", "c128", "bool",   "qint8",    "quint8", "qint32",    "bf16",
        "u16", "u32", "u64",  "f8e5m2", "f8e4m3fn", "bits16", "f8e8m0fnu",
    };
    struct dg_text name = dg_json_string(&reader->json);
    const struct dg_dtype *dtype = dg_dtype_of_name(name);
    const char *near;

    if (dtype || reader->json.failed)
        return dtype;
    near = dg_nearest(dg_copy(&reader->support->memory, name), names,
                      sizeof(names) / sizeof(*names));
    if (near)
        dg_support_unknown(reader, "dtype", name, near);
    else
        dg_json_fail(
            &reader->json,
            "line %d: unknown dtype \"%.*s\"; expected one like f32, i64, bool",
            dg_support_line(reader), (int)name.size, name.data);
    return NULL;
}

void dg_support_read_dtypes(struct dg_support_reader *reader, void *target)
{
    struct dg_support_tensor *tensor = target;
    const struct dg_dtype **dtypes = NULL;
    size_t n = 0;

    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json))
        *DG_APPEND(dtypes, n) = read_dtype(reader);
    tensor->dtypes = DG_KEEP(reader, dtypes, n);
    tensor->n_dtypes = n;
    reader->support->values = true;
}

static void read_min(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_range *)target)->min = dg_json_int(&reader->json);
}

static void read_max(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_range *)target)->max = dg_json_int(&reader->json);
}

/* 4, or {"min": 1, "max": 4} */
void dg_support_read_range(struct dg_support_reader *reader,
                           struct dg_support_range *range)
{
    static const struct dg_support_field fields[] = {{"min", read_min},
                                                     {"max", read_max}};

    if (dg_json_peek(&reader->json) == DG_JSON_OBJECT)
        DG_READ_OBJECT(reader, fields, range);
    else
        range->min = range->max = dg_json_int(&reader->json);
    if (range->min > range->max)
        dg_json_fail(&reader->json, "line %d: min is above max",
                     dg_support_line(reader));
}

void dg_support_read_rank(struct dg_support_reader *reader, void *target)
{
    dg_support_read_range(reader, &((struct dg_support_tensor *)target)->rank);
    reader->support->values = true;
}

void dg_support_read_shape(struct dg_support_reader *reader, void *target)
{
    static const char *const words[] = {"static", "backed"};
    struct dg_support_tensor *tensor = target;

    tensor->is_backed = true;
    tensor->is_static = !dg_support_read_word(reader, "kind of shape", words, 2);
    reader->support->values = true;
}

void dg_support_read_elements(struct dg_support_reader *reader, void *target)
{
    dg_support_read_range(reader, &((struct dg_support_tensor *)target)->elements);
    reader->support->values = true;
}

void dg_support_read_empty(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_tensor *)target)->not_empty = !dg_json_bool(&reader->json);
    reader->support->values = true;
}

void dg_support_read_constant(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_tensor *)target)->constant = dg_json_bool(&reader->json);
}

void dg_support_read_only(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_tensor *)target)->only = dg_json_bool(&reader->json);
    reader->support->values = true;
}

void dg_support_read_alike(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_tensor *)target)->alike = dg_json_bool(&reader->json);
    reader->support->values = true;
}

static void read_number(struct dg_support_item *item, struct dg_text text)
{
    bool whole = true;

    for (size_t i = 0; i < text.size; i++)
        whole &= text.data[i] == '-' || (text.data[i] >= '0' && text.data[i] <= '9');
    item->type = whole ? DG_ITEM_INT : DG_ITEM_FLOAT;
    item->real = text.size ? strtod(text.data, NULL) : 0;
    item->integer = whole && text.size ? strtoll(text.data, NULL, 10) : 0;
}

static void read_item(struct dg_support_reader *reader, struct dg_support_item *item)
{
    switch (dg_json_peek(&reader->json)) {
    case DG_JSON_NUMBER:
        read_number(item, dg_json_number(&reader->json));
        break;
    case DG_JSON_BOOL:
        item->type = DG_ITEM_BOOL;
        item->integer = dg_json_bool(&reader->json);
        break;
    case DG_JSON_NULL:
        dg_json_null(&reader->json);
        break;
    default:
        item->type = DG_ITEM_STRING;
        item->text = dg_json_string(&reader->json);
    }
}

void dg_support_read_items(struct dg_support_reader *reader,
                           struct dg_support_items *out)
{
    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json))
        read_item(reader, DG_APPEND(out->items, out->n_items));
    DG_KEEP(reader, out->items, out->n_items);
}

static void read_size(struct dg_support_reader *reader, struct dg_support_size *size,
                      struct dg_text key)
{
    struct dg_support_item dim = {0};

    read_number(&dim, key);
    if (dim.type != DG_ITEM_INT || !key.size)
        dg_json_fail(&reader->json, "line %d: expected the number of a dimension",
                     dg_support_line(reader));
    size->dim = dim.integer;
    dg_support_read_items(reader, &size->sizes);
    if (!size->sizes.n_items)
        dg_json_fail(&reader->json, "line %d: expected a size",
                     dg_support_line(reader));
}

/* {"0": [1]} */
void dg_support_read_sizes(struct dg_support_reader *reader, void *target)
{
    struct dg_support_tensor *tensor = target;
    struct dg_text key;

    dg_json_object(&reader->json);
    while (dg_json_key(&reader->json, &key))
        read_size(reader, DG_APPEND(tensor->sizes, tensor->n_sizes), key);
    DG_KEEP(reader, tensor->sizes, tensor->n_sizes);
    reader->support->values = true;
}

static void read_packed(struct dg_support_reader *reader, void *target)
{
    static const char *const words[] = {"width", "height", "channels"};
    struct dg_support_tensor *tensor = target;

    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json)) {
        int *packed = DG_APPEND(tensor->packed, tensor->n_packed);

        *packed = dg_support_read_word(reader, "dimension", words, 3);
    }
    DG_KEEP(reader, tensor->packed, tensor->n_packed);
}

static void read_limits(struct dg_support_reader *reader, void *target)
{
    struct dg_support_tensor *tensor = target;
    size_t n = 0;

    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json)) {
        int64_t limit = dg_json_int(&reader->json);

        if (n < 3)
            tensor->limits[n] = limit;
        n++;
    }
    if (n != 3)
        dg_json_fail(&reader->json, "line %d: expected width, height and depth",
                     dg_support_line(reader));
}

/* {"packed": ["width", "channels"], "limits": [16384, 16384, 2048]} */
void dg_support_read_image(struct dg_support_reader *reader, void *target)
{
    static const struct dg_support_field fields[] = {{"packed", read_packed},
                                                     {"limits", read_limits}};

    DG_READ_OBJECT(reader, fields, target);
    reader->support->values = true;
}
