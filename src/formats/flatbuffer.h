/* FlatBuffers: a verifier driven by tables of fields, and getters for what it passed.
 *
 * Nothing may be read before dg_flatbuffer_verify() has accepted the buffer; after that
 * no getter can leave it. A table or vector that is absent has `at` NULL, and every
 * getter takes it for empty. */
#ifndef DG_FORMATS_FLATBUFFER_H
#define DG_FORMATS_FLATBUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum dg_field_kind {
    DG_FIELD_SCALAR,
    DG_FIELD_STRING,
    DG_FIELD_VECTOR, /* of scalars */
    DG_FIELD_TABLE,
    DG_FIELD_TABLES, /* a vector of tables */
    DG_FIELD_STRINGS,
    DG_FIELD_UNION, /* the value; its type is the byte of the field before */
};

/* What a number is, or each of a vector, to readers that tell it. */
enum dg_field_role {
    DG_ROLE_NONE,
    DG_ROLE_INT,
    DG_ROLE_REAL,
    DG_ROLE_BOOL,
    DG_ROLE_READ,  /* the number of a tensor that is read */
    DG_ROLE_WRITE, /* or written */
    DG_ROLE_READ_SCALAR,
    DG_ROLE_WRITE_SCALAR,
};

/* A field; its place in `fields` is its id. */
struct dg_field {
    const char *name;
    enum dg_field_kind kind;
    uint8_t bytes;                    /* of the scalar, of an item of the vector */
    const struct dg_table_type *type; /* of the table or tables */
    const struct dg_table_type *const *members; /* of a union by type; NULL: unknown */
    size_t n_members;
    enum dg_field_role role;
    double otherwise; /* what stands for an absent number that has a role; NaN: none */
};

struct dg_table_type {
    const char *name;
    const struct dg_field *fields;
    size_t n_fields;
};

/* Each knows what it was verified as, and hands out nothing else. */
struct dg_flatbuffer_table {
    const uint8_t *at;
    const struct dg_table_type *type;
};

struct dg_vector {
    const uint8_t *at; /* its first item */
    size_t n;
    const struct dg_table_type *type; /* of its tables */
};

/* Check everything that `root` describes. Members of unions that are not described stay
 * unread. Messages give offsets from the start of `buffer`. *n_unknown counts fields
 * that are present but not described. */
enum dg_status dg_flatbuffer_verify(struct dg_bytes buffer,
                                    const struct dg_table_type *root, size_t *n_unknown,
                                    struct dg_error *err);

/* The same of a buffer that lies behind its own size, four bytes that do not belong to
 * it: what has to be aligned is aligned to where these begin. */
enum dg_status dg_flatbuffer_verify_sized(struct dg_bytes buffer,
                                          const struct dg_table_type *root,
                                          size_t *n_unknown, struct dg_error *err);

/* Whether the root table has that field; false for a broken buffer. Needs no
 * verification. */
bool dg_flatbuffer_root_has(struct dg_bytes buffer, unsigned field);

/* The getters below need a buffer that was verified as that type, and fields that it
 * describes as what the getter returns. */
struct dg_flatbuffer_table dg_flatbuffer_root(struct dg_bytes buffer,
                                              const struct dg_table_type *type);

bool dg_table_has(struct dg_flatbuffer_table table, unsigned field);

/* Where a number lies that is there. */
const uint8_t *dg_table_scalar(struct dg_flatbuffer_table table, unsigned field);
uint8_t dg_table_u8(struct dg_flatbuffer_table table, unsigned field,
                    uint8_t otherwise);
int8_t dg_table_i8(struct dg_flatbuffer_table table, unsigned field, int8_t otherwise);
uint16_t dg_table_u16(struct dg_flatbuffer_table table, unsigned field,
                      uint16_t otherwise);
int32_t dg_table_i32(struct dg_flatbuffer_table table, unsigned field,
                     int32_t otherwise);
uint32_t dg_table_u32(struct dg_flatbuffer_table table, unsigned field,
                      uint32_t otherwise);
int64_t dg_table_i64(struct dg_flatbuffer_table table, unsigned field,
                     int64_t otherwise);
uint64_t dg_table_u64(struct dg_flatbuffer_table table, unsigned field,
                      uint64_t otherwise);
double dg_table_f64(struct dg_flatbuffer_table table, unsigned field, double otherwise);
float dg_table_f32(struct dg_flatbuffer_table table, unsigned field, float otherwise);

struct dg_text dg_table_string(struct dg_flatbuffer_table table,
                               unsigned field); /* any bytes */
struct dg_flatbuffer_table dg_table_table(struct dg_flatbuffer_table table,
                                          unsigned field);
struct dg_vector dg_table_vector(struct dg_flatbuffer_table table, unsigned field);
struct dg_flatbuffer_table dg_vector_table(struct dg_vector vector, size_t index);
struct dg_vector dg_table_strings(struct dg_flatbuffer_table table, unsigned field);
struct dg_text dg_vector_string(struct dg_vector strings, size_t index);

/* The table of a union; absent when the union has no value, or one of a type that is
 * not described: nobody verified it. */
struct dg_flatbuffer_table dg_table_union(struct dg_flatbuffer_table table,
                                          unsigned field);

#endif
