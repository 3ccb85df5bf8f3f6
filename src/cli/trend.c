/* trend: the builds of one name, side by side. */
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "formats/input.h"
#include "graph/coverage_sql.h"
#include "graph/profile_sql.h"
#include "reports/rows.h"

struct given {
    const char *format, *output;
    struct dg_list labels;
    int64_t last;
};

static const struct dg_option options[] = {
    {DG_OPTION_LIST, "label", 0, "NAME=VALUE", offsetof(struct given, labels),
     "only builds with that label; may be repeated"},
    {DG_OPTION_COUNT, "last", 0, "N", offsetof(struct given, last),
     "only the newest N builds"},
    {DG_OPTION_CHOICE, "format", 0, "text|plain|json|jsonl|csv",
     offsetof(struct given, format), "text for people (default), plain: tab separated"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

/* ?1: the name; ?2: labels as a JSON object; ?3: how many builds. */
#define BUILDS                                                                         \
    "WITH build AS (SELECT * FROM v_build WHERE name = ?1 AND NOT EXISTS"              \
    "   (SELECT 1 FROM json_each(?2) AS wanted WHERE NOT EXISTS (SELECT 1"             \
    "     FROM build_label AS l WHERE l.build_id = v_build.build_id"                   \
    "      AND l.name = wanted.key AND l.value = wanted.value))"                       \
    "  ORDER BY build_id DESC LIMIT ?3)"

static const char numbers_sql[] =
    BUILDS " SELECT build_id AS build, labels AS \"labels:json\", path, sha256,"
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
    BUILDS
    " SELECT build_id AS build, (SELECT group_concat(key || '=' || value, ' ')"
    "   FROM json_each(labels)) AS labels,"
    " " SIZE("file_size") GROWN("file_size") " AS size,"
    " iif(delegated_ops IS NULL, NULL, printf('%.1f %%', 100 * delegated_ops)) AS delegated,"
    " CAST(partitions AS INTEGER) AS partitions,"
    " " SIZE("peak_memory") GROWN("peak_memory") " AS peak,"
    " CAST(host_calls AS INTEGER) AS \"host calls\","
    " " DG_SQL_ROUNDED("CAST(flops AS INTEGER)") " AS FLOPs,"
    " printf('%d/%d/%d', errors, warnings, notes) AS findings,"
    " " DG_SQL_TIME("time") GROWN("time") " AS time"
    " FROM build WINDOW builds AS (ORDER BY build_id) ORDER BY build_id";
/* clang-format on */

static const char names_sql[] =
    "SELECT name, count(*) AS builds, count(DISTINCT artifact_id) AS programs,"
    " max(id) AS newest FROM build GROUP BY name ORDER BY name";

/* {"branch":"main"} */
static enum dg_status write_labels(struct dg_writer *out, const struct dg_list *labels,
                                   struct dg_error *err)
{
    for (size_t i = 0; i < labels->n_items; i++) {
        const char *label = labels->items[i], *equals = strchr(label, '=');

        if (!equals || equals == label)
            return dg_fail(err, DG_ERR_USAGE, "--label \"%.80s\": expected NAME=VALUE",
                           label);
        dg_print(out, i ? "," : "{");
        dg_write_json(out, (struct dg_text){label, (size_t)(equals - label)});
        dg_print(out, ":");
        dg_write_json(out, dg_text(equals + 1));
    }
    dg_print(out, labels->n_items ? "}" : "{}");
    return DG_OK;
}

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

/* A name that no build has is wrong usage. */
static enum dg_status check_name(struct dg_store *store, const char *name,
                                 struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char **names = NULL, *near;
    size_t n = 0;
    bool found = false;
    struct dg_rows rows =
        dg_rows_all(store, "SELECT DISTINCT name FROM build ORDER BY name", err);
    enum dg_status status;

    while (dg_rows_next(&rows)) {
        found = found || dg_text_is(dg_rows_slice(&rows, 0), name);
        *DG_APPEND(names, n) = dg_copy(&memory, dg_rows_slice(&rows, 0));
    }
    status = dg_rows_close(&rows, DG_OK, err);
    near = dg_nearest(name, names, n);
    if (!status && !found)
        status =
            dg_fail(err, DG_ERR_USAGE, "no build is called \"%.80s\"%s%.80s%s", name,
                    near ? "; did you mean "
                    : n  ? "; there is "
                         : "; load --append adds builds",
                    near ? near
                    : n  ? names[0]
                         : "",
                    near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status tell(struct dg_writer *out, struct dg_store *store,
                           const char *name, const struct given *given,
                           struct dg_error *err)
{
    struct dg_writer labels = {0};
    struct dg_rows rows;
    enum dg_status status = dg_store_add_views(store, err);

    if (!status && name)
        status = check_name(store, name, err);
    if (!status)
        status = write_labels(&labels, &given->labels, err);
    if (!status)
        status = dg_rows_open(&rows, store,
                              !name                            ? names_sql
                              : !strcmp(given->format, "text") ? words_sql
                                                               : numbers_sql,
                              err);
    if (!status && name) {
        dg_rows_bind_text(&rows, 1, dg_text(name));
        dg_rows_bind_text(&rows, 2, dg_written(&labels));
        dg_rows_bind_int(&rows, 3, given->last ? given->last : -1);
    }
    if (!status)
        status = write_rows(out, &rows, given->format, name ? "builds" : "names", err);
    dg_writer_clear(&labels);
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_trend, &argc, argv, &err);

    if (status)
        return dg_complain(&err);
    status = dg_input_open(&input, argv[1], DG_HASH_NONE, &err);
    if (!status)
        status = tell(&out, input.store, argc > 2 ? argv[2] : NULL, &given, &err);
    dg_input_close(&input);
    if (!status && !out.size && !strcmp(given.format, "text") && !dg_verbosity.quiet) {
        dg_fail(&err, DG_OK, "%s",
                argc > 2 ? "no build has those labels"
                         : "it has no builds; load --append adds them");
        dg_complain_about(argv[1], &err);
    }
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
        "\nis in brackets is the change since the build before; findings are errors,"
        "\nwarnings and notes.\n\n"
        "Examples:\n"
        "  delegraph load --append build/*.pte --label branch=main -o fleet.db\n"
        "  delegraph trend fleet.db mobilenet.pte --last 30\n"
        "  delegraph trend fleet.db mobilenet.pte --format csv -o trend.csv\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 2,
};
