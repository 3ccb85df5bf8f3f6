/* Growing text, and bytes that are not fit to be printed. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

/* Whether there is room for `more` bytes now. */
static bool reserve(struct dg_writer *out, size_t more)
{
    size_t room = out->room ? out->room : 256;

    out->full = out->full || (out->most && more > out->most - out->size);
    if (out->full)
        return false;
    if (more >= SIZE_MAX / 2 - out->size)
        dg_out_of_memory();
    if (out->size + more < out->room)
        return true;
    while (room <= out->size + more)
        room *= 2;
    out->data = realloc(out->data, room);
    if (!out->data)
        dg_out_of_memory();
    out->room = room;
    return true;
}

void dg_write(struct dg_writer *out, const char *data, size_t size)
{
    if (!reserve(out, size))
        return;
    if (size)
        memcpy(out->data + out->size, data, size);
    out->size += size;
    out->data[out->size] = '\0';
}

void dg_write_text(struct dg_writer *out, struct dg_text text)
{
    dg_write(out, text.data, text.size);
}

void dg_print(struct dg_writer *out, const char *fmt, ...)
{
    size_t room = out->room - out->size;
    va_list args;
    int size;

    va_start(args, fmt);
    size = vsnprintf(room ? out->data + out->size : NULL, room, fmt, args);
    va_end(args);
    if (!reserve(out, (size_t)size)) {
        if (room)
            out->data[out->size] = '\0';
        return;
    }
    if ((size_t)size >= room) {
        va_start(args, fmt);
        vsnprintf(out->data + out->size, (size_t)size + 1, fmt, args);
        va_end(args);
    }
    out->size += (size_t)size;
}

void dg_write_int(struct dg_writer *out, int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char digits[20], *at = digits + sizeof(digits);

    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    dg_write(out, at, (size_t)(digits + sizeof(digits) - at));
}

void dg_write_hex(struct dg_writer *out, struct dg_text bytes)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];

        dg_write(out, (char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
}

void dg_writer_clear(struct dg_writer *out)
{
    free(out->data);
    *out = (struct dg_writer){0};
}

struct dg_text dg_written(const struct dg_writer *out)
{
    return (struct dg_text){out->data, out->size};
}

struct dg_text dg_cut(struct dg_text text, size_t most)
{
    if (text.size <= most)
        return text;
    text.size = most;
    while (text.size && ((unsigned char)text.data[text.size] & 0xc0) == 0x80)
        text.size--;
    return text;
}

struct dg_text dg_keep(struct dg_arena *arena, struct dg_writer *out)
{
    struct dg_text kept = {dg_copy(arena, dg_written(out)), out->size};

    dg_writer_clear(out);
    return kept;
}

static struct dg_text behind(struct dg_text text, size_t at)
{
    return (struct dg_text){text.data + at, text.size - at};
}

/* Write what nobody escapes, printable ASCII but `quote` and the backslash where there
 * is a quote, in one go. Returns its size. */
static size_t write_run(struct dg_writer *out, struct dg_text text, char quote)
{
    size_t size = 0;

    while (size < text.size && text.data[size] >= ' ' && text.data[size] < 0x7f &&
           !(quote && (text.data[size] == quote || text.data[size] == '\\')))
        size++;
    if (size)
        dg_write(out, text.data, size);
    return size;
}

static void write_json_escape(struct dg_writer *out, uint32_t point)
{
    if (point == '\n')
        dg_write(out, "\\n", 2);
    else if (point < 0x10000)
        dg_print(out, "\\u%04x", point);
    else
        dg_print(out, "\\u%04x\\u%04x", 0xd7c0 + (point >> 10),
                 0xdc00 | (point & 0x3ff));
}

void dg_write_json(struct dg_writer *out, struct dg_text text)
{
    dg_write(out, "\"", 1);
    for (size_t i = write_run(out, text, '"'); i < text.size && !out->full;) {
        uint32_t point = 0;
        size_t length = dg_character(behind(text, i), &point);

        if (!length)
            dg_write(out, "\xef\xbf\xbd", 3);
        else if (point == '"' || point == '\\')
            dg_write(out, (char[]){'\\', (char)point}, 2);
        else if (dg_is_control(point))
            write_json_escape(out, point);
        else
            dg_write(out, text.data + i, length);
        i += length ? length : 1;
        i += write_run(out, behind(text, i), '"');
    }
    dg_write(out, "\"", 1);
}

static bool write_finite(struct dg_writer *out, double value)
{
    if (isnan(value))
        dg_print(out, "\"NaN\"");
    else if (isinf(value))
        dg_print(out, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    return isfinite(value);
}

static void write_digits(struct dg_writer *out, const char *digits)
{
    dg_print(out, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

void dg_write_double(struct dg_writer *out, double value)
{
    char digits[40];

    for (int precision = 15; isfinite(value) && precision <= 17; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    if (write_finite(out, value))
        write_digits(out, digits);
}

void dg_write_float(struct dg_writer *out, float value)
{
    char digits[40];

    for (int precision = 6; isfinite(value) && precision <= 9; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, (double)value);
        if (strtof(digits, NULL) == value)
            break;
    }
    if (write_finite(out, (double)value))
        write_digits(out, digits);
}

void dg_write_json_value(struct dg_writer *out, struct dg_text json)
{
    for (size_t i = write_run(out, json, '\0'); i < json.size && !out->full;) {
        uint32_t point = 0;
        size_t length = dg_character(behind(json, i), &point);

        if (!length)
            dg_write(out, "\xef\xbf\xbd", 3);
        else if (dg_is_control(point) && point != '\n' && point != '\t')
            write_json_escape(out, point);
        else
            dg_write(out, json.data + i, length);
        i += length ? length : 1;
        i += write_run(out, behind(json, i), '\0');
    }
}

void dg_write_plain(struct dg_writer *out, struct dg_text text)
{
    for (size_t i = write_run(out, text, '\0'); i < text.size && !out->full;) {
        uint32_t point = 0;
        size_t length = dg_character(behind(text, i), &point);

        if (!length || (length <= 2 && dg_is_control(point))) {
            dg_print(out, "\\x%02x", (unsigned char)text.data[i]);
            length = 1;
        } else if (dg_is_control(point)) {
            dg_print(out, "\\u%04x", point);
        } else {
            dg_write(out, text.data + i, length);
        }
        i += length;
        i += write_run(out, behind(text, i), '\0');
    }
}

enum { LONGEST_NAME = 128 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours that turn `a` into `b`. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_NAME + 1], m = strlen(a), n = strlen(b);

    if (m > LONGEST_NAME || n > LONGEST_NAME)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3],
               *higher = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
                           least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], higher[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

/* How far a name may be: what all names share, "aten::" and ".default", makes none
 * near; what is only cut off may be long. */
static size_t reach(const char *wrong, const char *name)
{
    size_t n = strlen(wrong), m = strlen(name), begin = 0, end = 0;

    while (begin < n && begin < m && wrong[begin] == name[begin])
        begin++;
    while (end < n - begin && end < m - begin &&
           wrong[n - end - 1] == name[m - end - 1])
        end++;
    return begin + end == n || begin + end == m ? n / 3 + 2 : (n - begin - end) / 3 + 2;
}

const char *dg_nearest(const char *wrong, const char *const *names, size_t n_names)
{
    size_t limit = strlen(wrong) / 3 + 2;
    const char *nearest = NULL;

    for (size_t i = 0; i < n_names; i++) {
        size_t far = distance(wrong, names[i]);

        if (far < limit && far < reach(wrong, names[i])) {
            limit = far;
            nearest = names[i];
        }
    }
    return nearest;
}
