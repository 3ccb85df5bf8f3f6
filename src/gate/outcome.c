/* What check found in a program, as rows of the store tell it. */
#include "gate/outcome.h"

#include <string.h>

#include "base/hash.h"
#include "gate/weights.h"
#include "reports/rows.h"
#include "reports/sections/section.h"
#include "store/line_sql.h"
#include "verifiers/verifier.h"

const char *const dg_severities[DG_N_SEVERITIES] = {"error", "warning", "note"};

/* A finding without a node is where its value was made. */
static const char findings_sql[] =
    "SELECT rule, severity, method.name, graph.path, node.name,"
    " CASE method.ir WHEN 'pte' THEN value.idx ELSE coalesce(value.name, value.idx) "
    "END,"
    " message, witness, fingerprint,"
    " " DG_SQL_LINE("node.trace_id") ","
    " coalesce(op.name, delegate.backend),"
    " (SELECT path FROM artifact WHERE id = finding.artifact_id AND id <> ?1),"
    " method.ir = 'pte' OR value.name IS NULL, node.trace_id, finding.id"
    " FROM finding LEFT JOIN method ON method.id = finding.method_id"
    " LEFT JOIN graph ON graph.id = finding.graph_id"
    " LEFT JOIN node ON node.id = finding.node_id"
    " LEFT JOIN value ON value.id = finding.value_id"
    " LEFT JOIN op ON op.id = node.op_id"
    " LEFT JOIN delegate ON delegate.id = node.delegate_id"
    " WHERE " DG_OWN_FINDINGS " ORDER BY finding.id";

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
    COMPANION,
    NUMBERED,
    TRACE,
    NUMBER,
};

static const char artifact_sql[] =
    "SELECT path, kind, size_bytes, sha256, version AS \"format_version:json\""
    " FROM artifact WHERE id = ?1";

int dg_severity_number(struct dg_text name)
{
    int i = 0;

    while (i < DG_N_SEVERITIES && !dg_text_is(name, dg_severities[i]))
        i++;
    return i;
}

static enum dg_status read_finding(struct dg_outcome_finding *finding,
                                   const struct dg_rows *rows,
                                   struct dg_checkout *checkout,
                                   struct dg_arena *memory, struct dg_error *err)
{
    struct {
        struct dg_text *text;
        enum column column;
    } texts[] = {
        {&finding->method, METHOD},       {&finding->graph, GRAPH},
        {&finding->node, NODE},           {&finding->value, VALUE},
        {&finding->message, MESSAGE},     {&finding->witness, WITNESS},
        {&finding->source, SOURCE},       {&finding->op, OP},
        {&finding->companion, COMPANION}, {&finding->fingerprint, FINGERPRINT}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        *texts[i].text = dg_rows_keep(memory, rows, (int)texts[i].column);
    finding->rule = dg_rows_keep(memory, rows, RULE).data;
    finding->severity = dg_severity_number(dg_rows_slice(rows, SEVERITY));
    finding->number = dg_rows_int(rows, NUMBER);
    finding->numbered = dg_rows_int(rows, NUMBERED) != 0;
    finding->traced = !dg_rows_null(rows, TRACE);
    if (!checkout || !finding->traced)
        return DG_OK;
    return dg_source_find(&finding->at, checkout, dg_rows_int(rows, TRACE), err);
}

struct dg_outcome_finding *dg_outcome_add(struct dg_outcome *outcome,
                                          struct dg_arena *memory)
{
    if (outcome->n_findings == outcome->room) {
        size_t room = outcome->room ? 2 * outcome->room : 4;
        struct dg_outcome_finding *more = dg_alloc(memory, room, sizeof(*more));

        if (outcome->n_findings)
            memcpy(more, outcome->findings, outcome->n_findings * sizeof(*more));
        outcome->findings = more;
        outcome->room = room;
    }
    return &outcome->findings[outcome->n_findings++];
}

void dg_outcome_add_fault(struct dg_outcome *outcome, const char *rule,
                          struct dg_text identity, struct dg_text message,
                          struct dg_arena *memory)
{
    struct dg_outcome_finding *finding = dg_outcome_add(outcome, memory);
    struct dg_writer whole = {0};

