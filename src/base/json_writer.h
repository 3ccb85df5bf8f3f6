/* Writing JSON that cannot be wrong: commas, colons and brackets come by
 * themselves. Start from {.out = writer}; end with dg_json_written().
 *
 *     dg_put_object(&json, NULL);
 *     dg_put_int(&json, "schema_version", 1);
 *     dg_put_array(&json, "nodes");
 *     dg_put_text(&json, NULL, name);
 *     dg_put_end(&json);
 *     dg_put_end(&json);
 *
 * `key` is NULL in arrays, behind dg_put_name() and outermost. Several
 * outermost values may follow one another. */
#ifndef DG_BASE_JSON_WRITER_H
#define DG_BASE_JSON_WRITER_H

#include "base/text.h"

struct dg_json_writer {
    struct dg_writer *out;
    struct dg_writer open; /* the brackets that close what is open */
    bool comma, line;      /* before the next value */
    bool named;            /* its key is there */
};

void dg_put_object(struct dg_json_writer *json, const char *key);
void dg_put_array(struct dg_json_writer *json, const char *key);
void dg_put_end(struct dg_json_writer *json); /* of the innermost of both */

/* The key of the next value, where it is data. */
void dg_put_name(struct dg_json_writer *json, struct dg_text name);

/* The next value or key begins a line. */
void dg_put_line(struct dg_json_writer *json);

void dg_put_text(struct dg_json_writer *json, const char *key,
                 struct dg_text text); /* absent: null */
void dg_put_int(struct dg_json_writer *json, const char *key, int64_t number);
void dg_put_known(struct dg_json_writer *json, const char *key,
                  int64_t number); /* negative: null */
void dg_put_bool(struct dg_json_writer *json, const char *key, bool yes);
void dg_put_null(struct dg_json_writer *json, const char *key);

/* Where the caller writes the one value that follows. */
struct dg_writer *dg_put_raw(struct dg_json_writer *json, const char *key);

/* All is closed. */
void dg_json_written(struct dg_json_writer *json);

#endif
