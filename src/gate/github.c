/* What check found as workflow commands of GitHub Actions: annotations of a step. */
#include <inttypes.h>
#include <string.h>

#include "gate/format.h"

/* Of each kind GitHub shows ten in a step. */
enum { MOST = 10 };

static const char *const commands[] = {"error", "warning", "notice"};

/* In a property ':' and ',' would end it. */
static void write_escaped(struct dg_writer *out, const char *text, bool property)
{
    struct dg_writer plain = {0};

    dg_write_plain(&plain, dg_text(text));
    for (size_t i = 0; i < plain.size; i++) {
        char c = plain.data[i];

        if (c == '%' || (property && (c == ':' || c == ',')))
            dg_print(out, "%%%02X", (unsigned char)c);
        else
            dg_write(out, &c, 1);
    }
    dg_writer_clear(&plain);
}

static void write_finding(struct dg_writer *out, const struct dg_outcome *outcome,
                          const struct dg_outcome_finding *finding)
{
    struct dg_source at = dg_finding_source(outcome, finding);
    struct dg_writer sentence = {0};

    dg_print(out, "::%s file=", commands[finding->severity]);
    write_escaped(out, at.file, true);
    dg_print(out, ",line=%" PRId64 ",title=", at.line);
    write_escaped(out, finding->rule, true);
    dg_print(out, "::");
    if (finding->at.file || finding->companion.data) {
        struct dg_text file = dg_finding_file(outcome, finding);

        write_escaped(out, file.data, false);
        dg_print(out, ": ");
    }
    dg_write_sentence(&sentence, finding);
    dg_print(&sentence, "%s", dg_finding_lineless(outcome, finding));
    write_escaped(out, sentence.data, false);
    dg_print(out, "\n");
    dg_writer_clear(&sentence);
}

static void write_troubles(struct dg_writer *out, const struct dg_gate_report *report)
{
    size_t n = 0;

    for (size_t i = 0; i < report->n_outcomes; i++) {
        if (!report->outcomes[i].trouble || n++ >= MOST)
            continue;
        dg_print(out, "::error file=");
        write_escaped(out, report->outcomes[i].place, true);
        dg_print(out, ",line=1,title=cannot be checked::");
        write_escaped(out, report->outcomes[i].trouble, false);
        dg_print(out, "\n");
    }
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    struct dg_finding_walk walk = {0};
    /* The last notice says how many are left. */
    int64_t shown[DG_N_SEVERITIES] = {(int64_t)report->n_troubles, 0, 1}, left_out = 0;

    write_troubles(out, report);
    while (dg_finding_next(&walk, report)) {
        if (shown[walk.severity]++ < MOST)
            write_finding(out, &report->outcomes[walk.outcome],
                          &report->outcomes[walk.outcome].findings[walk.finding]);
        else
            left_out++;
    }
    if (left_out)
        dg_print(out,
                 "::notice title=delegraph::%" PRId64 " more findings: GitHub shows %d"
                 " of a kind; --report md=FILE has a table for the step summary\n",
                 left_out, MOST);
}

const struct dg_gate_format dg_gate_format_github = {
    .name = "github", .write = write, .lines = true, .always = true};
