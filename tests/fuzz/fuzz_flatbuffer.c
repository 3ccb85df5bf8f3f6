/* Bytes verified as a FlatBuffer of every kind of field, and then visited in full. */
#include <stdlib.h>

#include "formats/flatbuffer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUMBER, NAME, WORDS, CHILD, CHILDREN, CHOICE_TYPE, CHOICE };

static const struct dg_table_type root_type;
static const struct dg_table_type *const choices[] = {NULL, &root_type};
static const struct dg_field fields[] = {
    [NUMBER] = {"number", DG_FIELD_SCALAR, .bytes = 8},
    [NAME] = {"name", DG_FIELD_STRING},
    [WORDS] = {"words", DG_FIELD_VECTOR, .bytes = 4},
    [CHILD] = {"child", DG_FIELD_TABLE, .type = &root_type},
    [CHILDREN] = {"children", DG_FIELD_TABLES, .type = &root_type},
    [CHOICE_TYPE] = {"choice type", DG_FIELD_SCALAR, .bytes = 1},
    [CHOICE] = {"choice", DG_FIELD_UNION, .members = choices, .n_members = 2},
};
static const struct dg_table_type root_type = {"root", fields,
                                               sizeof(fields) / sizeof(*fields)};

static uint64_t touch(struct dg_flatbuffer_table table)
{
    struct dg_text name = dg_table_string(table, NAME);
    struct dg_vector words = dg_table_vector(table, WORDS);
    uint64_t sum = dg_table_u64(table, NUMBER, 1) + dg_table_u8(table, CHOICE_TYPE, 0);

    for (size_t i = 0; i < name.size; i++)
        sum += (uint8_t)name.data[i];
    for (size_t i = 0; i < words.n; i++)
        sum += dg_u32(words.at + 4 * i);
    return sum;
}

/* Tables may be shared, so a walk over all paths can be exponential: count down. */
static uint64_t visit(struct dg_flatbuffer_table table, int *left)
{
    struct dg_vector children;
    uint64_t sum;

    if (!table.at || --*left < 0)
        return 0;
    sum = touch(table);
    sum += visit(dg_table_table(table, CHILD), left);
    sum += visit(dg_table_union(table, CHOICE), left);
    children = dg_table_vector(table, CHILDREN);
    for (size_t i = 0; i<children.n && * left> 0; i++)
        sum += visit(dg_vector_table(children, i), left);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static volatile uint64_t sink; /* so that nothing is optimised away */
    const struct dg_bytes bytes = {data, size};
    struct dg_error err = {0};
    size_t n_unknown = 0;
    int left = 2000;

    dg_flatbuffer_root_has(bytes, CHOICE);
    if (!dg_flatbuffer_verify(bytes, &root_type, &n_unknown, &err))
        sink = sink + visit(dg_flatbuffer_root(bytes, &root_type), &left);
    else if (!err.text[0])
        abort();
    return 0;
}