    dg_print(&whole, "%s\x1f", rule);
    dg_write_text(&whole, identity);
    *finding = (struct dg_outcome_finding){
        .rule = rule,
        .severity = dg_severity_number(
            dg_text(dg_severity_name(dg_rule_find(rule, NULL)->severity))),
        .message = message,
        .witness = dg_text("[]"),
        .fingerprint = dg_format(memory, "%016llx",
                                 (unsigned long long)dg_xxh3_64(dg_written(&whole))),
    };
    dg_writer_clear(&whole);
}

static enum dg_status read_findings(struct dg_outcome *out, struct dg_store *store,
                                    int64_t artifact, struct dg_checkout *checkout,
                                    struct dg_arena *memory, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, findings_sql, artifact, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status =
            read_finding(dg_outcome_add(out, memory), &rows, checkout, memory, err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status read_kinds(struct dg_outcome *out, struct dg_store *store,
                                 int64_t artifact, struct dg_arena *memory,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        store,
        "SELECT group_concat(kind, ' ') FROM (SELECT DISTINCT kind FROM artifact"
        " WHERE (id = ?1 OR companion_of = ?1) AND role IS NOT 'program')",
        artifact, err);

    out->kinds = "";
    if (dg_rows_next(&rows) && !dg_rows_null(&rows, 0))
        out->kinds = dg_rows_keep(memory, &rows, 0).data;
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_program(struct dg_outcome *out, struct dg_store *store,
                                   int64_t artifact, struct dg_arena *memory,
                                   struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, artifact_sql, artifact, err);
    struct dg_writer text = {0};

    out->path = "";
    if (dg_rows_next(&rows)) {
        out->path = dg_rows_keep(memory, &rows, 0).data;
        out->pte = dg_text_is(dg_rows_slice(&rows, 1), "pte");
        dg_write_row(&text, &rows, DG_ROW_JSON);
    }
    out->program = dg_keep(memory, &text);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Whether it was exported so that nodes keep their stack traces. */
static enum dg_status read_lines(struct dg_outcome *out, struct dg_store *store,
                                 int64_t artifact, struct dg_error *err)
{
    int64_t lines = 0;
    enum dg_status status = DG_OK;

    if (out->n_findings)
        status = dg_store_int_of(store,
                                 "SELECT EXISTS (SELECT 1 FROM method JOIN graph"
                                 "  ON method_id = method.id JOIN node"
                                 "  ON graph_id = graph.id WHERE artifact_id = ?1"
                                 "  AND trace_id IS NOT NULL)",
                                 artifact, 0, &lines, err);

    out->lines = lines != 0;
    return status;
}

enum dg_status dg_outcome_read(struct dg_outcome *out, struct dg_store *store,
                               int64_t artifact, struct dg_checkout *checkout,
                               struct dg_arena *memory, struct dg_error *err)
{
    enum dg_status status;

    *out = (struct dg_outcome){0};
    status = read_program(out, store, artifact, memory, err);
    if (!status)
        status = read_kinds(out, store, artifact, memory, err);
    if (!status)
        status = dg_weights_read(out, store, artifact, memory, err);
    if (!status)
        status = read_findings(out, store, artifact, checkout, memory, err);
    if (!status)
        status = read_lines(out, store, artifact, err);
    out->place = checkout ? dg_source_relative(checkout, out->path) : out->path;
    dg_outcome_count(out);
    return status;
}

void dg_outcome_count(struct dg_outcome *outcome)
{
    memset(outcome->counts, 0, sizeof(outcome->counts));
    outcome->n_known = 0;
    for (size_t i = 0; i < outcome->n_findings; i++) {
        const struct dg_outcome_finding *finding = &outcome->findings[i];

        if (finding->known)
            outcome->n_known++;
        else if (finding->severity < DG_N_SEVERITIES)
            outcome->counts[finding->severity]++;
    }
}

size_t dg_outcome_rules_run(const struct dg_outcome *outcome)
{
    size_t n = 0;

    for (size_t i = 0; i < outcome->n_rules; i++)
        n += !outcome->rules[i].not_checked;
    return n;
}

void dg_write_place(struct dg_writer *out, const struct dg_outcome_finding *finding)
{
    if (finding->method.data) {
        dg_write(out, " ", 1);
        dg_write_plain(out, finding->method);
        dg_print(out, "%s", finding->graph.size ? "/" : "");
        dg_write_plain(out, finding->graph);
        dg_write(out, ":", 1);
    }
    if (finding->node.data) {
        dg_write(out, " ", 1);
        dg_write_plain(out, finding->node);
        if (finding->op.data) {
            dg_print(out, " (");
            dg_write_plain(out, finding->op);
            dg_print(out, ")");
        }
        dg_write(out, ":", 1);
    } else if (finding->value.data) {
        dg_print(out, " value ");
        dg_write_plain(out, finding->value);
        dg_write(out, ":", 1);
    }
}

struct dg_text dg_finding_where(struct dg_arena *memory,
                                const struct dg_outcome_finding *finding)
{
    struct dg_writer place = {0};
    struct dg_text text = {"", 0};

    dg_write_place(&place, finding);
    if (place.size > 2)
        text = (struct dg_text){place.data + 1, place.size - 2};
    text = dg_copy_text(memory, text);
    dg_writer_clear(&place);
    return text;
}

struct dg_text dg_finding_file(const struct dg_outcome *outcome,
                               const struct dg_outcome_finding *finding)
{
    return finding->companion.data ? finding->companion : dg_text(outcome->path);
}

struct dg_source dg_finding_source(const struct dg_outcome *outcome,
                                   const struct dg_outcome_finding *finding)
{
    return finding->at.file ? finding->at : (struct dg_source){outcome->place, 1};
}

const char *dg_finding_lineless(const struct dg_outcome *outcome,
                                const struct dg_outcome_finding *finding)
{
    if (finding->at.file || !finding->node.data || finding->traced)
        return "";
    if (outcome->pte)
        return " (no Python line: ExecutorchBackendConfig(emit_stacktrace=True) keeps "
               "it, --program with the edge program may find it)";
    return outcome->lines ? "" : " (no Python line: its nodes have no stack traces)";
}
