/* FlatBuffers that were verified: getters, which rely on that. */
#include "formats/flatbuffer.h"

#include <assert.h>
#include <string.h>

struct dg_flatbuffer_table dg_flatbuffer_root(struct dg_bytes buffer,
                                              const struct dg_table_type *type)
{
    return (struct dg_flatbuffer_table){buffer.data + dg_u32(buffer.data), type};
}

/* Where the field lies, or NULL. */
static const uint8_t *locate(struct dg_flatbuffer_table table, unsigned field)
{
    const uint8_t *vtable = table.at - (int32_t)dg_u32(table.at);
    unsigned slot = 4 + 2 * field;
    unsigned offset = slot + 2 <= dg_u16(vtable) ? dg_u16(vtable + slot) : 0;

    return offset ? table.at + offset : NULL;
}

static const struct dg_field *described(struct dg_flatbuffer_table table,
                                        unsigned field)
{
    assert(field < table.type->n_fields);
    return &table.type->fields[field];
}

static const uint8_t *find_scalar(struct dg_flatbuffer_table table, unsigned field,
                                  unsigned bytes)
{
    if (!table.at)
        return NULL;
    assert(described(table, field)->kind == DG_FIELD_SCALAR);
    assert(described(table, field)->bytes == bytes);
    return locate(table, field);
}

/* What the offset in the field leads to. */
static const uint8_t *find_target(struct dg_flatbuffer_table table, unsigned field,
                                  enum dg_field_kind kind)
{
    const uint8_t *at;

    if (!table.at)
        return NULL;
    assert(described(table, field)->kind == kind);
    at = locate(table, field);
    return at ? at + dg_u32(at) : NULL;
}

bool dg_table_has(struct dg_flatbuffer_table table, unsigned field)
{
    return table.at && locate(table, field);
}

const uint8_t *dg_table_scalar(struct dg_flatbuffer_table table, unsigned field)
{
    return find_scalar(table, field, described(table, field)->bytes);
}

uint8_t dg_table_u8(struct dg_flatbuffer_table table, unsigned field, uint8_t otherwise)
{
    const uint8_t *at = find_scalar(table, field, 1);

    return at ? *at : otherwise;
}

int8_t dg_table_i8(struct dg_flatbuffer_table table, unsigned field, int8_t otherwise)
{
    return (int8_t)dg_table_u8(table, field, (uint8_t)otherwise);
}

uint16_t dg_table_u16(struct dg_flatbuffer_table table, unsigned field,
                      uint16_t otherwise)
{
    const uint8_t *at = find_scalar(table, field, 2);

    return at ? dg_u16(at) : otherwise;
}

uint32_t dg_table_u32(struct dg_flatbuffer_table table, unsigned field,
                      uint32_t otherwise)
{
    const uint8_t *at = find_scalar(table, field, 4);

    return at ? dg_u32(at) : otherwise;
}

int32_t dg_table_i32(struct dg_flatbuffer_table table, unsigned field,
                     int32_t otherwise)
{
    return (int32_t)dg_table_u32(table, field, (uint32_t)otherwise);
}

uint64_t dg_table_u64(struct dg_flatbuffer_table table, unsigned field,
                      uint64_t otherwise)
{
    const uint8_t *at = find_scalar(table, field, 8);

    return at ? dg_u64(at) : otherwise;
}

int64_t dg_table_i64(struct dg_flatbuffer_table table, unsigned field,
                     int64_t otherwise)
{
    return (int64_t)dg_table_u64(table, field, (uint64_t)otherwise);
}

double dg_table_f64(struct dg_flatbuffer_table table, unsigned field, double otherwise)
{
    const uint8_t *at = find_scalar(table, field, 8);
    uint64_t bits = at ? dg_u64(at) : 0;
    double value;

    memcpy(&value, &bits, sizeof(value));
    return at ? value : otherwise;
}

float dg_table_f32(struct dg_flatbuffer_table table, unsigned field, float otherwise)
{
    const uint8_t *at = find_scalar(table, field, 4);

    return at ? dg_f32(at) : otherwise;
}

struct dg_text dg_table_string(struct dg_flatbuffer_table table, unsigned field)
{
    const uint8_t *at = find_target(table, field, DG_FIELD_STRING);

    return at ? (struct dg_text){(const char *)at + 4, dg_u32(at)}
              : (struct dg_text){0};
}

struct dg_flatbuffer_table dg_table_table(struct dg_flatbuffer_table table,
                                          unsigned field)
{
    const uint8_t *at = find_target(table, field, DG_FIELD_TABLE);

    return at ? (struct dg_flatbuffer_table){at, table.type->fields[field].type}
              : (struct dg_flatbuffer_table){0};
}

struct dg_vector dg_table_vector(struct dg_flatbuffer_table table, unsigned field)
{
    bool scalars = table.at && described(table, field)->kind == DG_FIELD_VECTOR;
    const uint8_t *at =
        find_target(table, field, scalars ? DG_FIELD_VECTOR : DG_FIELD_TABLES);

    return at ? (struct dg_vector){at + 4, dg_u32(at), table.type->fields[field].type}
              : (struct dg_vector){0};
}

struct dg_flatbuffer_table dg_vector_table(struct dg_vector vector, size_t index)
{
    const uint8_t *at = vector.at + 4 * index;

    assert(vector.type);
    return (struct dg_flatbuffer_table){at + dg_u32(at), vector.type};
}

struct dg_vector dg_table_strings(struct dg_flatbuffer_table table, unsigned field)
{
    const uint8_t *at = find_target(table, field, DG_FIELD_STRINGS);

    return at ? (struct dg_vector){at + 4, dg_u32(at), NULL} : (struct dg_vector){0};
}

struct dg_text dg_vector_string(struct dg_vector strings, size_t index)
{
    const uint8_t *at = strings.at + 4 * index;

    at += dg_u32(at);
    return (struct dg_text){(const char *)at + 4, dg_u32(at)};
}

struct dg_flatbuffer_table dg_table_union(struct dg_flatbuffer_table table,
                                          unsigned field)
{
    const uint8_t *at = find_target(table, field, DG_FIELD_UNION);
    uint8_t type = at ? dg_table_u8(table, field - 1, 0) : 0;
    const struct dg_field *member = at ? described(table, field) : NULL;

    return at && type < member->n_members && member->members[type]
               ? (struct dg_flatbuffer_table){at, member->members[type]}
               : (struct dg_flatbuffer_table){0};
}
