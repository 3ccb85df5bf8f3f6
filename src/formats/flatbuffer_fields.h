/* Words to write the tables of a FlatBuffer schema with:
 * TYPE(segment, "DataSegment", SCALAR("offset", 8), SCALAR("size", 8)); */
#ifndef DG_FORMATS_FLATBUFFER_FIELDS_H
#define DG_FORMATS_FLATBUFFER_FIELDS_H

#include <math.h>

#include "formats/flatbuffer.h"

#define SCALAR(text, width)                                                            \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_SCALAR, .bytes = width                          \
    }
#define STRING(text)                                                                   \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_STRING, .bytes = 1                              \
    }
#define STRINGS(text)                                                                  \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_STRINGS, .bytes = 4                             \
    }
#define VECTOR(text, width)                                                            \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_VECTOR, .bytes = width                          \
    }
#define CHILD(text, id)                                                                \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_TABLE, .bytes = 4, .type = &(id)                \
    }
#define CHILDREN(text, id)                                                             \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_TABLES, .bytes = 4, .type = &(id)               \
    }
#define UNION(text, types)                                                             \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_UNION, .bytes = 4, .members = types,            \
        .n_members = sizeof(types) / sizeof((types)[0])                                \
    }

/* Numbers that are told as what they are. */
#define ROLE(text, width, meaning, absent)                                             \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_SCALAR, .bytes = width, .role = meaning,        \
        .otherwise = absent                                                            \
    }
#define ROLES(text, width, meaning)                                                    \
    {                                                                                  \
        .name = text, .kind = DG_FIELD_VECTOR, .bytes = width, .role = meaning         \
    }
#define INT(text, width, absent) ROLE(text, width, DG_ROLE_INT, absent)
#define REAL(text, width, absent) ROLE(text, width, DG_ROLE_REAL, absent)
#define BOOL(text, absent) ROLE(text, 1, DG_ROLE_BOOL, absent)
#define MAYBE NAN /* no number where it is absent */
#define INTS(text, width) ROLES(text, width, DG_ROLE_INT)
#define REALS(text, width) ROLES(text, width, DG_ROLE_REAL)
#define BOOLS(text) ROLES(text, 1, DG_ROLE_BOOL)

#define TYPE(id, text, ...)                                                            \
    static const struct dg_field id##_fields[] = {__VA_ARGS__};                        \
    static const struct dg_table_type id = {                                           \
        text, id##_fields, sizeof(id##_fields) / sizeof(id##_fields[0])}

#endif
