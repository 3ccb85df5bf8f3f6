/* Rows of a query as JSON, CSV and tab separated text. */
#include "reports/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool marked(const struct dg_rows *rows, int column, const char *mark)
{
    const char *name = dg_rows_column(rows, column), *found = strrchr(name, ':');

    return found && !strcmp(found, mark);
}

static bool is_mark(const char *mark)
{
    static const char *const marks[] = {":json", ":bool", ":id"};

    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        if (!strcmp(mark, marks[i]))
            return true;
    }
    return false;
}

const char *dg_row_column(const struct dg_rows *rows, int column, size_t *size)
{
    const char *name = dg_rows_column(rows, column), *mark = strrchr(name, ':');

    *size = mark && is_mark(mark) ? (size_t)(mark - name) : strlen(name);
    return name;
}

int64_t dg_row_id(const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        if (marked(rows, i, ":id"))
            return dg_rows_int(rows, i);
    }
    return 0;
}

static bool is_printable(struct dg_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f)
            return false;
    }
    return dg_is_utf8(text);
}

static void write_hex(struct dg_writer *out, struct dg_text bytes)
{
    static const char digits[] = "0123456789abcdef";

    dg_print(out, "hex:");
    for (size_t i = 0; i < bytes.size && !out->full; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];

        dg_write(out, (char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
}

static void write_bytes_json(struct dg_writer *out, struct dg_text bytes)
{
    if (is_printable(bytes)) {
        dg_write_json(out, bytes);
        return;
    }
    dg_write(out, "\"", 1);
    write_hex(out, bytes);
    dg_write(out, "\"", 1);
}

/* The shortest digits that read back as the same number. */
static void write_real(struct dg_writer *out, double real, const char *quote)
{
    char text[40];

    if (!isfinite(real)) {
        dg_print(out, "%s%s%s", quote,
                 isnan(real) ? "NaN"
                 : real < 0  ? "-Infinity"
                             : "Infinity",
                 quote);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        double back;

        snprintf(text, sizeof(text), "%.*g", digits, real);
        back = strtod(text, NULL);
        if (!memcmp(&back, &real, sizeof(back)))
            break;
    }
    dg_print(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void write_typed_json(struct dg_writer *out, const struct dg_rows *rows,
                             int column)
{
    switch (dg_rows_type(rows, column)) {
    case 'i':
        dg_print(out, "%" PRId64, dg_rows_int(rows, column));
        break;
    case 'f':
        write_real(out, dg_rows_double(rows, column), "\"");
        break;
    case 'b':
        write_bytes_json(out, dg_rows_slice(rows, column));
        break;
    default:
        dg_write_json(out, dg_rows_slice(rows, column));
    }
}

static void write_cell_json(struct dg_writer *out, const struct dg_rows *rows,
                            int column)
{
    if (dg_rows_null(rows, column))
        dg_print(out, "null");
    else if (marked(rows, column, ":json"))
        dg_write_json_value(out, dg_rows_slice(rows, column));
    else if (marked(rows, column, ":bool"))
        dg_print(out, dg_rows_int(rows, column) ? "true" : "false");
    else
        write_typed_json(out, rows, column);
}

/* As text without quotes: what CSV, tables and tab separated lines start from. */
static void write_bare(struct dg_writer *out, const struct dg_rows *rows, int column)
{
    struct dg_text text = dg_rows_slice(rows, column);
    char type = dg_rows_type(rows, column);

    if (type == 'n')
        return;
    if (marked(rows, column, ":bool"))
        dg_print(out, dg_rows_int(rows, column) ? "true" : "false");
    else if (type == 'f')
        write_real(out, dg_rows_double(rows, column), "");
    else if (type == 'b' && !is_printable(text))
        write_hex(out, text);
    else
        dg_write_text(out, text);
}

void dg_write_cell_text(struct dg_writer *out, const struct dg_rows *rows, int column)
{
    struct dg_writer bare = {.most = out->most};

    write_bare(&bare, rows, column);
    out->full = out->full || bare.full;
    /* Lists of names and sizes read better without quotes. */
    if (marked(rows, column, ":json") && bare.size &&
        !memchr(bare.data, '{', bare.size)) {
        size_t kept = 0;

        for (size_t i = 0; i < bare.size; i++) {
            if (bare.data[i] != '"')
                bare.data[kept++] = bare.data[i];
        }
        bare.size = kept;
    }
    dg_write_plain(out, dg_written(&bare));
    dg_writer_clear(&bare);
}

/* In quotes; those inside are doubled. */
static void write_quoted(struct dg_writer *out, struct dg_text text)
{
    dg_write(out, "\"", 1);
    while (text.size && !out->full) {
        const char *quote = memchr(text.data, '"', text.size);
        size_t size = quote ? (size_t)(quote + 1 - text.data) : text.size;

        dg_write(out, text.data, size);
        if (quote)
            dg_write(out, "\"", 1);
        text = (struct dg_text){text.data + size, text.size - size};
    }
    dg_write(out, "\"", 1);
}

void dg_write_csv(struct dg_writer *out, struct dg_text text, bool is_number)
{
    struct dg_writer plain = {.most = out->most};
    bool computed = !is_number && text.size && memchr("=+@-\t\r", *text.data, 6);

    dg_print(&plain, "%s", computed ? "'" : "");
    dg_write_plain(&plain, text);
    if (strpbrk(plain.data, ",\""))
        write_quoted(out, dg_written(&plain));
    else
        dg_write_text(out, dg_written(&plain));
    out->full = out->full || plain.full;
    dg_writer_clear(&plain);
}

static void write_separator(struct dg_writer *out, enum dg_row_form form)
{
    dg_write(out, form == DG_ROW_CSV ? "," : "\t", 1);
}

static void write_escaped(struct dg_writer *out, struct dg_text text, bool is_number,
                          enum dg_row_form form)
{
    if (form == DG_ROW_CSV)
        dg_write_csv(out, text, is_number);
    else
        dg_write_plain(out, text);
}

void dg_put_members(struct dg_json_writer *json, const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        struct dg_text name;

        if (marked(rows, i, ":id"))
            continue;
        name.data = dg_row_column(rows, i, &name.size);
        dg_put_name(json, name);
        write_cell_json(dg_put_raw(json, NULL), rows, i);
    }
}

void dg_write_members(struct dg_writer *out, const struct dg_rows *rows)
{
    char brace[] = "}"; /* that the caller writes */
    struct dg_json_writer json = {.out = out, .open = {.data = brace, .size = 1}};

    dg_put_members(&json, rows);
}

/* A negative one begins like a formula; one in JSON is a text to SQLite. */
static bool is_number(const struct dg_rows *rows, int column)
{
    struct dg_text text = dg_rows_slice(rows, column);

    return strchr("if", dg_rows_type(rows, column)) ||
           (marked(rows, column, ":json") && text.size && *text.data == '-');
}

void dg_write_row(struct dg_writer *out, const struct dg_rows *rows,
                  enum dg_row_form form)
{
    struct dg_writer cell = {.most = out->most};
    bool first = true;

    if (form == DG_ROW_JSON) {
        dg_write(out, "{", 1);
        dg_write_members(out, rows);
        dg_write(out, "}", 1);
        return;
    }
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        if (marked(rows, i, ":id"))
            continue;
        if (!first)
            write_separator(out, form);
        first = false;
        cell.size = 0;
        write_bare(&cell, rows, i);
        write_escaped(out, dg_written(&cell), is_number(rows, i), form);
        out->full = out->full || cell.full;
    }
    dg_writer_clear(&cell);
}

static void write_header(struct dg_writer *out, const struct dg_rows *rows,
                         enum dg_row_form form)
{
    bool first = true;

    for (int i = 0; i < dg_rows_columns(rows); i++) {
        struct dg_text name;

        if (marked(rows, i, ":id"))
            continue;
        if (!first)
            write_separator(out, form);
        first = false;
        name.data = dg_row_column(rows, i, &name.size);
        write_escaped(out, name, false, form);
    }
}

static const char *end_of_line(enum dg_row_form form)
{
    return form == DG_ROW_CSV ? "\r\n" : "\n";
}

void dg_write_row_names(struct dg_writer *out, const struct dg_rows *rows,
                        const char *name, enum dg_row_form form)
{
    write_escaped(out, dg_text(name), false, form);
    write_separator(out, form);
    write_header(out, rows, form);
    dg_print(out, "%s", end_of_line(form));
}

void dg_write_row_of(struct dg_writer *out, const struct dg_rows *rows, const char *name,
                     const char *value, enum dg_row_form form)
{
    if (form == DG_ROW_JSON) {
        dg_print(out, "{");
        dg_write_json(out, dg_text(name));
        dg_print(out, ":");
        dg_write_json(out, dg_text(value));
        dg_print(out, ",");
        dg_write_members(out, rows);
        dg_print(out, "}");
    } else {
        write_escaped(out, dg_text(value), false, form);
        write_separator(out, form);
        dg_write_row(out, rows, form);
    }
    dg_print(out, "%s", end_of_line(form));
}

enum dg_status dg_write_rows(struct dg_writer *out, struct dg_rows *rows,
                             enum dg_row_form form, struct dg_error *err)
{
    const char *end = end_of_line(form);

    if (form != DG_ROW_JSON) {
        write_header(out, rows, form);
        dg_print(out, "%s", end);
    }
    while (!out->full && dg_rows_next(rows)) {
        dg_write_row(out, rows, form);
        dg_print(out, "%s", end);
    }
    return dg_rows_close(rows, DG_OK, err);
}

enum dg_status dg_write_rows_as(struct dg_writer *out, struct dg_rows *rows,
                                const char *format, bool brief, struct dg_error *err)
{
    if (!strcmp(format, "text"))
        return dg_write_table(out, rows, 0, brief, err);
    return dg_write_rows(out, rows,
                         !strcmp(format, "csv")     ? DG_ROW_CSV
                         : !strcmp(format, "jsonl") ? DG_ROW_JSON
                                                    : DG_ROW_PLAIN,
                         err);
}

enum dg_status dg_write_query(struct dg_writer *out, struct dg_store *store,
                              const char *sql, int64_t id, struct dg_error *err)
{
    struct dg_json_writer json = {.out = out};
    struct dg_rows rows = dg_rows_of(store, sql, id, err);

    dg_put_array(&json, NULL);
    while (dg_rows_next(&rows))
        dg_write_row(dg_put_raw(&json, NULL), &rows, DG_ROW_JSON);
    dg_put_end(&json);
    dg_json_written(&json);
    return dg_rows_close(&rows, DG_OK, err);
}
