/* What check found as JSON, for programs: one document. */
#include <inttypes.h>

#include "gate/finding_json.h"
#include "gate/format.h"

static void put_value(struct dg_json_writer *json,
                      const struct dg_outcome_finding *finding)
{
    if (finding->numbered && finding->value.data)
        dg_write_text(dg_put_raw(json, "value"), finding->value);
    else
        dg_put_text(json, "value", finding->value);
}

static void put_suppression(struct dg_json_writer *json,
                            const struct dg_suppression *known)
{
    dg_put_object(json, "known");
    dg_put_text(json, "reason", known->reason);
    dg_put_text(json, "owner", known->owner);
    dg_put_text(json, "expires", known->expires);
    dg_put_end(json);
}

void dg_put_finding(struct dg_json_writer *json,
                    const struct dg_outcome_finding *finding)
{
    dg_put_text(json, "rule", dg_text(finding->rule));
    dg_put_text(json, "severity", dg_text(dg_severities[finding->severity]));
    dg_put_text(json, "method", finding->method);
    dg_put_text(json, "graph", finding->graph);
    dg_put_text(json, "node", finding->node);
    put_value(json, finding);
    dg_put_text(json, "message", finding->message);
    dg_write_json_value(dg_put_raw(json, "witness"), finding->witness);
    dg_put_text(json, "fingerprint", finding->fingerprint);
    dg_put_text(json, "source", finding->source);
    dg_put_text(json, "op", finding->op);
    dg_put_text(json, "companion", finding->companion);
    dg_put_known(json, "number", finding->number ? finding->number : -1);
    if (finding->known)
        put_suppression(json, finding->known);
}

/* Why each broken rule matters and what to do, once per rule. */
static void put_advice(struct dg_json_writer *json, const struct dg_outcome *outcome,
                       const struct dg_verifier *user)
{
    struct dg_text_set explained = {0};

    dg_put_array(json, "rules");
    for (size_t i = 0; i < outcome->n_findings; i++) {
        const char *id = outcome->findings[i].rule;
        const struct dg_rule *rule = dg_rule_find(id, user);
        uint32_t n = explained.n_texts;

        if (dg_text_set_add(&explained, dg_text(id)) < n || !rule)
            continue;
        if (n)
            dg_put_line(json);
        dg_put_object(json, NULL);
        dg_put_text(json, "rule", dg_text(id));
        dg_put_text(json, "why", dg_text(rule->reason));
        dg_put_text(json, "fix", dg_text(rule->fix));
        dg_put_end(json);
    }
    dg_put_end(json);
    dg_text_set_clear(&explained);
}

static void put_counts(struct dg_json_writer *json,
                       const int64_t counts[DG_N_SEVERITIES], int64_t n_known)
{
    dg_put_object(json, "summary");
    for (int i = 0; i < DG_N_SEVERITIES; i++)
        dg_put_int(json, dg_severities[i], counts[i]);
    if (n_known)
        dg_put_int(json, "known", n_known);
    dg_put_end(json);
}

static void put_rules_met(struct dg_json_writer *json, const struct dg_outcome *outcome,
                          bool timing)
{
    dg_put_int(json, "rules_run", (int64_t)dg_outcome_rules_run(outcome));
    dg_put_array(json, "not_checked");
    for (size_t i = 0; i < outcome->n_rules; i++) {
        if (!outcome->rules[i].not_checked)
            continue;
        dg_put_line(json);
        dg_put_object(json, NULL);
        dg_put_text(json, "rule", dg_text(outcome->rules[i].id));
        dg_put_text(json, "why", dg_text(outcome->rules[i].not_checked));
        dg_put_end(json);
    }
    dg_put_end(json);
    if (!timing)
        return;
    dg_put_array(json, "timing");
    for (size_t i = 0; i < outcome->n_rules; i++) {
        if (outcome->rules[i].not_checked)
            continue;
        dg_put_line(json);
        dg_put_object(json, NULL);
        dg_put_text(json, "rule", dg_text(outcome->rules[i].id));
        dg_print(dg_put_raw(json, "seconds"), "%.6f", outcome->rules[i].seconds);
        dg_put_end(json);
    }
    dg_put_end(json);
}

/* Where the program was run: what each run gave. */
static void put_runs(struct dg_json_writer *json, const struct dg_outcome *outcome)
{
    if (!outcome->numerics)
        return;
    dg_put_array(json, "numerics");
    for (size_t i = 0; i < outcome->n_runs; i++)
        dg_write_text(dg_put_raw(json, NULL), outcome->runs[i].json);
    dg_put_end(json);
}

static void put_outcome(struct dg_json_writer *json, const struct dg_outcome *outcome,
                        const struct dg_gate_report *report)
{
    dg_put_object(json, NULL);
    dg_put_int(json, "schema_version", 1);
    dg_write_text(dg_put_raw(json, "artifact"), outcome->program);
    dg_write_text(dg_put_raw(json, "companions"), outcome->companions);
    dg_put_array(json, "findings");
    for (size_t i = 0; i < outcome->n_findings; i++) {
        dg_put_object(json, NULL);
        dg_put_finding(json, &outcome->findings[i]);
        dg_put_end(json);
    }
    dg_put_end(json);
    put_advice(json, outcome, report->user);
    put_counts(json, outcome->counts, outcome->n_known);
    put_rules_met(json, outcome, report->timing);
    put_runs(json, outcome);
    if (report->policy)
        dg_put_text(json, "policy", dg_text(report->policy));
    dg_put_end(json);
}

/* Programs that could not be read, where there are. */
static void put_troubles(struct dg_json_writer *json,
                         const struct dg_gate_report *report)
{
    if (!report->n_troubles)
        return;
    dg_put_array(json, "troubles");
    for (size_t i = 0; i < report->n_outcomes; i++) {
        if (!report->outcomes[i].trouble)
            continue;
        dg_put_object(json, NULL);
        dg_put_text(json, "path", dg_text(report->outcomes[i].path));
        dg_put_text(json, "why", dg_text(report->outcomes[i].trouble));
        dg_put_end(json);
    }
    dg_put_end(json);
}

/* One program is an object; several are an array of them, with their sum. */
static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    struct dg_json_writer json = {.out = out};
    size_t n = report->n_outcomes;

    if (n != 1 || report->outcomes[0].trouble) {
        n = 0;
        dg_put_object(&json, NULL);
        dg_put_int(&json, "schema_version", 1);
        dg_put_array(&json, "artifacts");
    }
    for (size_t i = 0; i < report->n_outcomes; i++) {
        if (report->outcomes[i].trouble)
            continue;
        if (n != 1)
            dg_put_line(&json);
        put_outcome(&json, &report->outcomes[i], report);
    }
    if (n != 1) {
        dg_print(out, "\n");
        dg_put_end(&json);
        put_troubles(&json, report);
        put_counts(&json, report->totals, report->n_known);
        dg_put_end(&json);
    }
    dg_json_written(&json);
    dg_print(out, "\n");
}

const struct dg_gate_format dg_gate_format_json = {.name = "json", .write = write};
