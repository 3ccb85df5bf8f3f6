/* What check found as JUnit XML: a suite for each program, a case for each rule and for
 * each output that was judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/format.h"

enum { MOST = 50 /* findings of one case */, LONGEST = 300 /* bytes of a message */ };

/* A rule, and the findings of it. */
struct suite {
    const struct dg_gate_report *report;
    const struct dg_outcome *outcome;
    struct dg_text_set rules;
    const struct dg_rule_met **met; /* of each rule; NULL: it has findings alone */
    size_t *first, *next;           /* number of a finding + 1; 0: no more */
    size_t n_failures, n_skipped, n_outputs;
    double seconds;
    bool outputs_fail;
};

/* Text of an attribute or an element: XML 1.0 has no C0 controls and no U+FFFE. */
static void write_xml(struct dg_writer *out, struct dg_text text)
{
    struct dg_writer plain = {0};

    dg_write_plain(&plain, text);
    for (size_t i = 0; i < plain.size; i++) {
        unsigned char c = (unsigned char)plain.data[i];

        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
            dg_print(out, "&#%d;", c);
        else if (c == 0xef && plain.size - i > 2 &&
                 (plain.data[i + 1] & 0xff) == 0xbf &&
                 (plain.data[i + 2] & 0xfe) == 0xbe)
            dg_print(out, "\\x%02x", c), i += 2;
        else
            dg_write(out, plain.data + i, 1);
    }
    dg_writer_clear(&plain);
}

static bool fails(const struct suite *suite, const struct dg_outcome_finding *finding)
{
    return !finding->known && finding->severity < suite->report->fails_from;
}

static void read_suite(struct suite *suite)
{
    const struct dg_outcome *outcome = suite->outcome;
    size_t most = outcome->n_rules + outcome->n_findings;

    suite->met = dg_zeroed(most + 1, sizeof(*suite->met));
    suite->first = dg_zeroed(most + 1, sizeof(*suite->first));
    suite->next = dg_zeroed(most + 1, sizeof(*suite->next));
    for (size_t i = 0; i < outcome->n_rules; i++) {
        const struct dg_rule_met *rule = &outcome->rules[i];

        suite->met[dg_text_set_add(&suite->rules, dg_text(rule->id))] = rule;
        suite->n_skipped += rule->not_checked != NULL;
        suite->seconds += rule->not_checked ? 0 : rule->seconds;
    }
    for (size_t i = outcome->n_findings; i-- > 0;) {
        uint32_t rule =
            dg_text_set_add(&suite->rules, dg_text(outcome->findings[i].rule));

        suite->next[i] = suite->first[rule];
        suite->first[rule] = i + 1;
    }
}

static void clear_suite(struct suite *suite)
{
    free(suite->met);
    free(suite->first);
    free(suite->next);
    dg_text_set_clear(&suite->rules);
}

/* The lines of findings that let the gate fail, or of the others; how many there are.
 */
static size_t write_lines(struct dg_writer *out, const struct suite *suite,
                          uint32_t rule, bool failing)
{
    size_t n = 0;

    for (size_t at = suite->first[rule]; at; at = suite->next[at - 1]) {
        const struct dg_outcome_finding *finding = &suite->outcome->findings[at - 1];

        if (fails(suite, finding) != failing || n++ >= MOST)
            continue;
        dg_print(out, "%s%s: ", finding->known ? "known " : "",
                 dg_severities[finding->severity]);
        dg_write_sentence(out, finding);
        if (finding->source.data)
            dg_print(out, " (%s)", finding->source.data);
        dg_print(out, "\n");
    }
    if (n > MOST)
        dg_print(out, "and %zu more\n", n - MOST);
    return n;
}

/* Line by line: an end of line is no control here. */
static void write_element(struct dg_writer *out, const char *name, struct dg_text lines,
                          const char *message)
{
    dg_print(out, "      <%s", name);
    if (message)
        dg_print(out, " message=\"%s\" type=\"finding\"", message);
    dg_print(out, ">");
    while (lines.size) {
        const char *end = memchr(lines.data, '\n', lines.size);
        size_t size = end ? (size_t)(end - lines.data) : lines.size;

        write_xml(out, (struct dg_text){lines.data, size});
        dg_print(out, "\n");
        size += end != NULL;
        lines = (struct dg_text){lines.data + size, lines.size - size};
    }
    dg_print(out, "</%s>\n", name);
}

/* Where it is asked for: else the same program gives the same bytes. */
static void write_time(struct dg_writer *out, const struct suite *suite, double seconds)
{
    if (suite->report->timing)
        dg_print(out, " time=\"%.6f\"", seconds);
}

static void write_begin(struct dg_writer *out, const struct suite *suite)
{
    dg_print(out, "    <testcase classname=\"");
    write_xml(out, dg_text(suite->outcome->path));
    dg_print(out, "\" name=\"");
}

/* What lists of failures show: the first of the lines, and how many there are. */
static void write_message(struct dg_writer *out, struct dg_text lines, size_t n)
{
    struct dg_text first = {lines.data, strcspn(lines.data, "\n")};

    write_xml(out, dg_cut(first, LONGEST));
    if (first.size > LONGEST)
        dg_print(out, " ...");
    if (n > 1)
        dg_print(out, " (1 of %zu)", n);
}

