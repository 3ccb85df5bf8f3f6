/* The outcome of check as text and as JSON. */
#include "cli/check_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "formats/json.h"
#include "reports/rows.h"
#include "reports/sections/section.h"

static const char findings_sql[] =
    "SELECT rule, severity, method.name AS method, graph.path AS graph,"
    " node.name AS node,"
    " CASE method.ir WHEN 'pte' THEN value.idx ELSE coalesce(value.name, value.idx) END"
    " AS value, message, witness AS \"witness:json\", fingerprint,"
    " (SELECT file || coalesce(':' || line, '') FROM frame"
    "   WHERE trace_id = node.trace_id ORDER BY file GLOB '<*', pos DESC LIMIT 1)"
    " AS source,"
    " coalesce(op.name, delegate.backend) AS op,"
    " (SELECT path FROM artifact WHERE id = finding.artifact_id AND id <> ?1)"
    " AS companion, finding.id AS number"
    " FROM finding LEFT JOIN method ON method.id = finding.method_id"
    " LEFT JOIN graph ON graph.id = finding.graph_id"
    " LEFT JOIN node ON node.id = finding.node_id"
    " LEFT JOIN value ON value.id = finding.value_id"
    " LEFT JOIN op ON op.id = node.op_id"
    " LEFT JOIN delegate ON delegate.id = node.delegate_id"
    " WHERE " DG_OWN_FINDINGS " ORDER BY finding.id";

enum { NOTED = 8 }; /* names of one note; JSON has them all */

enum column {
    RULE,
    SEVERITY,
    METHOD,
    GRAPH,
    NODE,
    VALUE,
    MESSAGE,
    WITNESS,
    FINGERPRINT,
    SOURCE,
    OP,
    COMPANION, /* the data file that it is about */
};

static const char artifact_sql[] =
    "SELECT path, kind, size_bytes, sha256, version AS \"format_version:json\""
    " FROM artifact WHERE id = ?1";

static size_t n_run(const struct dg_checked *checked)
{
    size_t n = 0;

    for (size_t i = 0; i < checked->n_rules; i++)
        n += !checked->rules[i].not_checked;
    return n;
}

static void write_rules_json(struct dg_writer *out, const struct dg_checked *checked)
{
    const char *comma = "";

    dg_print(out, ",\"rules_run\":%zu,\"not_checked\":[", n_run(checked));
    for (size_t i = 0; i < checked->n_rules; i++) {
        if (!checked->rules[i].not_checked)
            continue;
        dg_print(out, "%s\n{\"rule\":\"%s\",\"why\":", comma, checked->rules[i].id);
        dg_write_json(out, dg_text(checked->rules[i].not_checked));
        dg_print(out, "}");
        comma = ",";
    }
    dg_print(out, "]");
    if (!checked->timing)
        return;
    comma = "";
    dg_print(out, ",\"timing\":[");
    for (size_t i = 0; i < checked->n_rules; i++) {
        if (checked->rules[i].not_checked)
            continue;
        dg_print(out, "%s\n{\"rule\":\"%s\",\"seconds\":%.6f}", comma,
                 checked->rules[i].id, checked->rules[i].seconds);
        comma = ",";
    }
    dg_print(out, "]");
}

