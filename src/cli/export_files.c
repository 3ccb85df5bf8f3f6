/* The tables of a store as files of a folder. */
#include "cli/export_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "cli/duckdb.h"
#include "cli/export_folder.h"
#include "graph/asked.h"
#include "postgres/copy.h"
#include "reports/rows.h"
#include "store/schema.h"

struct export
{
    struct dg_store *store;
    const char *output;
    const char *written, *kept; /* endings: Parquet is made of CSV */
    bool csv, parquet;
    struct dg_writer to_do; /* SQL that makes Parquet of the files */
    struct dg_json_writer manifest;
    struct dg_arena memory;
    struct dg_error *err;
};

enum { AT_ONCE = 1 << 20 }; /* bytes that are kept before they are written */

static bool flush(struct dg_writer *out, int file)
{
    bool written = dg_write_all(file, out->data, out->size);

    out->size = 0;
    return written;
}

static void write_quoted(struct dg_writer *out, struct dg_text text)
{
    dg_write(out, "\"", 1);
    for (size_t i = 0; i < text.size; i++)
        dg_write(out, text.data[i] == '"' ? "\"\"" : text.data + i,
                 text.data[i] == '"' ? 2 : 1);
    dg_write(out, "\"", 1);
}

static void write_blob(struct dg_writer *out, struct dg_text bytes)
{
    dg_write(out, "\"", 1);
    dg_write_hex(out, bytes);
    dg_write(out, "\"", 1);
}

/* Parquet has text in UTF-8 only. */
static void write_utf8(struct dg_writer *out, struct dg_text text)
{
    struct dg_writer held = {0};

    dg_postgres_text(&held, text);
    write_quoted(out, dg_written(&held));
    dg_writer_clear(&held);
}

/* Text in quotes, so that what is empty is not NULL; blobs as hexadecimal digits. */
static void write_cell(struct dg_writer *out, const struct dg_rows *rows, int column,
                       bool utf8)
{
    switch (dg_rows_type(rows, column)) {
    case 'n':
        break;
    case 'f':
        dg_print(out, "%.17g", dg_rows_double(rows, column));
        break;
    case 'i':
        dg_write_text(out, dg_rows_slice(rows, column));
        break;
    case 'b':
        write_blob(out, dg_rows_slice(rows, column));
        break;
    default:
        (utf8 ? write_utf8 : write_quoted)(out, dg_rows_slice(rows, column));
    }
}

static void write_line(const struct export *export, struct dg_writer *out,
                       const struct dg_rows *rows)
{
    if (!export->csv) {
        dg_write_row(out, rows, DG_ROW_JSON);
        dg_print(out, "\n");
        return;
    }
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        dg_print(out, i ? "," : "");
        write_cell(out, rows, i, export->parquet);
    }
    dg_print(out, "\r\n");
}

static void write_header(struct dg_writer *out, const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++)
        dg_print(out, "%s%s", i ? "," : "", dg_rows_column(rows, i));
    dg_print(out, "\r\n");
}

/* DuckDB's type of a column as CSV has it. */
static const char *type_in_csv(const char *type)
{
    return !strcmp(type, "INTEGER") ? "BIGINT"
           : !strcmp(type, "REAL")  ? "DOUBLE"
                                    : "VARCHAR";
}

/* What makes Parquet of a table's CSV: text in quotes is text, and nothing is NULL. */
static void add_to_do(struct export *export, const char *table, const char *names,
                      const char *types)
{
    dg_print(
        &export->to_do,
        "COPY (SELECT %s FROM read_csv('%s.csv', auto_detect = false, header = true,"
        " delim = ',', quote = '\"', escape = '\"', nullstr = '',"
        " allow_quoted_nulls = false, parallel = false, max_line_size = 268435456,"
        " columns = {%s})) TO '%s.parquet' (FORMAT parquet);\n",
        names, table, types, table);
}

/* The columns of a table, with the types that schema.sql gives them. */
static enum dg_status put_columns(struct export *export, const char *table)
{
    struct dg_writer names = {0}, types = {0};
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, export->store,
                     "SELECT name, type FROM pragma_table_info(?1)", export->err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(table));
    dg_put_array(&export->manifest, "columns");
    while (dg_rows_next(&rows)) {
        const char *name = dg_rows_text(&rows, 0), *type = dg_rows_text(&rows, 1);
        bool blob = !strcmp(type, "BLOB");

        dg_put_object(&export->manifest, NULL);
        dg_put_members(&export->manifest, &rows);
        dg_put_end(&export->manifest);
        dg_print(&names, blob ? "%sunhex(\"%s\") AS \"%s\"" : "%s\"%s\"",
                 names.size ? ", " : "", name, name);
        dg_print(&types, "%s'%s': '%s'", types.size ? ", " : "", name,
                 type_in_csv(type));
    }
    dg_put_end(&export->manifest);
    if (export->parquet)
        add_to_do(export, table, names.data, types.data);
    dg_writer_clear(&names);
    dg_writer_clear(&types);
    return dg_rows_close(&rows, DG_OK, export->err);
}