static void write_case(struct dg_writer *out, struct suite *suite, uint32_t rule)
{
    const struct dg_rule_met *met = suite->met[rule];
    struct dg_writer bad = {0}, good = {0};
    struct dg_writer message = {0};
    size_t n = write_lines(&bad, suite, rule, true);

    write_lines(&good, suite, rule, false);
    suite->n_failures += n > 0;
    write_begin(out, suite);
    write_xml(out, suite->rules.texts[rule]);
    dg_print(out, "\"");
    write_time(out, suite, met && !met->not_checked ? met->seconds : 0);
    dg_print(out, ">\n");
    if (n) {
        write_message(&message, dg_written(&bad), n);
        write_element(out, "failure", dg_written(&bad), message.data);
    }
    if (met && met->not_checked && !n) {
        dg_print(out, "      <skipped message=\"");
        write_xml(out, dg_text(met->not_checked));
        dg_print(out, "\"/>\n");
    }
    if (good.size)
        write_element(out, "system-out", dg_written(&good), NULL);
    dg_print(out, "    </testcase>\n");
    dg_writer_clear(&message);
    dg_writer_clear(&bad);
    dg_writer_clear(&good);
}

/* An output that was judged is a case of its own. */
static void write_output(struct dg_writer *out, struct suite *suite,
                         const struct dg_outcome_run *run,
                         const struct dg_outcome_output *output)
{
    bool failed = output->failed && suite->outputs_fail;

    suite->n_failures += failed;
    suite->n_skipped += output->skipped;
    suite->n_outputs++;
    write_begin(out, suite);
    dg_print(out, "numerics of ");
    write_xml(out, run->method);
    dg_print(out, ": ");
    write_xml(out, output->name);
    dg_print(out, "\"");
    write_time(out, suite, 0);
    dg_print(out, ">\n");
    if (failed) {
        write_element(out, "failure", output->why, "beyond what is allowed");
    } else if (output->skipped) {
        dg_print(out, "      <skipped message=\"");
        write_xml(out, output->why);
        dg_print(out, "\"/>\n");
    }
    dg_print(out, "    </testcase>\n");
}

/* Whether the gate fails for what is beyond its bound: as severities have it. */
static bool outputs_fail(const struct suite *suite)
{
    bool failing = false;

    for (size_t i = 0; i < suite->outcome->n_findings; i++) {
        const struct dg_outcome_finding *finding = &suite->outcome->findings[i];

        failing = failing ||
                  (!strcmp(finding->rule, "numerics/output") && fails(suite, finding));
    }
    return failing;
}

static void write_outputs(struct dg_writer *out, struct suite *suite)
{
    suite->outputs_fail = outputs_fail(suite);
    for (size_t i = 0; i < suite->outcome->n_runs; i++) {
        const struct dg_outcome_run *run = &suite->outcome->runs[i];

        for (size_t k = 0; k < run->n_outputs; k++)
            write_output(out, suite, run, &run->outputs[k]);
    }
}

static void write_trouble(struct dg_writer *out, const struct dg_outcome *outcome)
{
    dg_print(out, "  <testsuite name=\"");
    write_xml(out, dg_text(outcome->path));
    dg_print(out, "\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n"
                  "    <testcase classname=\"");
    write_xml(out, dg_text(outcome->path));
    dg_print(out, "\" name=\"can be read\">\n      <error message=\"");
    write_xml(out, dg_text(outcome->trouble));
    dg_print(out, "\" type=\"input\"/>\n    </testcase>\n  </testsuite>\n");
}

/* Cases come first, aside: the suite begins with how many of them failed. */
static void write_suite(struct dg_writer *out, const struct dg_gate_report *report,
                        const struct dg_outcome *outcome)
{
    struct suite suite = {.report = report, .outcome = outcome};
    struct dg_writer cases = {0};

    read_suite(&suite);
    for (uint32_t rule = 0; rule < suite.rules.n_texts; rule++)
        write_case(&cases, &suite, rule);
    write_outputs(&cases, &suite);
    dg_print(out, "  <testsuite name=\"");
    write_xml(out, dg_text(outcome->path));
    dg_print(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"",
             suite.rules.n_texts + suite.n_outputs, suite.n_failures, suite.n_skipped);
    write_time(out, &suite, suite.seconds);
    dg_print(out, ">\n");
    dg_write_text(out, dg_written(&cases));
    dg_print(out, "  </testsuite>\n");
    dg_writer_clear(&cases);
    clear_suite(&suite);
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    dg_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"delegraph check\">\n");
    for (size_t i = 0; i < report->n_outcomes; i++) {
        if (report->outcomes[i].trouble)
            write_trouble(out, &report->outcomes[i]);
        else
            write_suite(out, report, &report->outcomes[i]);
    }
    dg_print(out, "</testsuites>\n");
}

const struct dg_gate_format dg_gate_format_junit = {
    .name = "junit", .write = write, .always = true};
