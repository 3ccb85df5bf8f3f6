/* What is wrong, where, why it matters and what to do. */
#include "reports/sections/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_set.h"
#include "reports/sections/amount.h"
#include "store/line_sql.h"

enum { MOST_ROWS = 200, MOST_DETAILS = 20, DETAILS_PER_RULE = 3, MOST_NAMES = 4 };

/* A rule that is broken all over a program shows it in its first findings. */
static const char details_sql[] =
    "SELECT *, (SELECT group_concat(value, iif(node_id IS NULL, ', ', ' → '))"
    "  || iif(n > 20, printf(' and %d more', n - 20), '') FROM"
    "   (SELECT value, count(*) OVER () AS n FROM json_each(witness) ORDER BY key"
    "     LIMIT 20)) AS path FROM (SELECT finding.id AS id, severity, rule,"
    " " DG_FINDING_WHERE " AS place, node.name AS node, op.name AS op,"
    " " DG_SQL_SHORT_LINE("node.trace_id") " AS line, message, witness, method.name AS method,"
    " graph.path AS graph,"
    " row_number() OVER (PARTITION BY rule ORDER BY finding.id) AS nth,"
    " count(*) OVER (PARTITION BY rule) AS n,"
    " CASE severity WHEN 'error' THEN 0 ELSE 1 END AS rank, finding.node_id AS node_id"
    " FROM finding LEFT JOIN method ON method.id = finding.method_id"
    " LEFT JOIN graph ON graph.id = finding.graph_id"
    " LEFT JOIN node ON node.id = finding.node_id"
    " LEFT JOIN op ON op.id = node.op_id"
    " LEFT JOIN value ON value.id = finding.value_id"
    " WHERE severity <> 'note' AND " DG_OWN_FINDINGS ")"
    " WHERE nth <= ?3 ORDER BY rank, min(id) OVER (PARTITION BY rule), id LIMIT ?2";

enum column {
    ID,
    SEVERITY,
    RULE,
    PLACE,
    NODE,
    OP,
    LINE,
    MESSAGE,
    WITNESS,
    METHOD,
    GRAPH,
    NTH,
    COUNT,
    RANK,
    NODE_ID,
    PATH, /* "a -> b -> c"; "a, b, c" where the finding is about no node */
};

static const char table_sql[] =
    "SELECT finding.id AS \"Finding:finding\", severity AS \"Severity:severity\","
    " rule AS \"Rule:code\", " DG_FINDING_WHERE " AS \"Where:code\","
    " node.name AS \"Node:node\", " DG_SQL_SHORT_LINE("node.trace_id") " AS \"Line:code\","
    " message AS \"What is wrong:text\"" DG_FINDINGS DG_WORST_FIRST "finding.id";

static const char *path_of(struct dg_page *page, const struct dg_report_input *input)
{
    return dg_format(&page->memory, "%s%s", input->path, input->finding_options).data;
}

static void say(struct dg_page *page, const char *what, const char *text)
{
    if (text && *text)
        dg_page_say(page, DG_TONE_PLAIN, "%s: %s", what, text);
}

/* "forward, sigmoid (aten::sigmoid.default), model.py:818" */
static void say_place(struct dg_page *page, const struct dg_rows *rows)
{
    static const struct {
        enum column column;
        const char *before, *after;
    } parts[] = {{PLACE, "", ""}, {NODE, ", ", ""}, {OP, " (", ")"}, {LINE, ", ", ""}};
    struct dg_writer text = {0};

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (!dg_rows_null(rows, parts[i].column))
            dg_print(&text, "%s%s%s", parts[i].before,
                     dg_rows_text(rows, parts[i].column), parts[i].after);
    say(page, "Where", text.data);
    dg_writer_clear(&text);
}

/* Why, and the fix: once for each rule. */
static void say_rule(struct dg_page *page, const struct dg_report_input *input,
                     const char *rule)
{
    struct dg_rule_words words = {0};

    if (!input->rule(input->rule_context, rule, &words))
        return;
    say(page, "What must hold", words.invariant);
    say(page, "Why it matters", words.reason);
    say(page, "Fix", words.fix);
    if (!strncmp(rule, "budget/", 7)) /* no limit is given for what may be left out */
        return;
    dg_page_say(page, DG_TONE_PLAIN, "To accept it, leave the rule out:");
    dg_page_command(page, "delegraph check %s --ignore %s", path_of(page, input), rule);
}

static void say_words(struct dg_page *page, const struct dg_report_input *input,
                      const struct dg_rows *rows)
{
    int64_t nth = dg_rows_int(rows, NTH), n_more = dg_rows_int(rows, COUNT) - nth;

    dg_page_say(page, *dg_rows_text(rows, SEVERITY) == 'e' ? DG_TONE_BAD : DG_TONE_WARN,
                "%s", dg_rows_text(rows, MESSAGE));
    say_place(page, rows);
    say(page, dg_rows_null(rows, NODE) ? "Names" : "Path", dg_rows_text(rows, PATH));
    if (nth == 1)
        say_rule(page, input, dg_rows_text(rows, RULE));
    if (nth == DETAILS_PER_RULE && n_more)
        dg_page_say(page, DG_TONE_PLAIN, "%lld more of this rule: #all-findings",
                    (long long)n_more);
}

