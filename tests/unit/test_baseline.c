/* Baselines held to what was found: the nearest entry that is in order, and the nearest
 * that is not. */
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/baseline.h"

/* In two parts: doc/rules.md names tests of a rule by its id, and these are not. */
static const char rule[] = "graph/"
                           "acyclic";

static struct dg_baseline baseline;
static struct dg_outcome outcome;
static struct dg_outcome_finding findings[8];
static struct dg_error err;

/* A baseline of one entry for model.pte, as someone wrote it by hand. */
static enum dg_status read_entry(const char *program, const char *severity,
                                 const char *expires)
{
    char path[] = "baseline-XXXXXX";
    int file = mkstemp(path);
    enum dg_status status;

    ck_assert_int_ge(file, 0);
    dprintf(
        file,
        "{\"findings\":[{\"program\":\"%s\",\"rule\":\"%s\","
        "\"severity\":\"%s\",\"fingerprint\":\"0123456789abcdef\",\"expires\":%s}]}",
        program, rule, severity, expires);
    close(file);
    err = (struct dg_error){0};
    status = dg_baseline_read(&baseline, path, &err);
    unlink(path);
    return status;
}

/* model.pte, where the rule ran and found this (NULL: nothing). */
static void found(const char *fingerprint, int severity)
{
    static const struct dg_rule_met met[] = {{rule, 0, NULL}};

    findings[0] = (struct dg_outcome_finding){.rule = rule,
                                              .severity = severity,
                                              .message = dg_text("a cycle"),
                                              .fingerprint = dg_text(fingerprint)};
    outcome = (struct dg_outcome){.path = "model.pte",
                                  .entry = "model.pte",
                                  .findings = findings,
                                  .n_findings = fingerprint != NULL,
                                  .room = 8,
                                  .rules = met,
                                  .n_rules = 1};
}

static void apply(void)
{
    static const struct dg_selection all = {0};

    dg_baseline_apply(&baseline, &outcome, 1, &all);
}

/* Of that rule, how many were found. */
static int n_found(const char *wanted)
{
    int n = 0;

    for (size_t i = 0; i < outcome.n_findings; i++)
        n += !strcmp(outcome.findings[i].rule, wanted);
    return n;
}

static void clear(void)
{
    dg_baseline_clear(&baseline);
}

START_TEST(baseline_expired_accepts_an_entry_until_its_day)
{
    ck_assert_msg(!read_entry("model.pte", "error", "\"2999-12-31\""), "%s", err.text);
    found("0123456789abcdef", 0);
    apply();
    ck_assert_int_eq(n_found("baseline/expired"), 0);
    ck_assert_int_eq(outcome.counts[0], 0);
    ck_assert_int_eq(outcome.n_known, 1);
    ck_assert_ptr_nonnull(outcome.findings[0].known);
}

START_TEST(baseline_expired_reports_an_entry_past_its_day_and_the_finding_counts)
{
    ck_assert(!read_entry("model.pte", "error", "\"2001-01-01\""));
    found("0123456789abcdef", 0);
    apply();
    ck_assert_int_eq(n_found("baseline/expired"), 1);
    ck_assert_int_eq(outcome.counts[0], 1);
    ck_assert_int_eq(outcome.n_known, 0);
}

START_TEST(baseline_unused_accepts_an_entry_that_a_finding_has)
{
    ck_assert(!read_entry("model.pte", "error", "null"));
    found("0123456789abcdef", 0);
    apply();
    ck_assert_int_eq(n_found("baseline/unused"), 0);
}

START_TEST(baseline_unused_reports_an_entry_whose_finding_is_gone)
{
    ck_assert(!read_entry("model.pte", "error", "null"));
    found(NULL, 0);
    apply();
    ck_assert_int_eq(n_found("baseline/unused"), 1);
    ck_assert_int_eq(outcome.counts[1], 1);
    ck_assert(baseline.entries[0].gone);
}

