/* What check found as Markdown: the summary of a step, or a comment. */
#include <inttypes.h>

#include "gate/format.h"
#include "reports/page/markdown.h"

enum {
    MOST_PROGRAMS = 10, /* that have a row of their own */
    MOST_FINDINGS = 20, /* a comment on a change is read to its end */
    LONGEST = 500,      /* bytes of a message */
};

static const char *const marks[] = {"❌", "⚠️", "ℹ️"};

static bool is_clean(const struct dg_outcome *outcome)
{
    return !outcome->trouble && !outcome->n_findings;
}

static void write_troubles(struct dg_writer *out, const struct dg_gate_report *report)
{
    size_t n = 0;

    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct dg_outcome *outcome = &report->outcomes[i];

        if (!outcome->trouble || n++ >= MOST_PROGRAMS)
            continue;
        dg_print(out, "* ❌ ");
        dg_write_markdown_code(out, dg_text(outcome->path));
        dg_print(out, " could not be read: ");
        dg_write_markdown(out, dg_text(outcome->trouble));
        dg_print(out, "\n");
    }
    if (n > MOST_PROGRAMS)
        dg_print(out, "* ❌ and %zu more\n", n - MOST_PROGRAMS);
    if (n)
        dg_print(out, "\n");
}

static void write_program(struct dg_writer *out, const struct dg_outcome *outcome)
{
    dg_print(out, "| ");
    dg_write_markdown_code(out, dg_text(outcome->path));
    for (int i = 0; i < DG_N_SEVERITIES; i++)
        dg_print(out, " | %" PRId64, outcome->counts[i]);
    dg_print(out, " | %" PRId64 " |\n", outcome->n_known);
}

/* Programs without findings are counted, not listed. */
static void write_programs(struct dg_writer *out, const struct dg_gate_report *report)
{
    size_t n_listed = 0, n_clean = 0, n_left_out = 0;

    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct dg_outcome *outcome = &report->outcomes[i];

        if (outcome->trouble)
            continue;
        if (is_clean(outcome)) {
            n_clean++;
        } else if (n_listed == MOST_PROGRAMS) {
            n_left_out++;
        } else {
            if (!n_listed++)
                dg_print(out, "| program | errors | warnings | notes | known |\n"
                              "|:--|--:|--:|--:|--:|\n");
            write_program(out, outcome);
        }
    }
    if (n_left_out)
        dg_print(out, "\nand %zu more with findings\n", n_left_out);
    if (n_clean && n_listed)
        dg_print(out, "\n%zu program%s without findings\n", n_clean,
                 n_clean == 1 ? "" : "s");
    if (n_listed)
        dg_print(out, "\n");
}

/* What runs of programs gave. */
static void write_runs(struct dg_writer *out, const struct dg_gate_report *report)
{
    size_t n = 0;

    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct dg_outcome *outcome = &report->outcomes[i];

        for (size_t k = 0; k < outcome->n_runs; k++) {
            if (n++ >= MOST_PROGRAMS)
                continue;
            dg_print(out, "* %s numerics of ", outcome->runs[k].passed ? "✅" : "❌");
            dg_write_markdown_code(out, dg_text(outcome->path));
            dg_print(out, ": ");
            dg_write_markdown(out, outcome->runs[k].sentence);
            dg_print(out, "\n");
        }
    }
    if (n > MOST_PROGRAMS)
        dg_print(out, "* and %zu more runs\n", n - MOST_PROGRAMS);
    if (n)
        dg_print(out, "\n");
}

static void write_finding(struct dg_writer *out, const struct dg_outcome *outcome,
                          const struct dg_outcome_finding *finding)
{
    struct dg_source at = dg_finding_source(outcome, finding);
    struct dg_writer sentence = {0}, place = {0};

    if (finding->at.file && !finding->node.data) /* of the policy */
        dg_print(&sentence, "%s: ", outcome->path);
    dg_write_sentence(&sentence, finding);
    dg_print(&place, finding->at.file ? "%s:%lld" : "%s", at.file, (long long)at.line);
    dg_print(out, "| %s | ", marks[finding->severity]);
    dg_write_markdown_code(out, dg_text(finding->rule));
    dg_print(out, " | ");
    dg_write_markdown(out, dg_cut(dg_written(&sentence), LONGEST));
    dg_print(out, "%s | ", sentence.size > LONGEST ? " ..." : "");
    dg_write_markdown_code(out, dg_written(&place));
    dg_print(out, " |\n");
    dg_writer_clear(&sentence);
    dg_writer_clear(&place);
}

static void write_findings(struct dg_writer *out, const struct dg_gate_report *report)
{
    struct dg_finding_walk walk = {0};
    int64_t left = 0;

    for (int i = 0; i < DG_N_SEVERITIES; i++)
        left += report->totals[i];
    if (!left)
        return;
    dg_print(out, "| | rule | finding | where |\n|:--|:--|:--|:--|\n");
    for (int n = 0; n < MOST_FINDINGS && dg_finding_next(&walk, report); n++, left--)
        write_finding(out, &report->outcomes[walk.outcome],
                      &report->outcomes[walk.outcome].findings[walk.finding]);
    if (left)
        dg_print(out, "\nand %" PRId64 " more\n", left);
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    dg_print(out, "### delegraph check: %s\n\n", report->failed ? "❌ FAIL" : "✅ PASS");
    dg_print(out, "%zu program%s: ", report->n_outcomes,
             report->n_outcomes == 1 ? "" : "s");
    dg_write_counts(out, report->totals, report->n_known);
    if (report->n_troubles)
        dg_print(out, ", %zu could not be read", report->n_troubles);
    if (report->policy) {
        dg_print(out, "; policy ");
        dg_write_markdown_code(out, dg_text(report->policy));
    }
    dg_print(out, "\n\n");
    write_troubles(out, report);
    write_programs(out, report);
    write_runs(out, report);
    write_findings(out, report);
    if (report->max_lines)
        dg_markdown_cut(out, report->max_lines);
}

const struct dg_gate_format dg_gate_format_md = {
    .name = "md", .write = write, .lines = true, .always = true};