/* A picture is a help: where there is nothing to draw, the words stand alone. */
static enum dg_status add_picture(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  const struct dg_rows *rows, struct dg_error *err)
{
    long long number = dg_rows_int(rows, ID);
    struct dg_view_options options = {.finding = number};
    struct dg_error undrawn = {0};
    enum dg_status status;

    if (dg_rows_null(rows, NODE) && dg_text_is(dg_rows_slice(rows, WITNESS), "[]"))
        return DG_OK;
    status = dg_section_picture(
        page, input, dg_format(&page->memory, "finding-%lld-picture", number).data,
        dg_format(&page->memory, "Finding %lld", number).data, &dg_view_finding,
        &options, &undrawn);
    if (status && status != DG_ERR_USAGE)
        *err = undrawn;
    return status == DG_ERR_USAGE ? DG_OK : status;
}

static enum dg_status add_detail(struct dg_page *page,
                                 const struct dg_report_input *input,
                                 const struct dg_rows *rows, struct dg_error *err)
{
    long long number = dg_rows_int(rows, ID);

    dg_page_heading(page, dg_format(&page->memory, "finding-%lld", number).data,
                    "Finding %lld: %s, %s", number, dg_rows_text(rows, SEVERITY),
                    dg_rows_text(rows, RULE));
    say_words(page, input, rows);
    return add_picture(page, input, rows, err);
}

static enum dg_status add_details(struct dg_page *page,
                                  const struct dg_report_input *input, size_t *n_added,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(input->store, details_sql, input->artifact, err);
    enum dg_status status = DG_OK;

    dg_rows_bind_int(&rows, 2, MOST_DETAILS);
    dg_rows_bind_int(&rows, 3, DETAILS_PER_RULE);
    for (; !status && dg_rows_next(&rows); ++*n_added)
        status = add_detail(page, input, &rows, err);
    return dg_rows_close(&rows, status, err);
}

struct reason {
    size_t n_rules;
    struct dg_writer rules;
};

/* Most rules that do not apply have the same few reasons. */
static void add_not_checked(struct dg_page *page, const struct dg_report_input *input)
{
    struct dg_text_set whys = {0};
    struct reason *reasons = NULL, *reason;
    size_t n = 0;

    for (size_t i = 0; i < input->n_rules; i++) {
        uint32_t k;

        if (!input->rules[i].not_checked)
            continue;
        k = dg_text_set_add(&whys, dg_text(input->rules[i].not_checked));
        reason = k == n ? DG_APPEND(reasons, n) : &reasons[k];
        if (reason->n_rules++ < MOST_NAMES)
            dg_print(&reason->rules, "%s%s", reason->n_rules > 1 ? ", " : "",
                     input->rules[i].id);
    }
    if (n) {
        dg_page_open(page, "not-checked", false, "What was not checked, and why");
        dg_page_table(page, "rules-not-checked", "Rules that do not apply");
        dg_table_columns(page, "Why:text", "Rules:text", NULL);
        for (size_t i = 0; i < n; i++) {
            if (reasons[i].n_rules > MOST_NAMES)
                dg_print(&reasons[i].rules, " and %zu more",
                         reasons[i].n_rules - MOST_NAMES);
            dg_table_text(page, whys.texts[i]);
            dg_table_text(page, dg_written(&reasons[i].rules));
            dg_writer_clear(&reasons[i].rules);
        }
        dg_page_close(page);
    }
    free(reasons);
    dg_text_set_clear(&whys);
}

/* Folded, unless they are all there is and fail the program. */
static enum dg_status add_notes(struct dg_page *page,
                                const struct dg_report_input *input, const char *more,
                                size_t *n_rules, struct dg_error *err)
{
    enum dg_status status;

    if (!input->counts[2])
        return DG_OK;
    page->forms = DG_FORM_HTML;
    dg_page_open(page, "notes", input->failed && !input->counts[0] && !input->counts[1],
                 "%s", dg_amount_of(page, input->counts[2], "note", "notes"));
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    status = dg_page_query(page, "note-rules", "Notes", input->store,
                           DG_BROKEN_RULES(DG_IS_NOTE), input->artifact, MOST_ROWS,
                           more, n_rules, err);
    page->forms = DG_FORM_HTML;
    dg_page_close(page);
    return status;
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    size_t n = (size_t)(input->counts[0] + input->counts[1] + input->counts[2]);
    size_t n_told = 0, n_rules = 0, n_noted = 0;
    const char *more = dg_format(&page->memory, "delegraph check %s --format json",
                                 path_of(page, input))
                           .data;
    enum dg_status status;

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (!n)
        dg_page_say(page, DG_TONE_GOOD, "None.");
    status =
        dg_page_query(page, "broken-rules",
                      input->counts[0] || input->failed ? "Broken rules" : "Warnings",
                      input->store, DG_BROKEN_RULES(DG_IS_NO_NOTE), input->artifact,
                      MOST_ROWS, more, &n_rules, err);
    if (!status)
        status = add_details(page, input, &n_told, err);
    if (!status)
        status = add_notes(page, input, more, &n_noted, err);
    page->forms = DG_FORM_HTML;
    if (!status && n_told < n && n_rules + n_noted < n)
        status = dg_page_query(page, "all-findings",
                               "All findings, the most severe first", input->store,
                               table_sql, input->artifact, MOST_ROWS, more, NULL, err);
    add_not_checked(page, input);
    return status;
}

const struct dg_section dg_section_findings = {
    .id = "findings",
    .title = "Findings",
    .write = write,
};
