/* What check found, in each of its formats: hostile words, limits, what is known. */
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/json.h"
#include "gate/baseline.h"
#include "gate/day.h"
#include "gate/format.h"
#include "unit/rules.h"

/* Everything that some format obeys. */
static const char hostile[] =
    "%0A::error::x,y\x1b[31m\n\r]]><b a='1'>\"&|`@user#1 "
    "[l](http://x)\x01\x7f\xc2\x85\xe2\x80\xae\xef\xbf\xbe\xff"
    "../../etc\\";

static struct dg_outcome_finding finding_of(const char *rule, int severity,
                                            const char *words)
{
    return (struct dg_outcome_finding){
        .rule = rule,
        .severity = severity,
        .method = dg_text("forward"),
        .node = dg_text(words),
        .op = dg_text(words),
        .message = dg_text(words),
        .witness = dg_text("[\"a\",\"b\"]"),
        .fingerprint = dg_text("0123456789abcdef"),
        .source = dg_text("model.py:3"),
    };
}

static struct dg_outcome outcome_of(struct dg_outcome_finding *findings, size_t n)
{
    static const struct dg_rule_met met[] = {{"toy/acyclic", 0.001, NULL},
                                             {"memory/peak", 0, "no limit"}};
    struct dg_outcome outcome = {
        .path = "model.pt2",
        .place = "model.pt2",
        .program = dg_text("{}"),
        .companions = dg_text("[]"),
        .weights = dg_text(""),
        .findings = findings,
        .n_findings = n,
        .rules = met,
        .n_rules = 2,
    };

    dg_outcome_count(&outcome);
    return outcome;
}

static struct dg_gate_report report_of(const struct dg_outcome *outcomes, size_t n)
{
    struct dg_gate_report report = {
        .outcomes = outcomes, .n_outcomes = n, .fails_from = 1, .version = "1"};

    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < DG_N_SEVERITIES; k++)
            report.totals[k] += outcomes[i].counts[k];
        report.n_known += outcomes[i].n_known;
        report.n_troubles += outcomes[i].trouble != NULL;
    }
    return report;
}

static struct dg_text write_as(struct dg_writer *out, const char *format,
                               const struct dg_gate_report *report)
{
    dg_writer_clear(out);
    dg_gate_format_find(dg_text(format))->write(out, report);
    return dg_written(out);
}

static void is_json(struct dg_text text)
{
    struct dg_json json;
    struct dg_arena memory = {0};
    struct dg_error err = {0};

    dg_json_begin(&json, text, "text", &memory, &err);
    dg_json_skip(&json);
    ck_assert_msg(!dg_json_end(&json), "%s", err.text);
    dg_arena_clear(&memory);
}

static void has_nothing_raw(const char *format, struct dg_text text)
{
    for (size_t i = 0; i < text.size;) {
        uint32_t point = 0;
        struct dg_text rest = {text.data + i, text.size - i};
        size_t length = dg_character(rest, &point);

        ck_assert_msg(length > 0, "%s: byte %zu is no UTF-8", format, i);
        ck_assert_msg(point == '\n' || point == '\r' || !dg_is_control(point),
                      "%s: U+%04X at byte %zu", format, point, i);
        i += length;
    }
}

START_TEST(no_format_shows_control_characters)
{
    struct dg_outcome_finding findings[] = {finding_of("toy/acyclic", 0, hostile),
                                            finding_of("toy/acyclic", 2, hostile)};
    struct dg_outcome outcomes[] = {
        outcome_of(findings, 2),
        {.path = hostile, .place = hostile, .trouble = hostile}};
    struct dg_outcome_output outputs[] = {
        {dg_text(hostile), dg_text(hostile), .failed = true},
        {dg_text(hostile), dg_text(hostile), .skipped = true}};
    const struct dg_outcome_run run = {.method = dg_text(hostile),
                                       .outputs = outputs,
                                       .n_outputs = 2,
                                       .sentence = dg_text(hostile),
                                       .json = dg_text("{}")};
    struct dg_gate_report report;
    struct dg_writer out = {0};

    outcomes[0].path = outcomes[0].place = hostile;
    outcomes[0].runs = &run;
    outcomes[0].n_runs = 1;
    report = report_of(outcomes, 2);
    for (size_t i = 0; dg_gate_formats[i]; i++)
        has_nothing_raw(dg_gate_formats[i]->name,
                        write_as(&out, dg_gate_formats[i]->name, &report));
    dg_writer_clear(&out);
}

