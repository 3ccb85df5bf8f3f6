/* Types of values, each of them once: what kind, dtype and shape have in common. */
#include "graph/model_types.h"

#include <stdlib.h>
#include <string.h>

unsigned dg_find_name(struct dg_text name, const char *const *names, unsigned n,
                      unsigned likely)
{
    unsigned i = n - 1;

    if (likely && dg_text_is(name, names[likely]))
        return likely;
    while (i && !dg_text_is(name, names[i]))
        i--;
    return i;
}

static enum dg_value_kind kind_of(struct dg_text name)
{
    static const char *const names[] = {
        [DG_VALUE_NULL] = "null",
        [DG_VALUE_INT] = "int",
        [DG_VALUE_BOOL] = "bool",
        [DG_VALUE_DOUBLE] = "double",
        [DG_VALUE_STRING] = "string",
        [DG_VALUE_TENSOR] = "tensor",
        [DG_VALUE_SYM_INT] = "sym_int",
        [DG_VALUE_SYM_FLOAT] = "sym_float",
        [DG_VALUE_SYM_BOOL] = "sym_bool",
        [DG_VALUE_INT_LIST] = "int_list",
        [DG_VALUE_TENSOR_LIST] = "tensor_list",
        [DG_VALUE_OPTIONAL_LIST] = "optional_tensor_list",
        [DG_VALUE_DOUBLE_LIST] = "double_list",
        [DG_VALUE_BOOL_LIST] = "bool_list",
    };

    return (enum dg_value_kind)dg_find_name(name, names, sizeof(names) / sizeof(*names),
                                            0);
}

/* Items of lists of doubles are numbers, or texts where JSON has none; other texts are
 * symbolic sizes. */
static int64_t number_at(const char *at, enum dg_value_kind kind)
{
    double real;
    int64_t bits;

    if (kind == DG_VALUE_BOOL_LIST)
        return *at == 't';
    if (kind != DG_VALUE_DOUBLE_LIST)
        return *at == '"' ? -1 : strtoll(at, NULL, 10);
    real = strtod(at + (*at == '"'), NULL);
    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

/* Behind a number or a text, at most at `end`. */
static const char *after_number(const char *at, const char *end)
{
    const char *begin = at;

    if (*at == '"') {
        for (at++; at < end && *at != '"'; at++)
            at += *at == '\\';
        at++;
    }
    while (at < end && *at != ',' && *at != ']')
        at++;
    return at > begin && at < end ? at : end;
}

/* `end` is the last character, a bracket that ends every number before it. Lists within
 * the list are no numbers: they are read to their first bracket, as one. */
struct dg_numbers dg_numbers_read(struct dg_model_values *values, struct dg_text json,
                                  enum dg_value_kind kind)
{
    struct dg_numbers numbers = {(uint32_t)values->n_numbers, -1};
    const char *end;

    if (json.size < 2 || *json.data != '[' || json.data[json.size - 1] != ']')
        return numbers;
    end = json.data + json.size - 1;
    numbers.n = 0;
    for (const char *at = json.data + 1; at < end && *at != ']';
         at += strspn(at, ", ")) {
        if (values->n_numbers == UINT32_MAX || numbers.n == INT32_MAX)
            dg_out_of_memory();
        *DG_APPEND(values->numbers, values->n_numbers) = number_at(at, kind);
        numbers.n++;
        at = after_number(at, end);
    }
    return numbers;
}

static bool same_key(const void *keys, uint32_t number, struct dg_text key)
{
    return !memcmp((const struct dg_type_key *)keys + number, key.data, key.size);
}

static uint32_t number_of(struct dg_type_reader *reader, struct dg_text text)
{
    uint32_t number = text.data ? dg_text_set_find(&reader->texts, text) : DG_NO_TEXT;

    if (text.data && number == DG_NO_TEXT) {
        text.data = dg_copy(&reader->values->memory, text);
        number = dg_text_set_add(&reader->texts, text);
    }
    return number + 1;
}

static void add_type(struct dg_type_reader *reader, const struct dg_type_key *key)
{
    struct dg_model_values *values = reader->values;
    enum dg_value_kind kind = kind_of(reader->newest[DG_TYPE_KIND]);
    struct dg_text sizes = reader->newest[DG_TYPE_SIZES];
    bool is_tensor = kind == DG_VALUE_TENSOR;

    reader->keys = dg_grow(reader->keys, values->n_types, sizeof(*key));
    reader->keys[values->n_types] = *key;
    *DG_APPEND(values->types, values->n_types) = (struct dg_model_type){
        .kind = kind,
        .symbolic = is_tensor && sizes.size && memchr(sizes.data, '"', sizes.size),
        .dtype = is_tensor ? dg_dtype_of_name(reader->newest[DG_TYPE_DTYPE]) : NULL,
        .name = reader->newest[DG_TYPE_DTYPE],
        .sizes = sizes,
        .content = dg_numbers_read(values, sizes, kind),
    };
}

static bool same(struct dg_text a, struct dg_text b)
{
    return !a.data == !b.data && dg_text_equal(a, b);
}

uint32_t dg_type_find(struct dg_type_reader *reader, const struct dg_text *texts)
{
    struct dg_type_key key;

    if (reader->values->n_types &&
        same(texts[DG_TYPE_KIND], reader->newest[DG_TYPE_KIND]) &&
        same(texts[DG_TYPE_DTYPE], reader->newest[DG_TYPE_DTYPE]) &&
        same(texts[DG_TYPE_SIZES], reader->newest[DG_TYPE_SIZES]))
        return reader->newest_type;
    for (int i = 0; i < DG_TYPE_TEXTS; i++) {
        key.texts[i] = number_of(reader, texts[i]);
        reader->newest[i] =
            key.texts[i] ? reader->texts.texts[key.texts[i] - 1] : (struct dg_text){0};
    }
    reader->newest_type = dg_hash_table_add(
        &reader->types, (struct dg_text){(const char *)&key, sizeof(key)}, same_key,
        reader->keys);
    if (reader->newest_type == reader->values->n_types)
        add_type(reader, &key);
    return reader->newest_type;
}

struct dg_numbers dg_order_find(struct dg_type_reader *reader, struct dg_text json)
{
    if (!json.data)
        return (struct dg_numbers){0, -1};
    if (!same(json, reader->newest_order)) {
        uint32_t number = number_of(reader, json);

        reader->newest_order = reader->texts.texts[number - 1];
        reader->order = dg_numbers_read(reader->values, json, DG_VALUE_TENSOR);
    }
    return reader->order;
}

void dg_type_reader_clear(struct dg_type_reader *reader)
{
    dg_text_set_clear(&reader->texts);
    dg_hash_table_clear(&reader->types);
    free(reader->keys);
}
