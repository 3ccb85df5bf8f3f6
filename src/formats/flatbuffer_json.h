/* Fields of a FlatBuffer as JSON. */
#ifndef DG_FORMATS_FLATBUFFER_JSON_H
#define DG_FORMATS_FLATBUFFER_JSON_H

#include "base/json_writer.h"
#include "formats/flatbuffer.h"

/* A field that is a number, a truth, a text or a list of those, under its name; all
 * others are left out. Absent numbers are what the schema says of them; absent texts
 * and lists are null. */
void dg_put_field(struct dg_json_writer *json, struct dg_flatbuffer_table table,
                  unsigned field);

/* The same behind dg_put_name(). */
void dg_put_content(struct dg_json_writer *json, struct dg_flatbuffer_table table,
                    unsigned field);

/* All such fields. */
void dg_put_fields(struct dg_json_writer *json, struct dg_flatbuffer_table table);

#endif
