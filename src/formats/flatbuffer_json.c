#include "formats/flatbuffer_json.h"

#include <math.h>
#include <string.h>

static int64_t int_at(const uint8_t *at, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return (int8_t)*at;
    case 2:
        return (int16_t)dg_u16(at);
    case 4:
        return (int32_t)dg_u32(at);
    default:
        return (int64_t)dg_u64(at);
    }
}

static void put_real_at(struct dg_json_writer *json, const char *key, const uint8_t *at,
                        unsigned bytes)
{
    uint64_t bits = bytes == 8 ? dg_u64(at) : 0;
    double value;

    memcpy(&value, &bits, sizeof(value));
    if (bytes == 8)
        dg_write_double(dg_put_raw(json, key), value);
    else
        dg_write_float(dg_put_raw(json, key), dg_f32(at));
}

static void put_number_at(struct dg_json_writer *json, const char *key,
                          const struct dg_field *field, const uint8_t *at)
{
    if (field->role == DG_ROLE_REAL)
        put_real_at(json, key, at, field->bytes);
    else if (field->role == DG_ROLE_BOOL)
        dg_put_bool(json, key, *at != 0);
    else
        dg_put_int(json, key, int_at(at, field->bytes));
}

static void put_absent(struct dg_json_writer *json, const char *key,
                       const struct dg_field *field)
{
    if (isnan(field->otherwise))
        dg_put_null(json, key);
    else if (field->role == DG_ROLE_REAL)
        dg_write_double(dg_put_raw(json, key), field->otherwise);
    else if (field->role == DG_ROLE_BOOL)
        dg_put_bool(json, key, field->otherwise != 0);
    else
        dg_put_int(json, key, (int64_t)field->otherwise);
}

static void put_numbers(struct dg_json_writer *json, const char *key,
                        struct dg_flatbuffer_table table, unsigned id)
{
    const struct dg_field *field = &table.type->fields[id];
    struct dg_vector list = dg_table_vector(table, id);

    dg_put_array(json, key);
    for (size_t i = 0; i < list.n; i++)
        put_number_at(json, NULL, field, list.at + i * field->bytes);
    dg_put_end(json);
}

static void put_strings(struct dg_json_writer *json, const char *key,
                        struct dg_vector strings)
{
    dg_put_array(json, key);
    for (size_t i = 0; i < strings.n; i++)
        dg_put_text(json, NULL, dg_vector_string(strings, i));
    dg_put_end(json);
}

static void put(struct dg_json_writer *json, const char *key,
                struct dg_flatbuffer_table table, unsigned id)
{
    const struct dg_field *field = &table.type->fields[id];
    bool has = dg_table_has(table, id);

    if (field->kind == DG_FIELD_STRING)
        dg_put_text(json, key, dg_table_string(table, id));
    else if (field->kind == DG_FIELD_SCALAR && has)
        put_number_at(json, key, field, dg_table_scalar(table, id));
    else if (field->kind == DG_FIELD_SCALAR)
        put_absent(json, key, field);
    else if (!has)
        dg_put_null(json, key);
    else if (field->kind == DG_FIELD_STRINGS)
        put_strings(json, key, dg_table_strings(table, id));
    else
        put_numbers(json, key, table, id);
}

static bool is_told(const struct dg_field *field)
{
    if (field->kind == DG_FIELD_STRING || field->kind == DG_FIELD_STRINGS)
        return true;
    return (field->kind == DG_FIELD_SCALAR || field->kind == DG_FIELD_VECTOR) &&
           (field->role == DG_ROLE_INT || field->role == DG_ROLE_REAL ||
            field->role == DG_ROLE_BOOL);
}

void dg_put_field(struct dg_json_writer *json, struct dg_flatbuffer_table table,
                  unsigned id)
{
    if (is_told(&table.type->fields[id]))
        put(json, table.type->fields[id].name, table, id);
}

void dg_put_content(struct dg_json_writer *json, struct dg_flatbuffer_table table,
                    unsigned id)
{
    put(json, NULL, table, id);
}

void dg_put_fields(struct dg_json_writer *json, struct dg_flatbuffer_table table)
{
    for (unsigned i = 0; table.at && i < table.type->n_fields; i++)
        dg_put_field(json, table, i);
}
