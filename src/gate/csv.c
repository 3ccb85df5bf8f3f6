/* What check found as CSV, for spreadsheets: a finding in each row. */

#include "gate/format.h"
#include "reports/rows.h"

static void write_row(struct dg_writer *out, const struct dg_text *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        dg_print(out, "%s", i ? "," : "");
        dg_write_csv(out, cells[i].data ? cells[i] : dg_text(""), false);
    }
    dg_print(out, "\r\n");
}

static void write_finding(struct dg_writer *out, const struct dg_outcome *outcome,
                          const struct dg_outcome_finding *finding)
{
    const struct dg_text cells[] = {
        dg_finding_file(outcome, finding),
        dg_text(finding->rule),
        dg_text(dg_severities[finding->severity]),
        finding->method,
        finding->graph,
        finding->node,
        finding->op,
        finding->value,
        finding->message,
        finding->source,
        finding->fingerprint,
        dg_text(finding->known ? "known" : ""),
    };

    write_row(out, cells, sizeof(cells) / sizeof(*cells));
}

/* A program that could not be read has a row without a rule: it is not to be lost. */
static void write_trouble(struct dg_writer *out, const struct dg_outcome *outcome)
{
    const struct dg_text cells[12] = {
        [0] = dg_text(outcome->path),
        [2] = dg_text("error"),
        [8] = dg_text(outcome->trouble),
    };

    write_row(out, cells, sizeof(cells) / sizeof(*cells));
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    dg_print(out, "program,rule,severity,method,graph,node,op,value,message,source,"
                  "fingerprint,known\r\n");
    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct dg_outcome *outcome = &report->outcomes[i];

        if (outcome->trouble)
            write_trouble(out, outcome);
        for (size_t k = 0; k < outcome->n_findings; k++)
            write_finding(out, outcome, &outcome->findings[k]);
    }
}

const struct dg_gate_format dg_gate_format_csv = {
    .name = "csv", .write = write, .always = true};
