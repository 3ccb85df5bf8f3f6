/* Whether the program passes, the worst that was found, and its figures at a glance. */
#include <stdlib.h>

#include "base/quantity.h"
#include "graph/coverage_sql.h"
#include "reports/sections/amount.h"
#include "reports/sections/findings.h"

enum { MOST_WORST = 5 };

#define METHODS "SELECT id FROM method WHERE artifact_id = ?1"
#define GRAPHS "SELECT id FROM graph WHERE method_id IN (" METHODS ")"
#define SHARE(what)                                                                    \
    "printf('%.1f %%', 100.0 * delegated_" what " / " what "), NULL,"                  \
    " 1.0 * delegated_" what " / " what
#define FLOPS                                                                          \
    "printf('FLOPs delegated (of %.4g%s)', flops / column1, column2), " SHARE("flops")
#define UNITS                                                                          \
    "(VALUES (1.0, ''), (1e3, ' k'), (1e6, ' M'), (1e9, ' G'), (1e12, ' T'))"          \
    " WHERE flops >= column1 ORDER BY column1 DESC LIMIT 1"

/* Rows of name, value, bytes that follow it, share of 1. Names begin a tile, values are
 * large: short ones. */
struct figure {
    const char *sql;
    bool elsewhere; /* another section tells it to readers of Markdown, too */
};

static const struct figure figures[] = {
    {"SELECT printf('Format (%,d method%s)', n, iif(n = 1, '', 's')), kind, NULL, NULL"
     " FROM artifact, (SELECT count(*) AS n FROM method WHERE artifact_id = ?1)"
     " WHERE artifact.id = ?1",
     false},
    {"SELECT iif(kind = 'pt2', 'Nodes', 'Instructions'), printf('%,d',"
     "  (SELECT count(*) FROM node WHERE graph_id IN (" GRAPHS "))), NULL, NULL"
     " FROM artifact WHERE id = ?1",
     false},
    {"SELECT 'Delegates of ' || coalesce(backend, 'no backend'),"
     " printf('%,d', count(*)), NULL, NULL FROM delegate"
     " WHERE method_id IN (" METHODS ")"
     " GROUP BY backend ORDER BY count(*) DESC, backend LIMIT 4",
     false},
    {"SELECT 'Planned' || coalesce(' for ' || backend, ''), printf('%,d partition%s',"
     "  count(*), iif(count(*) = 1, '', 's')), NULL, NULL FROM v_partition"
     " WHERE part_run_id = (SELECT max(id) FROM part_run WHERE artifact_id = ?1)"
     "  AND calls > 0"
     " GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 4",
     false},
    {DG_COVERAGE_OF("IN (" METHODS ")") " SELECT printf('Ops delegated (%,d of "
                                        "%,d)', delegated_ops, ops), " SHARE(
                                            "ops") " FROM coverage WHERE flops IS NOT "
                                                   "NULL UNION ALL SELECT * FROM"
                                                   " (SELECT " FLOPS
                                                   " FROM coverage, " UNITS ")",
     true},
    {DG_PROGRAM_SHARE_OF("IN (" METHODS ")") " SELECT printf('%s delegated (of %s)', "
                                             "what, whole), percent, NULL, share"
                                             " FROM shares",
     true},
    {DG_COVERAGE_OF("IN (" METHODS ")") "," DG_HOST_OF(
         "IN (" METHODS
         ")") " SELECT 'Host calls' || iif(casts, printf(' (%,d cast%s of scalars)', "
              "casts,"
              "  iif(casts = 1, '', 's')), ''), printf('%,d', calls), NULL, NULL"
              " FROM coverage, host WHERE flops IS NULL",
     true},
    {"SELECT iif(count(*) OVER () = 1, 'Planned memory', 'Planned memory of ' ||"
     "  method.name || ', the most'), '', sum(size_bytes), NULL FROM arena"
     " JOIN method ON method.id = method_id WHERE artifact_id = ?1 GROUP BY method_id"
     " HAVING sum(size_bytes) > 0 ORDER BY sum(size_bytes) DESC, method_id LIMIT 1",
     true},
    {"SELECT 'File size', '', size_bytes, NULL FROM artifact WHERE id = ?1", true},
    {"SELECT printf('Weights and constants (%,d)', count(*)), '', sum(nbytes), NULL"
     " FROM constant WHERE artifact_id = ?1 AND kind <> 'reserved'"
     " HAVING sum(nbytes) > 0",
     false},
    {"SELECT 'Data of delegates', '', sum(size_bytes), NULL FROM segment"
     " WHERE artifact_id = ?1 AND kind IN ('delegate', 'named_data')"
     " HAVING sum(size_bytes) > 0",
     false},
    {"SELECT 'Copies to devices and back', printf('%,d + %,d', there, back), NULL, NULL"
     " FROM (SELECT CAST(total(op.name GLOB '*::_h2d_copy*') AS INTEGER) AS there,"
     "   CAST(total(op.name GLOB '*::_d2h_copy*') AS INTEGER) AS back"
     "  FROM op CROSS JOIN node ON op_id = op.id"
     "  WHERE op.name GLOB '*::_[hd]2[hd]_copy*' AND +graph_id IN (" GRAPHS "))"
     " WHERE there + back > 0",
     false},
    {"SELECT 'Newest run, on ' || device, printf('%,d passed, %,d failed',"
     "  total(verdict = 'pass'), total(verdict = 'fail')), NULL, NULL FROM num_result"
     " JOIN num_run ON num_run.id = run_id WHERE run_id ="
     "  (SELECT max(id) FROM num_run WHERE artifact_id = ?1) GROUP BY run_id",
     false},
};