START_TEST(json_formats_are_json_whatever_names_hold)
{
    struct dg_outcome_finding finding = finding_of("toy/acyclic", 0, hostile);
    struct dg_outcome outcome = outcome_of(&finding, 1);
    struct dg_gate_report report = report_of(&outcome, 1);
    struct dg_writer out = {0};

    is_json(write_as(&out, "json", &report));
    is_json(write_as(&out, "jsonl", &report)); /* of one finding: one line */
    is_json(write_as(&out, "sarif", &report));
    is_json(write_as(&out, "gitlab", &report));
    dg_writer_clear(&out);
}

START_TEST(a_workflow_command_is_one_line_that_words_cannot_end)
{
    struct dg_outcome_finding finding = finding_of("toy/acyclic", 0, hostile);
    struct dg_outcome outcome = outcome_of(&finding, 1);
    struct dg_gate_report report = report_of(&outcome, 1);
    struct dg_writer out = {0};
    struct dg_text text;

    outcome.place = "a,b:c%.pt2";
    text = write_as(&out, "github", &report);
    ck_assert_ptr_eq(memchr(text.data, '\n', text.size), text.data + text.size - 1);
    ck_assert(dg_text_begins(text, "::error file=a%2Cb%3Ac%25.pt2,line=1,title=toy/"));
    ck_assert_ptr_null(strstr(text.data, "%0A"));
    dg_writer_clear(&out);
}

START_TEST(github_is_told_ten_of_a_kind_and_how_many_are_left)
{
    struct dg_outcome_finding findings[25];
    struct dg_outcome outcome;
    struct dg_gate_report report;
    struct dg_writer out = {0};
    int lines = 0;

    for (int i = 0; i < 25; i++)
        findings[i] = finding_of("toy/acyclic", i < 12 ? 0 : 1, "n");
    outcome = outcome_of(findings, 25);
    report = report_of(&outcome, 1);
    write_as(&out, "github", &report);
    for (const char *at = out.data; (at = strchr(at, '\n')); at++)
        lines++;
    ck_assert_int_eq(lines, 21);
    ck_assert_ptr_nonnull(strstr(out.data, "5 more findings"));
    dg_writer_clear(&out);
}

START_TEST(sarif_shows_5000_results_errors_first_and_says_what_it_left_out)
{
    enum { N = 5200 };
    struct dg_outcome_finding *findings = calloc(N, sizeof(*findings));
    struct dg_outcome outcome;
    struct dg_gate_report report;
    struct dg_writer out = {0};
    int results = 0;

    for (int i = 0; i < N; i++)
        findings[i] = finding_of(i == N - 1 ? "toy/acyclic" : "toy/dead",
                                 i == N - 1 ? 0 : 2, "n");
    outcome = outcome_of(findings, N);
    report = report_of(&outcome, 1);
    write_as(&out, "sarif", &report);
    for (const char *at = out.data; (at = strstr(at, "\"ruleIndex\"")); at++)
        results++;
    ck_assert_int_eq(results, 5000);
    ck_assert_ptr_nonnull(strstr(out.data, "200 more findings"));
    ck_assert_ptr_nonnull(
        strstr(out.data, "\"results\":[\n{\"ruleId\":\"toy/acyclic\""));
    dg_writer_clear(&out);
    free(findings);
}

