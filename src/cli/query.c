/* query: read-only SQL over a store or a file. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/artifact_option.h"
#include "cli/named.h"
#include "cli/options.h"
#include "cli/query_bind.h"
#include "cli/query_explain.h"
#include "cli/query_notes.h"
#include "cli/target_options.h"
#include "cli/watchdog.h"
#include "exec/lineage.h"
#include "formats/input.h"
#include "graph/asked.h"
#include "reports/rows.h"
#include "store/statement.h"

struct given {
    const char *format, *output, *artifact;
    struct dg_list parameters, programs, etdumps;
    double timeout;
    int64_t max_output;
    bool hash, list, each;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "format", 0, "text|plain|json|jsonl|csv",
     offsetof(struct given, format), "text for people (default), plain: tab separated"},
    {DG_OPTION_LIST, "param", 'p', "NAME=VALUE", offsetof(struct given, parameters),
     "value of :NAME in the query; may be repeated"},
    {DG_OPTION_SECONDS, "timeout", 0, "SECONDS", offsetof(struct given, timeout),
     "stop after so long; default 60, 0 for never"},
    {DG_OPTION_BYTES, "max-output", 0, "SIZE", offsetof(struct given, max_output),
     "stop when the answer is larger; default 256MiB, 0 for no bound"},
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash),
     "of a program file, compute digests first"},
    DG_PROGRAM_OPTION(struct given, programs, "it is in the store, too"),
    DG_ETDUMP_OPTION(struct given, etdumps),
    DG_ARTIFACT_OPTION(struct given, artifact),
    {DG_OPTION_FLAG, "each", 0, NULL, offsetof(struct given, each),
     "FILE is a pattern, 'nightly/*.db': ask each file, and say of which a row is"},
    {DG_OPTION_FLAG, "list", 0, NULL, offsetof(struct given, list),
     "list the named queries; with a name, print its SQL"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static enum dg_status find_named(struct dg_named *query, const char *name,
                                 struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char **names = NULL, *near, *cursor = NULL;
    size_t n = 0;

    while (dg_named_next(&cursor, query)) {
        if (dg_text_is(query->name, name)) {
            free(names);
            dg_arena_clear(&memory);
            return DG_OK;
        }
        *DG_APPEND(names, n) = dg_copy(&memory, query->name);
    }
    near = dg_nearest(name, names, n);
    dg_fail(err, DG_ERR_USAGE, "no query @%.60s%s%s%s", name,
            near ? "; did you mean @" : "; see delegraph query --list",
            near ? near : "", near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return err->status;
}

static int list_named(const struct given *given, const char *name)
{
    struct dg_writer out = {0};
    struct dg_error err = {0};
    struct dg_named query;
    const char *cursor = NULL;

    if (name && find_named(&query, name + (*name == '@'), &err))
        return dg_complain(&err);
    if (name)
        dg_write_text(&out, query.sql);
    while (!name && dg_named_next(&cursor, &query))
        dg_print(&out, "@%-14.*s %.*s\n", (int)query.name.size, query.name.data,
                 (int)query.summary.size, query.summary.data);
    return dg_deliver(given->output, &out, DG_EXIT_FINE);
}

/* An object has a member once: of two with one name readers keep one. */
static enum dg_status check_members(const struct dg_rows *rows, struct dg_error *err)
{
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        struct dg_text name = {0}, other = {0};

        name.data = dg_row_column(rows, i, &name.size);
        for (int k = 0; k < i; k++) {
            other.data = dg_row_column(rows, k, &other.size);
            if (dg_text_equal(name, other))
                return dg_fail(err, DG_ERR_USAGE,
                               "two columns are named %.*s, and an object of JSON has "
                               "room for one; rename them with AS",
                               (int)(name.size < 80 ? name.size : 80), name.data);
        }
    }
    return DG_OK;
}

static enum dg_status write_document(struct dg_writer *out, struct dg_rows *rows,
                                     struct dg_error *err)
{
    const char *before = "\n";

