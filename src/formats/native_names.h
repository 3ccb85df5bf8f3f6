/* Names of a body of NativeBackend's graph as rows: each body has names of its own. */
#ifndef DG_FORMATS_NATIVE_NAMES_H
#define DG_FORMATS_NATIVE_NAMES_H

#include "base/text_set.h"
#include "formats/blob_rows.h"
#include "formats/flatbuffer.h"

/* Names of one body. */
struct dg_native_scope {
    struct dg_text_set names;
    int64_t *idx; /* by number */
};

struct dg_native_reading {
    struct dg_blob_rows rows;
    int64_t n_values, n_constants;
};

/* The value of that name, which may be a new one. */
int64_t dg_native_number(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_text name);

struct dg_blob_ref dg_native_ref(struct dg_native_reading *reading,
                                 struct dg_native_scope *scope, struct dg_text name);

/* A value that has `meta`, a table TensorMeta, or nothing that describes it. */
void dg_native_add_value(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_text name,
                         struct dg_flatbuffer_table meta);

/* The node reads the value of that name, or those of `names` that are there: by their
 * flags, where there are any, else those that are not empty. */
void dg_native_read(struct dg_native_reading *reading, struct dg_native_scope *scope,
                    struct dg_text key, struct dg_text name);
void dg_native_read_list(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_text key,
                         struct dg_vector names, struct dg_vector there);

/* There is a value of that name; one that nothing describes is of that kind of the
 * schema. dg_native_write(): the node writes it, too. */
void dg_native_know(struct dg_native_reading *reading, struct dg_native_scope *scope,
                    struct dg_text name, uint8_t kind);
void dg_native_write(struct dg_native_reading *reading, struct dg_native_scope *scope,
                     struct dg_text name, uint8_t kind);

/* A constant that lies under a key. */
void dg_native_add_key(struct dg_native_reading *reading, struct dg_text key,
                       int64_t nbytes);

#endif