struct told {
    struct dg_text name, value;
    double share; /* below 0: none */
    bool elsewhere;
};

struct told_list {
    struct told *items;
    size_t n_items;
};

static void read_row(struct told *told, struct dg_page *page,
                     const struct dg_rows *rows)
{
    struct dg_writer value = {0};

    dg_write_text(&value, dg_rows_slice(rows, 1));
    if (!dg_rows_null(rows, 2))
        dg_write_size(&value, dg_rows_int(rows, 2));
    told->name = dg_format(&page->memory, "%s", dg_rows_text(rows, 0));
    told->value = dg_keep(&page->memory, &value);
    told->share = dg_rows_null(rows, 3) ? -1 : dg_rows_double(rows, 3);
}

static enum dg_status read_figure(struct told_list *list, struct dg_page *page,
                                  const struct dg_report_input *input,
                                  const struct figure *figure, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(input->store, figure->sql, input->artifact, err);

    while (dg_rows_next(&rows)) {
        struct told *told = DG_APPEND(list->items, list->n_items);

        told->elsewhere = figure->elsewhere;
        read_row(told, page, &rows);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void add_told(struct dg_page *page, const struct told_list *list, unsigned forms)
{
    page->forms = forms;
    for (size_t i = 0; i < list->n_items; i++)
        if (forms != DG_FORM_MARKDOWN || !list->items[i].elsewhere)
            dg_page_fact(page, list->items[i].share, list->items[i].name.data, "%s",
                         list->items[i].value.data);
}

static enum dg_status add_figures(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err)
{
    struct told_list list = {0};
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures) && !status; i++)
        status = read_figure(&list, page, input, &figures[i], err);
    add_told(page, &list, DG_FORM_HTML | DG_FORM_TEXT);
    add_told(page, &list, DG_FORM_MARKDOWN);
    free(list.items);
    return status;
}

static const char failed_sql[] =
    "SELECT total(kind = 'output'), total(kind <> 'output') FROM num_result"
    " WHERE verdict = 'fail' AND run_id ="
    "  (SELECT max(id) FROM num_run WHERE artifact_id = ?1)";

/* ". The newest run FAILED: 2 outputs, 1 node (see Numerics)", or "". */
static enum dg_status failed_run(const char **words, struct dg_page *page,
                                 const struct dg_report_input *input,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(input->store, failed_sql, input->artifact, err);
    int64_t outputs = 0, nodes = 0;
    const char *of_outputs, *of_nodes;

    if (dg_rows_next(&rows)) {
        outputs = dg_rows_int(&rows, 0);
        nodes = dg_rows_int(&rows, 1);
    }
    of_outputs = outputs ? dg_amount_of(page, outputs, "output", "outputs") : "";
    of_nodes = nodes ? dg_amount_of(page, nodes, "node", "nodes") : "";
    *words =
        outputs + nodes
            ? dg_format(&page->memory, ". The newest run FAILED: %s%s%s (see Numerics)",
                        of_outputs, outputs && nodes ? ", " : "", of_nodes)
                  .data
            : "";
    return dg_rows_close(&rows, DG_OK, err);
}