/* Why each broken rule matters and what to do, once per rule. */
static enum dg_status write_advice_json(struct dg_writer *out,
                                        const struct dg_checked *checked,
                                        struct dg_error *err)
{
    struct dg_rows rows;
    const char *comma = "";
    enum dg_status status =
        dg_rows_open(&rows, checked->store,
                     "SELECT rule FROM finding WHERE " DG_OWN_FINDINGS
                     " GROUP BY rule ORDER BY min(id)",
                     err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, checked->artifact);
    dg_print(out, ",\"rules\":[");
    while (dg_rows_next(&rows)) {
        const struct dg_rule *rule = dg_rule_find(dg_rows_text(&rows, 0));

        if (!rule)
            continue;
        dg_print(out, "%s\n{\"rule\":\"%s\",\"why\":", comma, dg_rows_text(&rows, 0));
        dg_write_json(out, dg_text(rule->reason));
        dg_print(out, ",\"fix\":");
        dg_write_json(out, dg_text(rule->fix));
        dg_print(out, "}");
        comma = ",";
    }
    dg_print(out, "]");
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status write_artifact(struct dg_writer *out,
                                     const struct dg_checked *checked,
                                     struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(checked->store, artifact_sql, checked->artifact, err);

    if (dg_rows_next(&rows))
        dg_write_row(out, &rows, DG_ROW_JSON);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_check_json(struct dg_writer *out, const struct dg_checked *checked,
                             struct dg_error *err)
{
    enum dg_status status;

    dg_print(out, "{\"schema_version\":1,\"artifact\":");
    status = write_artifact(out, checked, err);
    dg_print(out, ",\"companions\":");
    if (!status)
        status = dg_check_companions_json(out, checked, err);
    dg_print(out, ",\"findings\":");
    if (!status)
        status =
            dg_write_query(out, checked->store, findings_sql, checked->artifact, err);
    if (!status)
        status = write_advice_json(out, checked, err);
    dg_print(out,
             ",\"summary\":{\"error\":%" PRId64 ",\"warning\":%" PRId64
             ",\"note\":%" PRId64 "}",
             checked->counts[0], checked->counts[1], checked->counts[2]);
    write_rules_json(out, checked);
    dg_print(out, "}");
    return status;
}

static void write_label(struct dg_writer *out, const struct dg_checked *checked,
                        const struct dg_rows *rows)
{
    const char *severity = dg_rows_text(rows, SEVERITY);
    const char *color = !strcmp(severity, "error")     ? "\033[31m"
                        : !strcmp(severity, "warning") ? "\033[33m"
                                                       : "\033[36m";

    dg_print(out, "%s%s%s[%s]", checked->color ? color : "", severity,
             checked->color ? "\033[0m" : "", dg_rows_text(rows, RULE));
}

/* " forward/true_graph_0: add_3 (aten::add.Tensor):" */
static void write_place(struct dg_writer *out, const struct dg_rows *rows)
{
    bool in_branch = !dg_rows_null(rows, GRAPH) && dg_rows_slice(rows, GRAPH).size;

    if (!dg_rows_null(rows, METHOD)) {
        dg_write(out, " ", 1);
        dg_write_plain(out, dg_rows_slice(rows, METHOD));
        dg_print(out, "%s", in_branch ? "/" : "");
        dg_write_plain(out, dg_rows_slice(rows, GRAPH));
        dg_write(out, ":", 1);
    }
    if (!dg_rows_null(rows, NODE)) {
        dg_write(out, " ", 1);
        dg_write_plain(out, dg_rows_slice(rows, NODE));
        if (!dg_rows_null(rows, OP)) {
            dg_print(out, " (");
            dg_write_plain(out, dg_rows_slice(rows, OP));
            dg_print(out, ")");
        }
        dg_write(out, ":", 1);
    } else if (!dg_rows_null(rows, VALUE)) {
        dg_print(out, " value ");
        dg_write_plain(out, dg_rows_slice(rows, VALUE));
        dg_write(out, ":", 1);
    }
}

/* "  path: a -> b" of an offence; of a note, which may count very many: "  nodes: a,
 * b"; of what is about no node: "  names: a, b". */
static void write_path(struct dg_writer *out, const struct dg_rows *rows)
{
    struct dg_json json;
    struct dg_arena memory = {0};
    struct dg_error ignored = {0};
    bool note = *dg_rows_text(rows, SEVERITY) == 'n',
         nameless = dg_rows_null(rows, NODE);
    bool path = !note && !nameless;
    size_t n = 0, most = path ? SIZE_MAX : NOTED;

    dg_json_begin(&json, dg_rows_slice(rows, WITNESS), "witness", &memory, &ignored);
    dg_json_array(&json);
    while (dg_json_item(&json)) {
        struct dg_text name = dg_json_string(&json);

        if (n++ >= most)
            continue;
        if (n == 1)
            dg_print(out, "  %s: ", path ? "path" : nameless ? "names" : "nodes");
        else
            dg_print(out, "%s", path ? " -> " : ", ");
        dg_write_plain(out, name);
    }
    if (n > most)
        dg_print(out, ", ... %zu more", n - most);
    if (n)
        dg_print(out, "\n");
    dg_json_end(&json);
    dg_arena_clear(&memory);
}

static void write_finding(struct dg_writer *out, const struct dg_checked *checked,
                          const char *path, const struct dg_rows *rows)
{
    write_label(out, checked, rows);
    dg_write(out, " ", 1);
    dg_write_plain(out, dg_rows_null(rows, COMPANION) ? dg_text(path)
                                                      : dg_rows_slice(rows, COMPANION));
    dg_write(out, ":", 1);
    write_place(out, rows);
    dg_write(out, " ", 1);
    dg_write_plain(out, dg_rows_slice(rows, MESSAGE));
    dg_write(out, "\n", 1);
    if (dg_verbosity.quiet)
        return;
    write_path(out, rows);
    if (!dg_rows_null(rows, SOURCE)) {
        dg_print(out, "  at: ");
        dg_write_plain(out, dg_rows_slice(rows, SOURCE));
        dg_write(out, "\n", 1);
    }
}

/* With the first finding of a rule: why it matters, and what to do. */
static void write_advice(struct dg_writer *out, const struct dg_checked *checked,
                         const char *id)
{
    for (size_t i = 0; i < checked->n_rules; i++) {
        struct dg_checked_rule *ran = &checked->rules[i];
        const struct dg_rule *rule;

        if (dg_verbosity.quiet || strcmp(ran->id, id) || ran->explained)
            continue;
        rule = dg_rule_find(id);
        if (rule)
            dg_print(out, "  why: %s\n  fix: %s\n", rule->reason, rule->fix);
        ran->explained = true;
    }
}

static void write_counts(struct dg_writer *out, const struct dg_checked *checked)
{
    for (int i = 0; i < DG_N_SEVERITIES; i++)
        dg_print(out, "%s%" PRId64 " %s%s", i ? ", " : "", checked->counts[i],
                 dg_severities[i], checked->counts[i] == 1 ? "" : "s");
}

static void write_timing(struct dg_writer *out, const struct dg_checked *checked)
{
    for (size_t i = 0; checked->timing && i < checked->n_rules; i++) {
        if (!checked->rules[i].not_checked)
            dg_print(out, "  %9.3f ms  %s\n", checked->rules[i].seconds * 1e3,
                     checked->rules[i].id);
    }
}

/* How many rules there are is no news of a program: only where none applies, or -v. */
static void write_rules_run(struct dg_writer *out, const struct dg_checked *checked)
{
    size_t run = n_run(checked);

    if (!dg_verbosity.verbose) {
        dg_print(out, "%s\n", run ? "" : "; no rule applies");
        return;
    }
    dg_print(out, "; %zu rule%s run, %zu do%s not apply\n", run, run == 1 ? "" : "s",
             checked->n_rules - run, checked->n_rules - run == 1 ? "es" : "");
    for (size_t i = 0; i < checked->n_rules; i++) {
        if (checked->rules[i].not_checked)
            dg_print(out, "  not checked: %s: %s\n", checked->rules[i].id,
                     checked->rules[i].not_checked);
    }
}

static void write_summary(struct dg_writer *out, const struct dg_checked *checked,
                          const char *path, const char *example)
{
    if (dg_verbosity.quiet)
        return;
    if (*example)
        dg_print(out, "help: delegraph rules %s\n", example);
    dg_write_plain(out, dg_text(path));
    dg_print(out, ": ");
    write_counts(out, checked);
    dg_check_weights_text(out, checked);
    write_rules_run(out, checked);
    write_timing(out, checked);
}

enum dg_status dg_check_text(struct dg_writer *out, const struct dg_checked *checked,
                             struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_rows rows;
    char path[512] = "", example[128] = "";
    enum dg_status status = dg_rows_open(&rows, checked->store, artifact_sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, checked->artifact);
    if (dg_rows_next(&rows))
        snprintf(path, sizeof(path), "%s", dg_rows_text(&rows, 0));
    dg_rows_close(&rows, DG_OK, err);
    status = dg_rows_open(&rows, checked->store, findings_sql, err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, checked->artifact);
    while (dg_rows_next(&rows)) {
        write_finding(out, checked, path, &rows);
        write_advice(out, checked, dg_rows_text(&rows, RULE));
        snprintf(example, sizeof(example), "%s", dg_rows_text(&rows, RULE));
    }
    write_summary(out, checked, path, example);
    dg_arena_clear(&memory);
    return dg_rows_close(&rows, DG_OK, err);
}
