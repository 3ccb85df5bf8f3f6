#include "postgres/copy.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_escape(struct dg_text text)
{
    return text.size >= 4 && text.data[0] == '\\' && text.data[1] == 'x' &&
           isxdigit((unsigned char)text.data[2]) &&
           isxdigit((unsigned char)text.data[3]);
}

static bool fits(struct dg_text text)
{
    return dg_is_utf8(text) && !memchr(text.data, 0, text.size) &&
           !memchr(text.data, '\\', text.size);
}

void dg_postgres_text(struct dg_writer *out, struct dg_text text)
{
    uint32_t point = 0;

    if (text.size && fits(text)) {
        dg_write_text(out, text);
        return;
    }
    while (text.size) {
        size_t n = is_escape(text) ? 0 : dg_character(text, &point);

        if (n && point)
            dg_write(out, text.data, n);
        else
            dg_print(out, "\\x%02x", (unsigned char)*text.data);
        n = n ? n : 1;
        text = (struct dg_text){text.data + n, text.size - n};
    }
}

/* The letter that stands for a character behind a backslash; 0: it stands for itself.
 */
static char letter_of(char c)
{
    switch (c) {
    case '\\':
        return '\\';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static void write_escaped(struct dg_writer *out, struct dg_text text)
{
    size_t begin = 0;

    for (size_t i = 0; i < text.size; i++) {
        const char escaped[] = {'\\', letter_of(text.data[i])};

        if (!escaped[1])
            continue;
        dg_write(out, text.data + begin, i - begin);
        dg_write(out, escaped, sizeof(escaped));
        begin = i + 1;
    }
    dg_write(out, text.data + begin, text.size - begin);
}

static void write_text(struct dg_writer *out, struct dg_text text)
{
    struct dg_writer held = {0};

    if (!text.size || fits(text)) {
        write_escaped(out, text);
        return;
    }
    dg_postgres_text(&held, text);
    write_escaped(out, dg_written(&held));
    dg_writer_clear(&held);
}

static void write_double(struct dg_writer *out, double value)
{
    if (isinf(value))
        dg_print(out, "%sInfinity", value < 0 ? "-" : "");
    else
        dg_print(out, "%.17g", value);
}

static void write_bytes(struct dg_writer *out, struct dg_text bytes)
{
    dg_write(out, "\\\\x", 3);
    dg_write_hex(out, bytes);
}

static int64_t moved(int64_t id, const char *table, const struct dg_pg_shift *shift)
{
    for (size_t i = 0; shift->ranges && i < DG_PG_RANGES; i++) {
        const struct dg_pg_range *range = &shift->ranges[i];

        if (id >= range->first && id <= range->last && !strcmp(range->table, table))
            return id - range->first + range->there;
    }
    return (int64_t)((uint64_t)id + (uint64_t)shift->by);
}

static void write_cell(struct dg_writer *out, const struct dg_catalog_column *column,
                       const struct dg_rows *rows, int at,
                       const struct dg_pg_shift *shift)
{
    int64_t number;

    switch (dg_rows_type(rows, at)) {
    case 'n':
        dg_write(out, "\\N", 2);
        break;
    case 'i':
        number = dg_rows_int(rows, at);
        dg_write_int(out,
                     column->refers ? moved(number, column->refers, shift) : number);
        break;
    case 'f':
        write_double(out, dg_rows_double(rows, at));
        break;
    case 'b':
        write_bytes(out, dg_rows_slice(rows, at));
        break;
    default:
        write_text(out, dg_rows_slice(rows, at));
    }
}

void dg_copy_row(struct dg_writer *out, const struct dg_catalog_table *table,
                 const struct dg_rows *rows, int from, const struct dg_pg_shift *shift)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        if (i)
            dg_write(out, "\t", 1);
        write_cell(out, &table->columns[i], rows, from + (int)i, shift);
    }
    dg_write(out, "\n", 1);
}

void dg_copy_begin(struct dg_writer *out, const struct dg_catalog_table *table)
{
    dg_print(out, "COPY \"%s\" (", table->name);
    for (size_t i = 0; i < table->n_columns; i++)
        dg_print(out, "%s\"%s\"", i ? ", " : "", table->columns[i].name);
    dg_print(out, ") FROM STDIN");
}