    dg_print(out, "{\"schema_version\":1,\"columns\":[");
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        dg_print(out, i ? "," : "");
        dg_write_json(out, dg_text(dg_rows_column(rows, i)));
    }
    dg_print(out, "],\"rows\":[");
    while (!out->full && dg_rows_next(rows)) {
        dg_print(out, "%s", before);
        dg_write_row(out, rows, DG_ROW_JSON);
        before = ",\n";
    }
    dg_print(out, "]}\n");
    return dg_rows_close(rows, DG_OK, err);
}

/* Of one of several files: its path, and what it answers. */
static enum dg_status write_named(struct dg_writer *out, struct dg_rows *rows,
                                  const char *format, const char *path,
                                  struct dg_error *err)
{
    enum dg_row_form form = !strcmp(format, "csv") ? DG_ROW_CSV : DG_ROW_PLAIN;
    bool json = !strncmp(format, "json", 4), first = !out->size;

    if (!strcmp(format, "text")) {
        dg_print(out, first ? "" : "\n");
        dg_write_plain(out, dg_text(path));
        dg_print(out, "\n");
        return dg_write_table(out, rows, 2, false, err);
    }
    if (!json && first)
        dg_write_row_names(out, rows, "from_file", form);
    while (!out->full && dg_rows_next(rows))
        dg_write_row_of(out, rows, "from_file", path, json ? DG_ROW_JSON : form);
    return dg_rows_close(rows, DG_OK, err);
}

static enum dg_status write_answer(struct dg_writer *out, struct dg_rows *rows,
                                   const char *format, const char *path,
                                   struct dg_error *err)
{
    if (path)
        return write_named(out, rows, format, path, err);
    if (!strcmp(format, "json"))
        return write_document(out, rows, err);
    return dg_write_rows_as(out, rows, format, false, err);
}

/* `path`: of one of several files, else NULL. */
static enum dg_status answer(struct dg_writer *out, struct dg_store *store,
                             const char *sql, const struct given *given,
                             const char *path, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status;

    /* What does not end at an instruction ends a little later. */
    if (given->timeout > 0)
        dg_watchdog(given->timeout + 0.1,
                    "delegraph: query stopped: it ran out of time\n");
    dg_store_sandbox(store, given->timeout);
    status = dg_rows_open(&rows, store, sql, err);
    if (status)
        return dg_query_explain(store, sql, err);
    if (!dg_sql_is_blank(sql + dg_rows_sql_size(&rows)))
        status = dg_fail(err, DG_ERR_USAGE, "more than one statement in the query");
    if (!status)
        status = dg_query_bind(&rows, &given->parameters, err);
    if (!status && !strncmp(given->format, "json", 4))
        status = check_members(&rows, err);
    if (status)
        return dg_rows_close(&rows, status, err);
    out->most = (size_t)given->max_output;
    status = write_answer(out, &rows, given->format, path, err);
    if (!status && out->full)
        status = dg_fail(err, DG_ERR_STOPPED,
                         "query stopped: the answer is larger than %lld bytes; ask for "
                         "less, or see --max-output",
                         (long long)given->max_output);
    return status;
}

/* Questions about a node: that it is not there is no answer. */
static enum dg_status check_node(struct dg_store *store, const struct given *given,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < given->parameters.n_items && !status; i++) {
        if (!strncmp(given->parameters.items[i], "node=", 5))
            status = dg_query_find_node(store, given->parameters.items[i] + 5, err);
    }
    return status;
}

