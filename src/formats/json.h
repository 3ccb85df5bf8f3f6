/* JSON text walked in place, without a tree. Errors stick: after the first one every
 * function returns its zero value and every loop ends, so callers check once, at the
 * end.
 *
 *     dg_json_object(json);
 *     while (dg_json_key(json, &key)) {
 *         if (dg_text_is(key, "name"))
 *             name = dg_json_string(json);
 *         else
 *             dg_json_skip(json);
 *     }
 *
 * Beyond RFC 8259 it accepts the bare tokens Infinity, -Infinity and NaN, which Python
 * writes. It refuses: invalid UTF-8, control characters in strings, numbers longer than
 * 64 characters, depth beyond 128, duplicate keys in one object that is walked, and
 * anything but white space behind the outermost value. NUL (\u0000) is refused; half of
 * a surrogate pair, which Python writes for undecodable paths, becomes U+FFFD. Values
 * that are skipped are held to the same, but for duplicate keys. */
#ifndef DG_FORMATS_JSON_H
#define DG_FORMATS_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"

enum dg_json_type {
    DG_JSON_END, /* error, or nothing left */
    DG_JSON_OBJECT,
    DG_JSON_ARRAY,
    DG_JSON_STRING,
    DG_JSON_NUMBER, /* bare non-finite tokens, too */
    DG_JSON_BOOL,
    DG_JSON_NULL,
};

struct dg_json_frame {
    struct dg_text key;        /* of the member being read */
    const char *key_at;        /* its quote in the text */
    int64_t index;             /* of the item being read; -1 in an object */
    bool names;                /* the caller refuses duplicates */
    struct dg_json_keys *keys; /* names seen, to refuse duplicates otherwise */
};

enum { DG_JSON_DEPTH = 128 };

struct dg_json {
    const char *begin, *at, *end;
    const char *source;      /* what messages call the text: "models/model.json" */
    struct dg_arena *memory; /* for strings with escapes and key sets */
    struct dg_error *err;
    bool failed, fresh; /* fresh: nothing read yet in the innermost container */
    char *room,
        *room_end;      /* for unescaped text: packed, so never more than the source */
    const char *summed; /* where dg_json_sum() is; NULL: nobody asks */
    uint32_t crc;       /* of the text before that */
    int depth;
    struct dg_json_frame frames[DG_JSON_DEPTH];
};

/* Walk `text`, which need not end with NUL. `memory`, `err`, `source` outlive the walk.
 */
void dg_json_begin(struct dg_json *json, struct dg_text text, const char *source,
                   struct dg_arena *memory, struct dg_error *err);

/* After the outermost value: DG_OK if all was well and nothing follows. */
enum dg_status dg_json_end(struct dg_json *json);

/* Count the CRC-32 of the text behind the walk, while what was read is in the cache: to
 * be called before it. dg_json_crc() is that of all of the text, wherever the walk
 * ended. */
void dg_json_sum(struct dg_json *json);
uint32_t dg_json_crc(struct dg_json *json);

enum dg_json_type dg_json_peek(struct dg_json *json);

void dg_json_object(struct dg_json *json);                   /* enter */
bool dg_json_key(struct dg_json *json, struct dg_text *key); /* next, or leave: false */
/* An object with names of the caller's, who keeps them anyway and refuses one that
 * comes twice: looking for it here, too, would take as long as all else. */
void dg_json_object_of_names(struct dg_json *json);
void dg_json_refuse_key(struct dg_json *json); /* the present one */

void dg_json_array(struct dg_json *json); /* enter */
bool dg_json_item(struct dg_json *json);  /* next, or leave: false */

struct dg_text
dg_json_string(struct dg_json *json); /* unescaped; in place if it can be */

/* The same as it stands in the source, still escaped: for callers that first look
 * whether they have seen it. dg_json_unescape() takes what this returned. */
struct dg_text dg_json_raw_string(struct dg_json *json);
struct dg_text dg_json_unescape(struct dg_json *json, struct dg_text raw);

int64_t dg_json_int(struct dg_json *json); /* fails on fractions and beyond int64 */
double
dg_json_double(struct dg_json *json); /* also "Infinity" "-Infinity" "NaN" as strings */
bool dg_json_bool(struct dg_json *json);
bool dg_json_null(struct dg_json *json); /* true and stepped over if it is null */
struct dg_text
dg_json_number(struct dg_json *json); /* its characters; of bare tokens, too */
struct dg_text dg_json_skip(struct dg_json *json); /* any value; its raw characters */

/* True: the next value is written as `raw`, the raw characters of an array, an object
 * or a string that was walked, and is stepped over. */
bool dg_json_skip_same(struct dg_json *json, struct dg_text raw);

/* Fail at the present place: `fmt` says what was expected; byte offset and JSON path
 * are added. Returns false. */
bool dg_json_fail(struct dg_json *json, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
