/* What check found as JSON Lines: a finding on each, for streams and databases. */
#include "gate/finding_json.h"
#include "gate/format.h"

static void put_line(struct dg_writer *out, const struct dg_outcome *outcome,
                     const struct dg_outcome_finding *finding)
{
    struct dg_json_writer json = {.out = out};

    dg_put_object(&json, NULL);
    dg_put_text(&json, "program", dg_text(outcome->path));
    dg_put_finding(&json, finding);
    dg_put_text(&json, "file", dg_text(finding->at.file));
    dg_put_known(&json, "line", finding->at.file ? finding->at.line : -1);
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(out, "\n");
}

static void put_trouble(struct dg_writer *out, const struct dg_outcome *outcome)
{
    struct dg_json_writer json = {.out = out};

    dg_put_object(&json, NULL);
    dg_put_text(&json, "program", dg_text(outcome->path));
    dg_put_text(&json, "trouble", dg_text(outcome->trouble));
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(out, "\n");
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct dg_outcome *outcome = &report->outcomes[i];

        if (outcome->trouble)
            put_trouble(out, outcome);
        for (size_t k = 0; k < outcome->n_findings; k++)
            put_line(out, outcome, &outcome->findings[k]);
    }
}

const struct dg_gate_format dg_gate_format_jsonl = {
    .name = "jsonl", .write = write, .lines = true, .always = true};
