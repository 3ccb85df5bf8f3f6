/* export: the tables of a store as files that other engines read, or into PostgreSQL.
 */
#include <stdio.h>
#include <string.h>

#include "cli/artifact_option.h"
#include "cli/export_files.h"
#include "cli/named.h"
#include "cli/options.h"
#include "formats/input.h"
#include "postgres/push.h"

struct given {
    const char *format, *output, *to, *artifact;
    bool hash;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "format", 0, "csv|jsonl|parquet", offsetof(struct given, format),
     "csv (default): RFC 4180 with a header; text is quoted, NULL is nothing at all;"
     " parquet: DuckDB writes it, its command or Python's module"},
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash),
     "of a program file, compute digests first"},
    {DG_OPTION_TEXT, "output", 'o', "DIR", offsetof(struct given, output),
     "the folder to write into: a file for each table, and manifest.json at the end"},
    DG_ARTIFACT_OPTION(struct given, artifact),
    {DG_OPTION_CHOICE, "to", 0, "postgres", offsetof(struct given, to),
     "push to the PostgreSQL server that CONNINFO names, schema \"delegraph\""},
    {0},
};

static enum dg_status write_files(const struct given *given, const char *path,
                                  struct dg_error *err)
{
    struct dg_input input = {0};
    enum dg_status status =
        dg_input_open(&input, path, given->hash ? DG_HASH_ALL : DG_HASH_NONE, err);

    if (!status)
        status = dg_artifact_choose(&input, given->artifact, err);
    if (!status)
        status = dg_export_files(input.store, given->format ? given->format : "csv",
                                 given->output, err);
    dg_input_close(&input);
    return status;
}

/* A view for each named query: q_ and its name. */
static bool next_query(const char **cursor, struct dg_pg_query *query)
{
    struct dg_named named;

    if (!dg_named_next(cursor, &named))
        return false;
    snprintf(query->name, sizeof(query->name), "q_%.*s", (int)named.name.size,
             named.name.data);
    for (char *at = query->name; *at; at++)
        *at = *at == '-' ? '_' : *at;
    query->sql = named.sql;
    return true;
}

static enum dg_status push(const struct given *given, const char *path,
                           const char *conninfo, struct dg_error *err)
{
    struct dg_input input = {0};
    struct dg_pushed pushed = {0};
    enum dg_status status = dg_input_open(&input, path, DG_HASH_ALL, err);

    if (!status)
        status = dg_artifact_choose(&input, given->artifact, err);
    if (!status)
        status = dg_postgres_push(&pushed, input.store, conninfo, next_query, err);
    dg_input_close(&input);
    if (status)
        return status;
    printf("%zu program%s pushed, %zu there already; %zu companion%s; %zu build%s, %zu "
           "there already; %lld rows\n",
           pushed.programs, pushed.programs == 1 ? "" : "s", pushed.programs_there,
           pushed.companions, pushed.companions == 1 ? "" : "s", pushed.builds,
           pushed.builds == 1 ? "" : "s", pushed.builds_there, (long long)pushed.rows);
    if (pushed.unfit)
        printf(
            "%zu companion%s left out: another version pushed the programs, with other"
            " rows\n",
            pushed.unfit, pushed.unfit == 1 ? "" : "s");
    return DG_OK;
}

static enum dg_status check_words(const struct given *given, int argc, char **argv,
                                  struct dg_error *err)
{
    if (given->to && (given->hash || given->format))
        return dg_fail(
            err, DG_ERR_USAGE,
            "export: --format and --hash are of files; --to postgres has tables,"
            " and digests always");
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

/* A connection in the place of something else: as what is not there, or is no choice,
 * it would be printed. */
static bool repeats_connection(const char *text)
{
    return strstr(text, "postgresql://") || strstr(text, "postgres://") ||
           strstr(text, "password=");
}

static int complain(const char *path, struct dg_error *err)
{
    if (repeats_connection(path) || repeats_connection(err->text)) {
        dg_fail(err, DG_ERR_USAGE,
                "export: a connection stands where something else does, expected"
                " FILE --to postgres CONNINFO");
        return dg_complain(err);
    }
    return *path ? dg_complain_about(path, err) : dg_complain(err);
}

static int run(int argc, char **argv)
{
    struct given given = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_export, &argc, argv, &err);

    if (!status)
        status = check_words(&given, argc, argv, &err);
    if (status)
        return complain("", &err);
    status = given.to ? push(&given, argv[1], argc > 2 ? argv[2] : "", &err)
                      : write_files(&given, argv[1], &err);
    return status ? complain(argv[1], &err) : DG_EXIT_FINE;
}

const struct dg_command dg_command_export = {
    .name = "export",
    .synopsis = "FILE -o DIR | FILE --to postgres [CONNINFO]",
    .summary =
        "the tables of a store as CSV, JSON lines or Parquet, or into PostgreSQL",
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
        "\nA server has 10 s to let in, or as many as connect_timeout says. Views are "
        "those of"
        "\nthe store; @slowest is q_slowest.\n\n"
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