static enum dg_status write_rows(struct export *export, const char *table, int file,
                                 int64_t *n)
{
    struct dg_writer out = {0};
    struct dg_rows rows = dg_rows_all(
        export->store, dg_format(&export->memory, "SELECT * FROM \"%s\"", table).data,
        export->err);
    bool written = true;

    if (export->csv && !rows.failed)
        write_header(&out, &rows);
    while (written && dg_rows_next(&rows)) {
        write_line(export, &out, &rows);
        ++*n;
        written = out.size < AT_ONCE || flush(&out, file);
    }
    written = written && flush(&out, file);
    dg_writer_clear(&out);
    return dg_rows_close(&rows,
                         written
                             ? DG_OK
                             : dg_fail(export->err, DG_ERR_IO, "%s: cannot write: %s",
                                       table, strerror(errno)),
                         export->err);
}

static enum dg_status write_file(struct export *export, const char *table,
                                 const char *name, int64_t *n)
{
    struct dg_output output;
    const char *path = dg_format(&export->memory, "%s/%s", export->output, name).data;
    enum dg_status status = dg_output_begin(&output, path, export->err);
    int file;

    if (status)
        return status;
    file = dg_output_open(&output);
    status = file < 0 ? dg_fail(export->err, DG_ERR_IO, "%s: cannot write: %s", path,
                                strerror(errno))
                      : write_rows(export, table, file, n);
    if (file >= 0)
        close(file);
    return dg_output_finish(&output, status, export->err);
}

static enum dg_status export_table(struct export *export, const char *table)
{
    struct dg_text written =
        dg_format(&export->memory, "%s.%s", table, export->written);
    struct dg_text kept = dg_format(&export->memory, "%s.%s", table, export->kept);
    int64_t n = 0;
    enum dg_status status = write_file(export, table, written.data, &n);

    dg_put_object(&export->manifest, NULL);
    dg_put_text(&export->manifest, "name", dg_text(table));
    dg_put_text(&export->manifest, "file", kept);
    dg_put_int(&export->manifest, "rows", n);
    if (!status)
        status = put_columns(export, table);
    dg_put_end(&export->manifest);
    return status;
}

static enum dg_status export_tables(struct export *export)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = DG_OK;

    dg_put_object(&export->manifest, NULL);
    dg_put_int(&export->manifest, "schema_version", 1);
    dg_put_int(&export->manifest, "generation", DG_GENERATION);
    dg_put_text(&export->manifest, "format", dg_text(export->kept));
    dg_put_array(&export->manifest, "tables");
    while (!status && dg_schema_next(&rest, &entry)) {
        if (dg_text_is(entry.type, "table"))
            status = export_table(export, dg_copy(&export->memory, entry.name));
    }
    dg_put_end(&export->manifest);
    dg_put_end(&export->manifest);
    dg_json_written(&export->manifest);
    dg_print(export->manifest.out, "\n");
    return status;
}

static enum dg_status make_parquet(struct export *export)
{
    enum dg_status status =
        dg_duckdb_run(export->output, dg_written(&export->to_do), export->err);

    dg_export_remove_tables(export->output, "csv");
    return status;
}

static enum dg_status fill_folder(struct export *export)
{
    struct dg_export_folder folder;
    enum dg_status status = dg_export_folder_open(&folder, export->output, export->err);

    if (status)
        return status;
    status = export_tables(export);
    if (!status && export->parquet)
        status = make_parquet(export);
    if (!status)
        status = dg_output_write(
            dg_format(&export->memory, "%s/manifest.json", export->output).data,
            dg_written(export->manifest.out), export->err);
    return dg_export_folder_close(&folder, status);
}

enum dg_status dg_export_files(struct dg_store *store, const char *format,
                               const char *folder, struct dg_error *err)
{
    struct dg_writer out = {0};
    bool csv = strcmp(format, "jsonl") != 0;
    struct export export = {.store = store,
                            .output = folder,
                            .written = csv ? "csv" : format,
                            .kept = format,
                            .csv = csv,
                            .parquet = !strcmp(format, "parquet"),
                            .manifest = {.out = &out},
                            .err = err};
    enum dg_status status = dg_asked_store(store, "cost lifetime lineage", err);

    if (!status)
        status = fill_folder(&export);
    dg_writer_clear(&out);
    dg_writer_clear(&export.to_do);
    dg_arena_clear(&export.memory);
    return status;
}
