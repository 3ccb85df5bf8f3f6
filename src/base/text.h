/* Growing text. Start from {0}; end with dg_writer_clear(). */
#ifndef DG_BASE_TEXT_H
#define DG_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct dg_arena;

struct dg_writer {
    char *data; /* ends with NUL once anything was written */
    size_t size, room;
    size_t most; /* what would make it longer is dropped; 0: no bound */
    bool full;   /* something was dropped */
};

void dg_write(struct dg_writer *out, const char *data, size_t size);
void dg_write_text(struct dg_writer *out, struct dg_text text);
void dg_print(struct dg_writer *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

/* As "%lld", and eight times as fast: shapes are most of what a reader writes. */
void dg_write_int(struct dg_writer *out, int64_t value);

void dg_writer_clear(struct dg_writer *out);

/* Two lower-case digits for each byte. */
void dg_write_hex(struct dg_writer *out, struct dg_text bytes);

/* What was written so far; it lives until more is. */
struct dg_text dg_written(const struct dg_writer *out);

/* What was written, in an arena and with NUL at its end; the writer is empty then. */
struct dg_text dg_keep(struct dg_arena *arena, struct dg_writer *out);

/* At most so many bytes of it, and whole characters. */
struct dg_text dg_cut(struct dg_text text, size_t most);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, and what
 * dg_is_control() knows an escape. */
void dg_write_json(struct dg_writer *out, struct dg_text text);

/* A number in JSON: digits that give it back; "NaN", "Infinity" and "-Infinity" are
 * strings, as JSON has finite numbers only. */
void dg_write_double(struct dg_writer *out, double value);
void dg_write_float(struct dg_writer *out, float value);

/* A value that is JSON already: what stands raw in its strings is escaped. */
void dg_write_json_value(struct dg_writer *out, struct dg_text json);

/* Text for one line of a terminal: what dg_is_control() knows (ESC first of all) as
 * \xNN, byte for byte, or as \uNNNN where it has no width or turns the text. */
void dg_write_plain(struct dg_writer *out, struct dg_text text);

/* Which of `names` is meant by `wrong`, or NULL when none is near (a third of its
 * letters and one may be wrong; neighbours that changed places are one mistake). */
const char *dg_nearest(const char *wrong, const char *const *names, size_t n_names);

#endif