START_TEST(an_entry_whose_rule_did_not_run_is_not_unused)
{
    static const struct dg_rule_met met[] = {{rule, 0, "for want of a graph"}};

    ck_assert(!read_entry("model.pte", "error", "null"));
    found(NULL, 0);
    outcome.rules = met;
    apply();
    ck_assert_int_eq(n_found("baseline/unused"), 0);
    outcome.n_rules = 0; /* --ignore */
    apply();
    ck_assert_int_eq(n_found("baseline/unused"), 0);
}

START_TEST(an_entry_of_another_program_knows_nothing_here_and_is_not_unused)
{
    ck_assert(!read_entry("other.pte", "error", "null"));
    found("0123456789abcdef", 0);
    apply();
    ck_assert_int_eq(outcome.counts[0], 1);
    ck_assert_int_eq(n_found("baseline/unused"), 0);
}

START_TEST(a_finding_that_has_become_worse_is_not_known)
{
    ck_assert(!read_entry("model.pte", "warning", "null"));
    found("0123456789abcdef", 0);
    apply();
    ck_assert_int_eq(outcome.counts[0], 1);
    ck_assert_int_eq(n_found("baseline/unused"), 0);
    ck_assert(!baseline.entries[0].gone);
    found("0123456789abcdef", 2);
    apply();
    ck_assert_int_eq(outcome.n_known, 1);
}

START_TEST(limits_runs_and_rules_about_baselines_are_never_known)
{
    struct dg_outcome_finding finding = {.fingerprint = dg_text("f")};

    finding.rule = "numerics/toy";
    ck_assert(!dg_baseline_takes(&finding));
    finding.rule = "budget/toy";
    ck_assert(!dg_baseline_takes(&finding));
    finding.rule = "baseline/toy";
    ck_assert(!dg_baseline_takes(&finding));
    finding.rule = "memory/toy";
    ck_assert(dg_baseline_takes(&finding));
}

START_TEST(a_program_is_called_by_its_path_from_the_folder_of_the_baseline)
{
    struct dg_arena memory = {0};

    baseline.folder = "/repo/ci";
    ck_assert_str_eq(dg_place_from(baseline.folder, "no/such/file", &memory),
                     "no/such/file");
    baseline.folder = "/etc/ssl";
    ck_assert_str_eq(dg_place_from(baseline.folder, "/etc/passwd", &memory), "../passwd");
    baseline.folder = "/etc";
    ck_assert_str_eq(dg_place_from(baseline.folder, "/etc/../etc/passwd", &memory),
                     "passwd");
    ck_assert_str_eq(dg_place_from(baseline.folder, "/etc/n\xff", &memory), "n\\xff");
    baseline.folder = "/et";
    ck_assert_str_eq(dg_place_from(baseline.folder, "/etc/passwd", &memory),
                     "../etc/passwd");
    baseline.folder = "/";
    ck_assert_str_eq(dg_place_from(baseline.folder, "/etc/passwd", &memory), "etc/passwd");
    dg_arena_clear(&memory);
}

Suite *baseline_suite(void)
{
    Suite *suite = suite_create("baseline");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, NULL, clear);
    tcase_add_test(tcase, baseline_expired_accepts_an_entry_until_its_day);
    tcase_add_test(
        tcase, baseline_expired_reports_an_entry_past_its_day_and_the_finding_counts);
    tcase_add_test(tcase, baseline_unused_accepts_an_entry_that_a_finding_has);
    tcase_add_test(tcase, baseline_unused_reports_an_entry_whose_finding_is_gone);
    tcase_add_test(tcase, an_entry_whose_rule_did_not_run_is_not_unused);
    tcase_add_test(tcase,
                   an_entry_of_another_program_knows_nothing_here_and_is_not_unused);
    tcase_add_test(tcase, a_finding_that_has_become_worse_is_not_known);
    tcase_add_test(tcase, limits_runs_and_rules_about_baselines_are_never_known);
    tcase_add_test(tcase,
                   a_program_is_called_by_its_path_from_the_folder_of_the_baseline);
    suite_add_tcase(suite, tcase);
    return suite;
}