START_TEST(an_output_that_was_judged_is_a_case_of_junit_and_fails_as_the_gate_does)
{
    struct dg_outcome_output outputs[] = {
        {.name = dg_text("a")},
        {dg_text("b"), dg_text("off"), .failed = true},
        {dg_text("c"), dg_text("n"), .skipped = true}};
    const struct dg_outcome_run run = {
        .method = dg_text("forward"), .outputs = outputs, .n_outputs = 3};
    struct dg_outcome_finding finding = {.rule = "numerics/output",
                                         .message = dg_text("b is off")};
    struct dg_outcome outcome = outcome_of(&finding, 1);
    struct dg_gate_report report;
    struct dg_writer out = {0};

    outcome.runs = &run;
    outcome.n_runs = 1;
    report = report_of(&outcome, 1);
    write_as(&out, "junit", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "tests=\"6\" failures=\"2\" errors=\"0\""));
    ck_assert_ptr_nonnull(strstr(out.data, "name=\"numerics of forward: b\">\n"
                                           "      <failure"));
    finding.severity = 2; /* as a policy may have it */
    write_as(&out, "junit", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "failures=\"0\""));
    finding.severity = report.fails_from = 0;
    write_as(&out, "junit", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "failures=\"0\""));
    dg_writer_clear(&out);
}

START_TEST(a_case_of_junit_fails_from_the_severity_that_lets_the_gate_fail)
{
    struct dg_outcome_finding findings[] = {finding_of("toy/acyclic", 1, "n")};
    struct dg_outcome outcome = outcome_of(findings, 1);
    struct dg_gate_report report = report_of(&outcome, 1);
    struct dg_writer out = {0};

    write_as(&out, "junit", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "tests=\"2\" failures=\"0\" errors=\"0\""));
    ck_assert_ptr_nonnull(strstr(out.data, "<system-out>warning: "));
    ck_assert_ptr_nonnull(strstr(out.data, "<skipped message=\"no limit\"/>"));
    report.fails_from = 2;
    write_as(&out, "junit", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "failures=\"1\""));
    ck_assert_ptr_nonnull(strstr(out.data, "<failure message=\""));
    dg_writer_clear(&out);
}

START_TEST(what_is_known_is_no_message_and_fails_no_case)
{
    static const struct dg_suppression known = {.reason = {"agreed", 6}};
    struct dg_outcome_finding finding = finding_of("toy/acyclic", 0, "n");
    struct dg_outcome outcome;
    struct dg_gate_report report;
    struct dg_writer out = {0};

    finding.known = &known;
    outcome = outcome_of(&finding, 1);
    ck_assert_int_eq(outcome.counts[0], 0);
    report = report_of(&outcome, 1);
    write_as(&out, "sarif", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "\"results\":[]"));
    ck_assert_str_eq(write_as(&out, "gitlab", &report).data, "[\n]\n");
    ck_assert_uint_eq(write_as(&out, "github", &report).size, 0);
    write_as(&out, "junit", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "failures=\"0\""));
    dg_writer_clear(&out);
}

START_TEST(results_of_two_programs_from_one_line_are_two)
{
    struct dg_outcome_finding finding = finding_of("toy/acyclic", 0, "n");
    struct dg_outcome outcomes[] = {outcome_of(&finding, 1), outcome_of(&finding, 1)};
    struct dg_gate_report report = report_of(outcomes, 2);
    struct dg_writer out = {0};

    outcomes[1].place = "other.pt2";
    for (int i = 0; i < 2; i++) {
        const char *key = i ? "primaryLocationLineHash\":\"" : "fingerprint\":\"";
        const char *first, *second;

        write_as(&out, i ? "sarif" : "gitlab", &report);
        first = strstr(out.data, key) + strlen(key);
        second = strstr(first, key) + strlen(key);
        ck_assert_int_ne(memcmp(first, second, 16), 0);
    }
    dg_writer_clear(&out);
}

