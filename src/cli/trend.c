/* trend: the builds of one name, side by side. */
#include <stdlib.h>
#include <string.h>

#include "cli/build_choice.h"
#include "cli/options.h"
#include "formats/input.h"
#include "graph/builds.h"
#include "graph/coverage_sql.h"
#include "graph/profile_sql.h"
#include "reports/fleet/chart.h"
#include "reports/rows.h"

struct given {
    const char *format, *output;
    struct dg_list labels;
    int64_t last;
};

static const struct dg_option options[] = {
    {DG_OPTION_LIST, "label", 0, "NAME=VALUE", offsetof(struct given, labels),
     "only builds with that label; may be repeated"},
    {DG_OPTION_NUMBER, "last", 0, "N", offsetof(struct given, last),
     "only the newest N builds of a name"},
    {DG_OPTION_CHOICE, "format", 0, "text|plain|json|jsonl|csv|svg",
     offsetof(struct given, format),
     "text for people, plain: tab separated, svg: a line for each number that changes; "
     "default: as the name of FILE ends, else text"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static const struct dg_ending endings[] = {{"txt", "text"},
                                           {"csv", "csv"},
                                           {"json", "json"},
                                           {"jsonl", "jsonl"},
                                           {"tsv", "plain"},
                                           {"svg", "svg"},
                                           {0}};

static const char numbers_sql[] = DG_SQL_BUILDS
    " SELECT build_id AS build, labels AS \"labels:json\", path, sha256,"
    " CAST(file_size AS INTEGER) AS file_size, delegated_ops,"
    " CAST(partitions AS INTEGER) AS partitions,"
    " CAST(peak_memory AS INTEGER) AS peak_memory,"
    " CAST(host_calls AS INTEGER) AS host_calls, flops,"
    " CAST(errors AS INTEGER) AS errors, CAST(warnings AS INTEGER) AS warnings,"
    " CAST(notes AS INTEGER) AS notes, time FROM build ORDER BY build_id";

/* A number, and by how much it is another one than that of the build before. */
#define SIZE(bytes)                                                                    \
    "CASE WHEN " bytes " < 1024 THEN printf('%d B', " bytes ") WHEN " bytes            \
    " < 1048576 THEN printf('%.1f KiB', " bytes " / 1024.0)"                           \
    " WHEN " bytes " IS NOT NULL THEN printf('%.1f MiB', " bytes " / 1048576.0) END"
#define GROWN(number)                                                                  \
    " || CASE WHEN lag(" number ") OVER builds IS NULL OR " number " = lag(" number    \
    ") OVER builds THEN '' ELSE printf(' (%+.1f %%)',"                                 \
    "  100.0 * (" number " - lag(" number ") OVER builds) /"                           \
    "  nullif(lag(" number ") OVER builds, 0)) END"

/* clang-format off */
static const char words_sql[] =
    DG_SQL_BUILDS_AND_BEFORE
    " SELECT build, labels, size, delegated, partitions, peak, \"host calls\", FLOPs,"
    "  findings, time FROM (SELECT nth,"
    " build_id AS build, " DG_SQL_LABEL_WORDS " AS labels,"
    " " SIZE("file_size") GROWN("file_size") " AS size,"
    " iif(delegated_ops IS NULL, NULL, printf('%.1f %%', 100 * delegated_ops)) AS delegated,"
    " CAST(partitions AS INTEGER) AS partitions,"
    " " SIZE("peak_memory") GROWN("peak_memory") " AS peak,"
    " CAST(host_calls AS INTEGER) AS \"host calls\","
    " " DG_SQL_ROUNDED("CAST(flops AS INTEGER)") " AS FLOPs,"
    " printf('%d/%d/%d', errors, warnings, notes) AS findings,"
    " " DG_SQL_TIME("time") GROWN("time") " AS time"
    " FROM build WINDOW builds AS (ORDER BY build_id)) WHERE nth <= ?3 ORDER BY build";
/* Not by v_build, whose numbers would be gathered for nothing. */
static const char names_sql[] =
    "SELECT name, count(*) AS builds, count(DISTINCT artifact_id) AS programs,"
    " max(id) AS newest FROM (SELECT build.*,"
    "   row_number() OVER (PARTITION BY name ORDER BY id DESC) AS nth"
    "  FROM build WHERE " DG_SQL_IS_MEANT("build", "id") ")"
    " WHERE nth <= ?3 GROUP BY name ORDER BY name";
/* clang-format on */

static enum dg_status write_rows(struct dg_writer *out, struct dg_rows *rows,
                                 const char *format, const char *key,
                                 struct dg_error *err)
{
    const char *before = "\n";

    if (strcmp(format, "json") != 0)
        return dg_write_rows_as(out, rows, format, true, err);
    dg_print(out, "{\"schema_version\":1,\"%s\":[", key);
    while (dg_rows_next(rows)) {
        dg_print(out, "%s", before);
        dg_write_row(out, rows, DG_ROW_JSON);
        before = ",\n";
    }
    dg_print(out, "]}\n");
    return dg_rows_close(rows, DG_OK, err);
}

static enum dg_status write_builds(struct dg_writer *out, struct dg_store *store,
                                   const struct dg_build_choice *choice,
                                   const char *format, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_builds_open(
        &rows, store, strcmp(format, "text") ? numbers_sql : words_sql, choice, err);

    return status ? status : write_rows(out, &rows, format, "builds", err);
}

static enum dg_status write_names(struct dg_writer *out, struct dg_store *store,
                                  const struct dg_build_choice *choice,
                                  const char *format, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_builds_open(&rows, store, names_sql, choice, err);

    return status ? status : write_rows(out, &rows, format, "names", err);
}

static enum dg_status draw(struct dg_writer *out, struct dg_store *store,
                           const struct dg_build_choice *choice, struct dg_error *err)
{
    struct dg_fleet fleet = {0};
    enum dg_status status = dg_fleet_load(&fleet, store, choice, err);

    if (!status)
        dg_fleet_chart(out, &fleet.names[0]);
    dg_fleet_clear(&fleet);
    return status;
}

static enum dg_status tell(struct dg_writer *out, struct dg_store *store,
                           const char *name, const struct given *given,
                           struct dg_error *err)
{
    struct dg_writer labels = {0};
    struct dg_build_choice choice = {.name = name, .last = given->last};
    enum dg_status status = dg_store_add_views(store, err);

    if (!status && name)
        status = dg_build_name_check(store, name, err);
    if (!status)
        status = dg_write_labels(&labels, &given->labels, err);
    choice.labels = dg_written(&labels);
    if (!status)
        status = dg_builds_check(store, &choice, err);
    if (!status)
        status = !name ? write_names(out, store, &choice, given->format, err)
                 : strcmp(given->format, "svg") != 0
                     ? write_builds(out, store, &choice, given->format, err)
                     : draw(out, store, &choice, err);
    dg_writer_clear(&labels);
    return status;
}

static enum dg_status check_given(struct given *given, bool named, struct dg_error *err)
{
    enum dg_status status =
        given->format
            ? DG_OK
            : dg_format_by_ending(&given->format, given->output, endings, err);

    if (!status && !named && !strcmp(given->format, "svg"))
        status = dg_fail(err, DG_ERR_USAGE,
                         "trend: --format svg: a picture is of one NAME, which stands"
                         " behind the store");
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {0};
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_trend, &argc, argv, &err);

    if (!status)
        status = check_given(&given, argc > 2, &err);
    if (status)
        return dg_complain(&err);
    status = dg_input_open(&input, argv[1], DG_HASH_NONE, &err);
    if (!status)
        status = tell(&out, input.store, argc > 2 ? argv[2] : NULL, &given, &err);
    dg_input_close(&input);
    if (!status)
        return dg_deliver(given.output, &out, DG_EXIT_FINE);
    dg_writer_clear(&out);
    return dg_complain_about(argv[1], &err);
}

const struct dg_command dg_command_trend = {
    .name = "trend",
    .synopsis = "DB [NAME]",
    .summary = "builds of one name side by side: sizes, shares, findings, times",
    .help =
        "DB is a store that load --append made. Without NAME, the names in it. What"
        "\nis in brackets is the change since the build before with these labels;"
        "\nfindings are errors, warnings and notes.\n\n"
        "Examples:\n"
        "  delegraph load --append build/*.pte --label branch=main -o fleet.db\n"
        "  delegraph trend fleet.db mobilenet.pte --last 30\n"
        "  delegraph trend fleet.db mobilenet.pte -o trend.csv\n"
        "  delegraph trend fleet.db mobilenet.pte --label branch=main -o trend.svg\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 2,
};
