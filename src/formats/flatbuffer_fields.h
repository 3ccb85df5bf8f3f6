/* Words to write the tables of a FlatBuffer schema with:
 * TYPE(segment, "DataSegment", SCALAR("offset", 8), SCALAR("size", 8)); */
#ifndef DG_FORMATS_FLATBUFFER_FIELDS_H
#define DG_FORMATS_FLATBUFFER_FIELDS_H

#include "formats/flatbuffer.h"

#define SCALAR(name, bytes)                                                            \
    {                                                                                  \
        name, DG_FIELD_SCALAR, bytes, NULL, NULL, 0                                    \
    }
#define STRING(name)                                                                   \
    {                                                                                  \
        name, DG_FIELD_STRING, 1, NULL, NULL, 0                                        \
    }
#define VECTOR(name, bytes)                                                            \
    {                                                                                  \
        name, DG_FIELD_VECTOR, bytes, NULL, NULL, 0                                    \
    }
#define CHILD(name, type)                                                              \
    {                                                                                  \
        name, DG_FIELD_TABLE, 4, &(type), NULL, 0                                      \
    }
#define CHILDREN(name, type)                                                           \
    {                                                                                  \
        name, DG_FIELD_TABLES, 4, &(type), NULL, 0                                     \
    }
#define UNION(name, members)                                                           \
    {                                                                                  \
        name, DG_FIELD_UNION, 4, NULL, members, sizeof(members) / sizeof((members)[0]) \
    }

#define TYPE(id, name, ...)                                                            \
    static const struct dg_field id##_fields[] = {__VA_ARGS__};                        \
    static const struct dg_table_type id = {                                           \
        name, id##_fields, sizeof(id##_fields) / sizeof(id##_fields[0])}

#endif