START_TEST(programs_that_could_not_be_read_come_first_and_are_counted)
{
    struct dg_outcome_finding finding = finding_of("toy/acyclic", 0, "n");
    struct dg_outcome outcomes[14];
    struct dg_gate_report report;
    struct dg_writer out = {0};
    int errors = 0;

    for (int i = 0; i < 14; i++)
        outcomes[i] = outcome_of(&finding, 1);
    outcomes[13] = (struct dg_outcome){
        .path = "u.pte", .place = "u.pte", .trouble = "no program is in it"};
    report = report_of(outcomes, 14);
    write_as(&out, "md", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "1 could not be read\n\n* "));
    ck_assert_ptr_nonnull(strstr(out.data, "`u.pte` could not be read: no program"));
    write_as(&out, "json", &report);
    ck_assert_ptr_nonnull(strstr(out.data, "\"troubles\":[{\"path\":\"u.pte\","));
    write_as(&out, "github", &report);
    for (const char *at = out.data; (at = strstr(at, "::error ")); at++)
        errors++;
    ck_assert_int_eq(errors, 10);
    dg_writer_clear(&out);
}

/* A checkout with models/net.py in it, below `root`. */
static void make_checkout(char *root)
{
    char path[256];
    FILE *file;

    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(path, sizeof(path), "%s/models", root);
    ck_assert(!mkdir(path, 0700));
    snprintf(path, sizeof(path), "%s/models/net.py", root);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

static const char *find(struct dg_checkout *checkout, const char *frames)
{
    struct dg_source source = {0};
    struct dg_error err = {0};

    given_format(
        "DELETE FROM frame; DELETE FROM trace; INSERT INTO trace VALUES (1, '');"
        " INSERT INTO frame (trace_id, pos, file, line) VALUES %s",
        frames);
    dg_checkout_use(checkout, rules_store);
    ck_assert(!dg_source_find(&source, checkout, 1, &err));
    dg_checkout_use(checkout, NULL);
    return source.file;
}

START_TEST(a_line_is_the_innermost_of_a_file_under_the_root)
{
    char root[] = "checkout-XXXXXX", spelled[256];
    struct dg_arena memory = {0};
    struct dg_checkout checkout;
    struct dg_error err = {0};

    make_checkout(root);
    ck_assert(!dg_checkout_open(&checkout, root, &memory, &err));
    ck_assert_str_eq(find(&checkout, "(1, 0, 'models/net.py', 3)"), "models/net.py");
    snprintf(spelled, sizeof(spelled), "(1, 0, '%s/models/net.py', 3)", checkout.path);
    ck_assert_str_eq(find(&checkout, spelled), "models/net.py");
    /* another machine's checkout, and a library inside it */
    ck_assert_str_eq(
        find(&checkout, "(1, 0, '/home/ci/work/models/net.py', 3),"
                        "(1, 1, '/usr/lib/python3.11/site-packages/models/net.py', 9)"),
        "models/net.py");
    ck_assert_str_eq(find(&checkout, "(1, 0, './models/net.py', 3)"), "models/net.py");
    ck_assert_ptr_null(find(&checkout, "(1, 0, '../models/net.py', 3)"));
    ck_assert_ptr_null(find(&checkout, "(1, 0, '/models/../net.py', 3)"));
    ck_assert_ptr_null(find(&checkout, "(1, 0, '/elsewhere/net.py', 3)"));
    ck_assert_ptr_null(find(&checkout, "(1, 0, 'models', 3)"));
    ck_assert_ptr_null(find(&checkout, "(1, 0, 'models/net.py', 0)"));
    ck_assert_ptr_null(find(&checkout, "(1, 0, '<string>', 1)"));
    dg_checkout_close(&checkout);
    dg_arena_clear(&memory);
    snprintf(spelled, sizeof(spelled), "rm -r %s", root);
    ck_assert(!system(spelled));
}

/* The fingerprint of a finding at a new node with that name and module. */
static void fingerprint_of(char out[64], const char *name, int module,
                           const char *message)
{
    struct dg_finding finding = {
        .rule = "toy/acyclic", .severity = "error", .message = dg_text(message)};
    struct dg_error err = {0};
    struct dg_rows rows;

    given_format("INSERT INTO node (graph_id, idx, name, kind, module_id)"
                 " VALUES (1, 0, '%s', 'call_function', %d)",
                 name, module);
    ck_assert(
        !dg_store_int(rules_store, "SELECT max(id) FROM node", 0, &finding.node, &err));
    ck_assert_msg(!dg_store_add_finding(rules_store, &finding, &err), "%s", err.text);
    rows = dg_rows_all(
        rules_store, "SELECT fingerprint FROM finding ORDER BY id DESC LIMIT 1", &err);
    ck_assert(dg_rows_next(&rows));
    snprintf(out, 64, "%s", dg_rows_text(&rows, 0));
    dg_rows_close(&rows, DG_OK, &err);
}

START_TEST(a_fingerprint_outlives_numbers_of_names_but_is_of_one_module)
{
    char first[64], again[64], other[64];

    given_pt2();
    given("INSERT INTO module VALUES (1, 'layers.0', ''), (2, 'layers.1', '')");
    fingerprint_of(first, "add", 1, "add reads mul_3, 12 bytes");
    fingerprint_of(again, "add_17", 1, "add_17 reads mul_40, 16 bytes");
    ck_assert_uint_eq(strlen(first), 16);
    ck_assert_int_eq(strncmp(again, first, 16), 0);
    ck_assert_str_eq(again + 16, "-2");
    fingerprint_of(other, "add_18", 2, "add_18 reads mul_41, 12 bytes");
    ck_assert_int_ne(strncmp(other, first, 16), 0);
    fingerprint_of(other, "add_19", 1, "add_19 writes mul_41, 12 bytes");
    ck_assert_int_ne(strncmp(other, first, 16), 0);
    fingerprint_of(other, "sub", 1, "add reads mul_3, 12 bytes");
    ck_assert_int_ne(strncmp(other, first, 16), 0);
}

static const char *const days[] = {"2026-01-31", "2028-02-29", "2000-02-29"};
static const char *const no_days[] = {"2026-02-29", "1900-02-29", "2026-13-01",
                                      "2026-00-10", "2026-1-1",   "2026/01/01",
                                      "2026-01-00", "20260101",   ""};

START_TEST(a_day_is_one_of_the_calendar)
{
    for (size_t i = 0; i < sizeof(days) / sizeof(*days); i++)
        ck_assert_msg(dg_is_day(dg_text(days[i])), "%s", days[i]);
    for (size_t i = 0; i < sizeof(no_days) / sizeof(*no_days); i++)
        ck_assert_msg(!dg_is_day(dg_text(no_days[i])), "%s", no_days[i]);
}

Suite *gate_report_suite(void)
{
    Suite *suite = suite_create("gate_report");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, rules_open, rules_close);
    tcase_add_test(tcase, no_format_shows_control_characters);
    tcase_add_test(tcase, json_formats_are_json_whatever_names_hold);
    tcase_add_test(tcase, a_workflow_command_is_one_line_that_words_cannot_end);
    tcase_add_test(tcase, github_is_told_ten_of_a_kind_and_how_many_are_left);
    tcase_add_test(tcase,
                   sarif_shows_5000_results_errors_first_and_says_what_it_left_out);
    tcase_add_test(
        tcase, an_output_that_was_judged_is_a_case_of_junit_and_fails_as_the_gate_does);
    tcase_add_test(tcase,
                   a_case_of_junit_fails_from_the_severity_that_lets_the_gate_fail);
    tcase_add_test(tcase, what_is_known_is_no_message_and_fails_no_case);
    tcase_add_test(tcase, results_of_two_programs_from_one_line_are_two);
    tcase_add_test(tcase, programs_that_could_not_be_read_come_first_and_are_counted);
    tcase_add_test(tcase, a_line_is_the_innermost_of_a_file_under_the_root);
    tcase_add_test(tcase, a_fingerprint_outlives_numbers_of_names_but_is_of_one_module);
    tcase_add_test(tcase, a_day_is_one_of_the_calendar);
    suite_add_tcase(suite, tcase);
    return suite;
}