/* The gate is about findings. Runs that failed are told beside it. */
static enum dg_status say_verdict(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err)
{
    const int64_t *n = input->counts;
    const char *run;
    enum dg_status status = failed_run(&run, page, input, err);

    dg_page_say(page,
                input->failed         ? DG_TONE_BAD
                : n[0] + n[1] || *run ? DG_TONE_WARN
                                      : DG_TONE_GOOD,
                "%s%s: %s, %s, %s%s", *run ? "Findings " : "",
                input->failed ? "FAIL" : "PASS",
                dg_amount_of(page, n[0], "error", "errors"),
                dg_amount_of(page, n[1], "warning", "warnings"),
                dg_amount_of(page, n[2], "note", "notes"), run);
    return status;
}

/* What fails the program, the worst first; of one that passes its warnings, and these
 * to readers of Markdown alone: the page has them a line further down. */
static enum dg_status add_worst(struct dg_page *page,
                                const struct dg_report_input *input,
                                struct dg_error *err)
{
    const int64_t *n = input->counts;
    const char *sql =
        n[0] + n[1] ? DG_BROKEN_RULES(DG_IS_NO_NOTE) : DG_BROKEN_RULES(DG_IS_NOTE);
    const char *more = dg_format(&page->memory, "delegraph check %s%s", input->path,
                                 input->gate_options)
                           .data;
    enum dg_status status = DG_OK;

    if (!input->failed && !n[1])
        return DG_OK;
    page->forms = DG_FORM_HTML;
    if (input->failed)
        status = dg_page_query(page, "worst", "The worst finding", input->store,
                               dg_format(&page->memory, "%s LIMIT 1", sql).data,
                               input->artifact, 0, NULL, NULL, err);
    page->forms = DG_FORM_MARKDOWN;
    if (!status)
        status = dg_page_query(
            page, "worst-findings", input->failed ? "Broken rules" : "Warnings",
            input->store, sql, input->artifact, MOST_WORST, more, NULL, err);
    return status;
}

/* The fix of the worst. */
static enum dg_status add_advice(struct dg_page *page,
                                 const struct dg_report_input *input,
                                 struct dg_error *err)
{
    struct dg_rule_words words = {0};
    struct dg_rows rows;

    if (!input->failed)
        return DG_OK;
    rows = dg_rows_of(input->store,
                      "SELECT rule, min(finding.id)" DG_FINDINGS
                      " GROUP BY rule, severity" DG_WORST_FIRST "2 LIMIT 1",
                      input->artifact, err);
    if (dg_rows_next(&rows) &&
        input->rule(input->rule_context, dg_rows_text(&rows, 0), &words) && words.fix) {
        page->forms = DG_FORM_TEXT;
        dg_page_say(page, DG_TONE_PLAIN, "Fix: %s.", words.fix);
        page->forms = DG_FORM_HTML;
        dg_page_say(page, DG_TONE_PLAIN, "Fix: %s (#finding-%lld).", words.fix,
                    (long long)dg_rows_int(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void add_commands(struct dg_page *page, const struct dg_report_input *input)
{
    const char *on = input->fail_on;
    const char *but = input->hashed ? ", but for what the bytes of weights say," : "";

    page->forms = DG_FORM_ALL;
    dg_page_command(page, "delegraph check %s%s", input->path, input->gate_options);
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (!strcmp(on, "never"))
        dg_page_say(
            page, DG_TONE_PLAIN,
            "This command reports the same%s and exits with 0, or with 3 where the "
            "file cannot be read.",
            but);
    else
        dg_page_say(
            page, DG_TONE_PLAIN,
            "This command reports the same%s and exits with %d (0: no %s%s; 1: at "
            "least one; 3: the file cannot be read).",
            but, input->failed, on, strcmp(on, "error") != 0 ? " or worse" : "");
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    enum dg_status status = say_verdict(page, input, err);

    if (!status)
        status = add_worst(page, input, err);
    if (!status)
        status = add_advice(page, input, err);
    if (!status)
        status = dg_section_rows(page, input, "program", input->artifact, NULL, err);
    if (!status)
        status = add_figures(page, input, err);
    if (!status)
        add_commands(page, input);
    return status;
}

const struct dg_section dg_section_verdict = {
    .id = "verdict",
    .title = "Verdict",
    .write = write,
};