static enum dg_status ask(struct dg_writer *out, const char *path, const char *question,
                          const struct given *given, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_input input = {0};
    struct dg_named named = {0};
    enum dg_status status = DG_OK;

    if (*question == '@') {
        status = find_named(&named, question + 1, err);
        question = status ? NULL : dg_copy(&memory, named.sql);
    }
    if (!status)
        status =
            dg_input_open(&input, path, given->hash ? DG_HASH_ALL : DG_HASH_NONE, err);
    if (!status)
        status = dg_artifact_choose(&input, given->artifact, err);
    if (!status)
        status =
            dg_join_companions(&input, given->programs.items, given->programs.n_items,
                               "program", DG_HASH_NONE, err);
    if (!status)
        status =
            dg_join_companions(&input, given->etdumps.items, given->etdumps.n_items,
                               "profile", DG_HASH_NONE, err);
    if (!status)
        status = dg_store_add_views(input.store, err);
    if (!status && given->programs.n_items + given->etdumps.n_items)
        status = dg_note_misfits(input.store, err);
    if (!status && named.name.size)
        status = check_node(input.store, given, err);
    if (!status)
        status = dg_asked_store(input.store, question, err);
    if (!status && dg_sql_mentions(question, "lineage"))
        status = dg_lineage_store(&input, err);
    if (!status && named.name.size)
        status = dg_query_notes(&input, &named, given->programs.n_items,
                                given->etdumps.n_items, err);
    if (!status)
        status =
            answer(out, input.store, question, given, given->each ? path : NULL, err);
    dg_input_close(&input);
    dg_arena_clear(&memory);
    return status;
}

/* What one file does not answer is said, and the others are asked. */
static int ask_each(const char *pattern, const char *question,
                    const struct given *given)
{
    struct dg_writer out = {0};
    struct dg_error err = {0};
    glob_t found = {0};
    int exit_code = DG_EXIT_FINE;

    if (!strcmp(given->format, "json"))
        dg_fail(&err, DG_ERR_USAGE, "query: --each goes with --format jsonl, not json");
    else if (glob(pattern, 0, NULL, &found))
        dg_fail(&err, DG_ERR_USAGE, "query: no file matches %.200s", pattern);
    if (err.status)
        return dg_complain(&err);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct dg_error told = {0};
        size_t before = out.size;
        int code;

        if (!ask(&out, found.gl_pathv[i], question, given, &told))
            continue;
        out.size = before;
        code = dg_complain_about(found.gl_pathv[i], &told);
        exit_code = code > exit_code ? code : exit_code;
        if (code == DG_EXIT_USAGE)
            break; /* so it is of all of them */
    }
    globfree(&found);
    return dg_deliver(given->output, &out, exit_code);
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text", .timeout = 60, .max_output = 256 << 20};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_query, &argc, argv, &err);

    if (!status && given.list && given.parameters.n_items)
        status = dg_fail(&err, DG_ERR_USAGE,
                         "query: --list runs no query that -p could be for");
    if (!status && given.list)
        return list_named(&given, argc > 1 ? argv[1] : NULL);
    if (!status && argc < 3)
        status = dg_fail(&err, DG_ERR_USAGE,
                         "query: expected FILE and SQL or @NAME; see delegraph query "
                         "--list and delegraph schema");
    if (!status && given.each)
        return ask_each(argv[1], argv[2], &given);
    if (!status)
        status = ask(&out, argv[1], argv[2], &given, &err);
    if (!status)
        return dg_deliver(given.output, &out, DG_EXIT_FINE);
    dg_writer_clear(&out);
    return dg_complain(&err);
}

const struct dg_command dg_command_query = {
    .name = "query",
    .synopsis = "FILE SQL|@NAME",
    .summary = "read-only SQL, or one of the named queries (--list)",
    .help = "Tables and views: delegraph schema.\n\n"
            "Examples:\n"
            "  delegraph query model.pte @kernels\n"
            "  delegraph query model.pt2 @impact -p node=mm --format csv\n"
            "  delegraph query --each 'nightly/*.db' @coverage --format csv\n"
            "  delegraph query model.db 'SELECT op, count(*) FROM v_node GROUP BY 1'\n",
    .run = run,
    .options = options,
    .most = 2,
    .files = 1,
};
