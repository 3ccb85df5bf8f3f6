/* export: the tables of a store as files that other engines read, or into PostgreSQL.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "cli/named.h"
#include "cli/options.h"
#include "formats/input.h"
#include "postgres/dialect.h"
#include "postgres/push.h"
#include "reports/rows.h"
#include "store/schema.h"

struct given {
    const char *format, *output, *to;
    bool hash;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "format", 0, "csv|jsonl", offsetof(struct given, format),
     "csv (default): RFC 4180 with a header; text is quoted, NULL is nothing at all"},
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash),
     "of a program file, compute digests first"},
    {DG_OPTION_TEXT, "output", 'o', "DIR", offsetof(struct given, output),
     "the folder to write into: a file for each table, and manifest.json at the end"},
    {DG_OPTION_CHOICE, "to", 0, "postgres", offsetof(struct given, to),
     "push to the PostgreSQL server that CONNINFO names, schema \"delegraph\""},
    {0},
};

struct export
{
    struct dg_store *store;
    const struct given *given;
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

/* Text in quotes, so that what is empty is not NULL; blobs as hexadecimal digits. */
static void write_cell(struct dg_writer *out, const struct dg_rows *rows, int column)
{
    struct dg_text text = dg_rows_slice(rows, column);
    char type = dg_rows_type(rows, column);

    if (type == 'n')
        return;
    if (type == 'f')
        dg_print(out, "%.17g", dg_rows_double(rows, column));
    else if (type == 'i')
        dg_write_text(out, text);
    if (type == 'f' || type == 'i')
        return;
    dg_write(out, "\"", 1);
    for (size_t i = 0; i < text.size; i++) {
        if (type == 'b')
            dg_print(out, "%02x", (unsigned char)text.data[i]);
        else
            dg_write(out, text.data[i] == '"' ? "\"\"" : text.data + i,
                     text.data[i] == '"' ? 2 : 1);
    }
    dg_write(out, "\"", 1);
}

static void write_line(struct dg_writer *out, const struct dg_rows *rows, bool csv)
{
    if (!csv) {
        dg_write_row(out, rows, DG_ROW_JSON);
        dg_print(out, "\n");
        return;
    }
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        dg_print(out, i ? "," : "");
        write_cell(out, rows, i);
    }
    dg_print(out, "\r\n");
}

static void write_header(struct dg_writer *out, const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++)
        dg_print(out, "%s%s", i ? "," : "", dg_rows_column(rows, i));
    dg_print(out, "\r\n");
}

/* The columns of a table, with the types that schema.sql gives them. */
static enum dg_status put_columns(struct export *export, const char *table)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, export->store,
                     "SELECT name, type FROM pragma_table_info(?1)", export->err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(table));
    dg_put_array(&export->manifest, "columns");
    while (dg_rows_next(&rows)) {
        dg_put_object(&export->manifest, NULL);
        dg_put_members(&export->manifest, &rows);
        dg_put_end(&export->manifest);
    }
    dg_put_end(&export->manifest);
    return dg_rows_close(&rows, DG_OK, export->err);
}

static enum dg_status write_rows(struct export *export, const char *table, int file,
                                 int64_t *n)
{
    bool csv = !strcmp(export->given->format, "csv");
    struct dg_writer out = {0};
    struct dg_rows rows = dg_rows_all(
        export->store, dg_format(&export->memory, "SELECT * FROM \"%s\"", table).data,
        export->err);
    bool written = true;

    if (csv && !rows.failed)
        write_header(&out, &rows);
    while (written && dg_rows_next(&rows)) {
        write_line(&out, &rows, csv);
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
    const char *path =
        dg_format(&export->memory, "%s/%s", export->given->output, name).data;
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
    const char *name =
        dg_format(&export->memory, "%s.%s", table, export->given->format).data;
    int64_t n = 0;
    enum dg_status status = write_file(export, table, name, &n);

    dg_put_object(&export->manifest, NULL);
    dg_put_text(&export->manifest, "name", dg_text(table));
    dg_put_text(&export->manifest, "file", dg_text(name));
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
    dg_put_text(&export->manifest, "format", dg_text(export->given->format));
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

/* Those of the other format would stay, and be of another store. */
static void remove_tables(const char *path)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_arena memory = {0};
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        const char *name = dg_copy(&memory, entry.name);

        unlink(dg_format(&memory, "%s/%s.csv", path, name).data);
        unlink(dg_format(&memory, "%s/%s.jsonl", path, name).data);
    }
    dg_arena_clear(&memory);
}

/* A new folder, an empty one, or one that holds an older export, which ends here: its
 * manifest goes first, and the new one comes last. */
static enum dg_status open_folder(const char *path, const char *manifest,
                                  struct dg_error *err)
{
    struct stat state;

    if (!mkdir(path, 0777))
        return DG_OK;
    if (errno != EEXIST)
        return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    if (stat(path, &state) || !S_ISDIR(state.st_mode))
        return dg_fail(err, DG_ERR_USAGE, "%s: a file, expected a folder", path);
    if (!unlink(manifest)) {
        remove_tables(path);
        return DG_OK;
    }
    if (!rmdir(path) && !mkdir(path, 0777)) /* it was empty */
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "%s: the folder holds something else than an export; expected a new "
                   "one",
                   path);
}

static enum dg_status export_all(const struct given *given, const char *path,
                                 struct dg_error *err)
{
    struct dg_writer out = {0};
    struct dg_input input = {0};
    struct export export = {.given = given, .manifest = {.out = &out}, .err = err};
    const char *manifest =
        dg_format(&export.memory, "%s/manifest.json", given->output).data;
    enum dg_status status =
        dg_input_open(&input, path, given->hash ? DG_HASH_ALL : DG_HASH_NONE, err);

    export.store = input.store;
    if (!status)
        status = open_folder(given->output, manifest, err);
    if (!status)
        status = export_tables(&export);
    if (!status)
        status = dg_output_write(manifest, dg_written(&out), err);
    dg_input_close(&input);
    dg_writer_clear(&out);
    dg_arena_clear(&export.memory);
    return status;
}

/* A view for each named query: q_ and its name. */
static void write_named(struct dg_writer *out)
{
    const char *cursor = NULL;
    struct dg_named query;

    while (dg_named_next(&cursor, &query)) {
        dg_print(out, "CREATE VIEW q_");
        for (size_t i = 0; i < query.name.size; i++)
            dg_write(out, query.name.data[i] == '-' ? "_" : query.name.data + i, 1);
        dg_print(out, " AS ");
        dg_postgres_write(out, query.sql);
        dg_print(out, "\n");
    }
}

static enum dg_status push(const char *path, const char *conninfo, struct dg_error *err)
{
    struct dg_input input = {0};
    struct dg_pushed pushed = {0};
    enum dg_status status = dg_input_open(&input, path, DG_HASH_ALL, err);

    if (!status)
        status = dg_postgres_push(&pushed, input.store, conninfo, write_named, err);
    dg_input_close(&input);
    if (status)
        return status;
    printf(
        "%zu program%s pushed, %zu there already; %zu build%s, %zu there already; %lld"
        " rows\n",
        pushed.programs, pushed.programs == 1 ? "" : "s", pushed.programs_there,
        pushed.builds, pushed.builds == 1 ? "" : "s", pushed.builds_there,
        (long long)pushed.rows);
    return DG_OK;
}

static enum dg_status check_words(const struct given *given, int argc, char **argv,
                                  struct dg_error *err)
{
    if (given->to && given->output)
        return dg_fail(err, DG_ERR_USAGE,
                       "export: -o writes files, --to pushes: one of"
                       " the two");
    if (!given->to && argc > 2)
        return dg_fail(err, DG_ERR_USAGE,
                       "export: CONNINFO belongs to --to postgres, expected one file");
    if (!given->to && !given->output)
        return dg_fail(err, DG_ERR_USAGE,
                       "export: no folder named; expected -o DIR, for instance"
                       " delegraph export %.200s -o tables",
                       argv[1]);
    return DG_OK;
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "csv"};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_export, &argc, argv, &err);

    if (!status)
        status = check_words(&given, argc, argv, &err);
    if (status)
        return dg_complain(&err);
    status = given.to ? push(argv[1], argc > 2 ? argv[2] : "", &err)
                      : export_all(&given, argv[1], &err);
    return status ? dg_complain_about(argv[1], &err) : DG_EXIT_FINE;
}

const struct dg_command dg_command_export = {
    .name = "export",
    .synopsis = "FILE -o DIR | FILE --to postgres [CONNINFO]",
    .summary = "the tables of a store as CSV or JSON lines, or into PostgreSQL",
    .help =
        "FILE is a store or a program. manifest.json lists files, rows, columns and "
        "types,\nand is written when all else is there; what its tables mean:\n"
        "delegraph schema.\n\n"
        "--to postgres pushes what the server does not have: programs by SHA-256, "
        "builds "
        "by\nname, labels and program. CONNINFO is libpq's, without a password "
        "(~/.pgpass"
        " or a\nservice has that); without it PGHOST, PGDATABASE and their like say "
        "where."
        "\nViews are those of the store; @slowest is q_slowest.\n\n"
        "Examples:\n"
        "  delegraph export fleet.db -o tables\n"
        "  duckdb -c \"SELECT name, count(*) FROM 'tables/build.csv' GROUP BY 1\"\n"
        "  delegraph export model.pte --format jsonl -o tables\n"
        "  delegraph export fleet.db --to postgres 'host=db.example dbname=fleet'\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 2,
};
