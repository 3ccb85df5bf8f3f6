/* Policies: which programs and rules they mean, what wins, and what they let pass. */
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/policy_apply.h"
#include "gate/policy_file.h"
#include "gate/yaml.h"

/* In two parts: doc/rules.md names tests of a rule by its id, and these are not. */
static const char rule[] = "graph/"
                           "acyclic";

static struct dg_policy policy;
static const struct dg_policy_part nothing;
static struct dg_arena memory;
static struct dg_outcome outcome;
static struct dg_outcome_finding findings[8];
static struct dg_error err;

static enum dg_status read_text(const char *text)
{
    char path[] = "policy-XXXXXX";
    int file = mkstemp(path);
    enum dg_status status;

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    err = (struct dg_error){0};
    status = dg_policy_read(&policy, path, &err);
    unlink(path);
    return status;
}

static void clear(void)
{
    dg_policy_clear(&policy);
    dg_arena_clear(&memory);
}

static const char *budget(const char *program, const char *name)
{
    const struct dg_policy_entry *entry =
        dg_policy_budget(dg_policy_for(&policy, program, &nothing, &memory), name, "");

    return entry ? entry->value.data : "";
}

START_TEST(a_glob_without_a_slash_is_a_name_in_any_folder)
{
    ck_assert_int_eq(read_text("programs: [{files: 'a*.pte', budgets: {x: 1}}]"), 0);
    ck_assert_str_eq(budget("a.pte", "budget/x"), "1");
    ck_assert_str_eq(budget("deep/er/abc.pte", "budget/x"), "1");
    ck_assert_str_eq(budget("a.pte/b.pte", "budget/x"), "");
    ck_assert_str_eq(budget("b.pte", "budget/x"), "");
    ck_assert_str_eq(budget(NULL, "budget/x"), "");
}

START_TEST(in_a_glob_with_slashes_a_star_stays_in_its_folder_and_two_do_not)
{
    static const struct {
        const char *glob, *path;
        bool means;
    } cases[] = {
        {"models/*.pte", "models/a.pte", true},
        {"models/*.pte", "models/sub/a.pte", false},
        {"models/*.pte", "other/models/a.pte", false},
        {"./models/*.pte", "models/a.pte", true},
        {"models/**/a.pte", "models/a.pte", true},
        {"models/**/a.pte", "models/x/y/a.pte", true},
        {"models/**/a.pte", "models/x/y/b.pte", false},
        {"**/q/**/a*.pte", "x/q/y/q/z/ab.pte", true},
        {"**/q/*.pte", "q/y/q/a.pte", true},
        {"models/**", "models/x/a.pte", true},
        {"models/**", "model/x/a.pte", false},
        {"../out/*.pte", "../out/a.pte", true},
        {"m/[ab].pte", "m/b.pte", true},
        {"m/[ab].pte", "m/c.pte", false},
        {"m/a.pte/b", "m/a.pte", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct dg_policy_entry glob = {.value = dg_text(cases[i].glob)};
        struct dg_policy_entries files = {&glob, 1};

        ck_assert_msg(dg_policy_means(&files, cases[i].path) == cases[i].means, "%s %s",
                      cases[i].glob, cases[i].path);
    }
}

START_TEST(what_is_said_later_wins_and_ignored_rules_add_up)
{
    struct dg_policy_part given = {0};
    struct dg_policy_part *all;

    ck_assert_int_eq(
        read_text("select: [memory]\nignore: [format]\nfail-on: error\n"
                  "budgets: {x: [1, +2], y: 3}\n"
                  "programs:\n"
                  "- {files: a.pte, budgets: {x: 4}, ignore: [cuda]}\n"
                  "- {files: '*.pte', select: [graph, value], budgets: {z: 5}}\n"),
        0);
    dg_policy_add(&given.keys[DG_POLICY_BUDGETS],
                  (struct dg_policy_entry){
                      .name = dg_text("z"), .value = dg_text("6"), .option = "--limit"},
                  &memory);
    all = dg_policy_for(&policy, "a.pte", &given, &memory);
    ck_assert_uint_eq(all->keys[DG_POLICY_SELECT].n_items, 2);
    ck_assert_str_eq(all->keys[DG_POLICY_SELECT].items[0].value.data, "graph");
    ck_assert_uint_eq(all->keys[DG_POLICY_IGNORE].n_items, 2);
    ck_assert_uint_eq(all->keys[DG_POLICY_BUDGETS].n_items, 4);
    ck_assert_str_eq(dg_policy_budget(all, "budget/x", "")->value.data, "4");
    ck_assert_str_eq(dg_policy_budget(all, "budget/y", "")->value.data, "3");
    ck_assert_str_eq(dg_policy_budget(all, "budget/z", "")->value.data, "6");
    ck_assert_ptr_null(dg_policy_budget(all, "memory/x", ""));
    all = dg_policy_for(&policy, NULL, &nothing, &memory);
    ck_assert_uint_eq(all->keys[DG_POLICY_BUDGETS].n_items, 3); /* 1, 2 and 3 */
    ck_assert_uint_eq(all->keys[DG_POLICY_SELECT].n_items, 1);
}

START_TEST(the_last_severity_that_fits_a_rule_is_its)
{
    const struct dg_policy_part *all;

    ck_assert_int_eq(read_text("severity:\n  memory: note\n  memory/peak: error\n"
                               "  'device/*': warning\n"),
                     0);
    all = dg_policy_for(&policy, NULL, &nothing, &memory);
    ck_assert_int_eq(dg_policy_severity(all, "memory/extent"), 2);
    ck_assert_int_eq(dg_policy_severity(all, "memory/peak"), 0);
    ck_assert_int_eq(dg_policy_severity(all, "device/any"), 1);
    ck_assert_int_eq(dg_policy_severity(all, "graph/any"), -1);
}

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    fputs("fail-on: error\n", file);
    fclose(file);
}

/* The policy that is found from here; "": none. */
static const char *policy_here(void)
{
    const char *path;

    ck_assert_msg(!dg_policy_find(&path, &memory, &err), "%s", err.text);
    return path ? path : "";
}

START_TEST(a_policy_is_found_up_to_the_root_of_the_repository_and_no_further)
{
    char folder[] = "find-XXXXXX", here[4096];

    ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    make_file("delegraph.yaml");
    ck_assert_str_eq(policy_here(), "delegraph.yaml");
    ck_assert_int_eq(mkdir("repo", 0777) | mkdir("repo/sub", 0777), 0);
    ck_assert_int_eq(chdir("repo/sub") | mkdir("../.git", 0777), 0);
    ck_assert_str_eq(policy_here(), ""); /* it lies above the repository */
    make_file("../delegraph.yaml");
    ck_assert_str_eq(policy_here(), "../delegraph.yaml");
    make_file("delegraph.yaml");
    ck_assert_str_eq(policy_here(), "delegraph.yaml");
    ck_assert_int_eq(unlink("delegraph.yaml") | rmdir("../.git") | chdir("../.."), 0);
    ck_assert_int_eq(rmdir("repo/sub") | unlink("repo/delegraph.yaml"), 0);
    ck_assert_int_eq(rmdir("repo") | unlink("delegraph.yaml") | chdir(here), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* model.pte, where the rule ran and found this (NULL: nothing). */
static void found(const char *fingerprint)
{
    static const struct dg_rule_met met[] = {{rule, 0, NULL}};

    findings[0] = (struct dg_outcome_finding){.rule = rule,
                                              .method = dg_text("forward"),
                                              .node = dg_text("add_3"),
                                              .number = 1,
                                              .message = dg_text("a cycle"),
                                              .fingerprint = dg_text(fingerprint)};
    outcome = (struct dg_outcome){.path = "model.pte",
                                  .findings = findings,
                                  .n_findings = fingerprint != NULL,
                                  .room = 8,
                                  .rules = met,
                                  .n_rules = 1};
}

static void apply(const char *pass)
{
    const struct dg_selection all = {0};
    char text[600];

    dg_policy_clear(&policy);
    snprintf(text, sizeof(text),
             "suppressions:\n- {reason: later, owner: me, rule: %s, %s}\n", rule, pass);
    ck_assert_msg(!read_text(text), "%s", err.text);
    dg_policy_apply(&policy, &outcome, 1, &nothing, &all, true);
}

START_TEST(policy_expired_accepts_a_suppression_until_its_day)
{
    found("f");
    apply("expires: 2999-12-31");
    ck_assert_int_eq(outcome.n_known, 1);
    ck_assert_int_eq(outcome.counts[0], 0);
    ck_assert_uint_eq(outcome.n_findings, 1);
}

START_TEST(policy_expired_reports_a_suppression_past_its_day_and_the_finding_counts)
{
    found("f");
    apply("expires: 2001-02-03");
    ck_assert_int_eq(outcome.n_known, 0);
    ck_assert_int_eq(outcome.counts[0], 1);
    ck_assert_uint_eq(outcome.n_findings, 2);
    ck_assert_str_eq(findings[1].rule, "policy/expired");
    ck_assert_ptr_nonnull(strstr(findings[1].message.data, "2001-02-03 (owner: me)"));
}

START_TEST(policy_unused_accepts_a_suppression_that_a_finding_needs)
{
    found("f");
    apply("expires: 2999-12-31, where: 'forward: add_*', files: 'model.*'");
    ck_assert_int_eq(outcome.n_known, 1);
    ck_assert_uint_eq(outcome.n_findings, 1);
}

START_TEST(policy_unused_reports_a_suppression_that_fits_nothing)
{
    found("f");
    apply("expires: 2999-12-31, where: 'forward: mul_*'");
    ck_assert_int_eq(outcome.n_known, 0);
    ck_assert_uint_eq(outcome.n_findings, 2);
    ck_assert_str_eq(findings[1].rule, "policy/unused");
    found(NULL);
    apply("expires: 2999-12-31");
    ck_assert_uint_eq(outcome.n_findings, 1);
    ck_assert_str_eq(findings[0].rule, "policy/unused");
}

START_TEST(a_suppression_whose_rule_or_program_was_not_checked_is_not_unused)
{
    found(NULL);
    outcome.n_rules = 0;
    apply("expires: 2999-12-31");
    ck_assert_uint_eq(outcome.n_findings, 0);
    found(NULL);
    apply("expires: 2999-12-31, files: other.pte");
    ck_assert_uint_eq(outcome.n_findings, 1);
    ck_assert_str_eq(findings[0].rule, "policy/unmatched");
}

/* Of one program of several nobody knows what the others need. */
START_TEST(a_suppression_by_a_glob_is_unused_only_where_a_whole_folder_is_checked)
{
    const struct dg_selection all = {0};

    found(NULL);
    ck_assert_int_eq(read_text("suppressions:\n- {rule: graph, reason: a, owner: b,"
                               " files: '*.pte', expires: 2999-12-31}"),
                     0);
    dg_policy_apply(&policy, &outcome, 1, &nothing, &all, false);
    ck_assert_uint_eq(outcome.n_findings, 0);
    dg_policy_clear(&policy);
    ck_assert_int_eq(read_text("suppressions:\n- {rule: graph, reason: a, owner: b,"
                               " files: model.pte, expires: 2999-12-31}"),
                     0);
    dg_policy_apply(&policy, &outcome, 1, &nothing, &all, false);
    ck_assert_uint_eq(outcome.n_findings, 1);
    ck_assert_str_eq(findings[0].rule, "policy/unused");
}

static void apply_part(const char *files, bool whole)
{
    char text[200];

    dg_policy_clear(&policy);
    found(NULL);
    snprintf(text, sizeof(text), "programs: [{files: [%s], ignore: [memory]}]", files);
    ck_assert_int_eq(read_text(text), 0);
    dg_policy_apply(&policy, &outcome, 1, &nothing, &(struct dg_selection){0}, whole);
}

START_TEST(policy_unmatched_accepts_files_that_mean_a_program)
{
    apply_part("'mo*.pte', nobody.pte", true);
    ck_assert_uint_eq(outcome.n_findings, 0);
    apply_part("'om*.pte'", false);
    ck_assert_uint_eq(outcome.n_findings, 0);
}

START_TEST(policy_unmatched_notes_files_that_mean_none_of_a_folder)
{
    apply_part("'om*.pte', nobody.pte", true);
    ck_assert_uint_eq(outcome.n_findings, 1);
    ck_assert_str_eq(findings[0].rule, "policy/unmatched");
    ck_assert_str_eq(findings[0].message.data,
                     "files om*.pte, nobody.pte: not the one program");
    ck_assert_int_eq(outcome.counts[2], 1);
}

START_TEST(a_limit_and_one_of_growth_hold_at_once_and_none_takes_both_away)
{
    const struct dg_policy_part *all;

    ck_assert_int_eq(read_text("budgets: {x: [9, +2%], y: 3}\nprograms:\n"
                               "- {files: a.pte, budgets: {x: 4}}\n"
                               "- {files: b.pte, budgets: {x: +5%}}\n"
                               "- {files: c.pte, budgets: {x: none}}\n"),
                     0);
    all = dg_policy_for(&policy, "a.pte", &nothing, &memory);
    ck_assert_uint_eq(all->keys[DG_POLICY_BUDGETS].n_items, 3);
    ck_assert_str_eq(dg_policy_budget(all, "budget/x", "")->value.data, "4");
    ck_assert_str_eq(all->keys[DG_POLICY_BUDGETS].items[0].value.data, "+2%");
    all = dg_policy_for(&policy, "b.pte", &nothing, &memory);
    ck_assert_str_eq(all->keys[DG_POLICY_BUDGETS].items[0].value.data, "9");
    ck_assert_str_eq(dg_policy_budget(all, "budget/x", "")->value.data, "+5%");
    all = dg_policy_for(&policy, "c.pte", &nothing, &memory);
    ck_assert_uint_eq(all->keys[DG_POLICY_BUDGETS].n_items, 2);
    ck_assert(dg_policy_lifts(dg_policy_budget(all, "budget/x", "")));
}

START_TEST(a_finding_of_no_row_has_the_severity_of_the_policy)
{
    found("f");
    findings[0].number = 0;
    ck_assert_int_eq(read_text("severity: {graph: note}"), 0);
    dg_policy_apply(&policy, &outcome, 1, &nothing, &(struct dg_selection){0}, false);
    ck_assert_int_eq(outcome.counts[0], 0);
    ck_assert_int_eq(outcome.counts[2], 1);
}

START_TEST(paths_are_seen_from_the_folder_of_the_policy)
{
    char folder[] = "seen-XXXXXX", path[64];
    const struct dg_policy_part *all;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/p.yaml", folder);
    make_file(path);
    {
        FILE *file = fopen(path, "w");

        fputs("baseline: known.json\nrules: [/abs, own]\nops: [portable, ops.txt]\n",
              file);
        fclose(file);
    }
    ck_assert_int_eq(dg_policy_read(&policy, path, &err), 0);
    all = dg_policy_for(&policy, NULL, &nothing, &memory);
    snprintf(path, sizeof(path), "%s/known.json", folder);
    ck_assert_str_eq(dg_policy_last(all, DG_POLICY_BASELINE)->value.data, path);
    ck_assert_str_eq(all->keys[DG_POLICY_RULES].items[0].value.data, "/abs");
    snprintf(path, sizeof(path), "%s/own", folder);
    ck_assert_str_eq(all->keys[DG_POLICY_RULES].items[1].value.data, path);
    ck_assert_str_eq(all->keys[DG_POLICY_OPS].items[0].value.data, "portable");
    snprintf(path, sizeof(path), "%s/p.yaml", folder);
    ck_assert_int_eq(unlink(path) | rmdir(folder), 0);
}

START_TEST(a_name_that_is_too_long_for_a_line_of_yaml_is_explained_so_that_it_is_read)
{
    struct dg_writer text = {0}, explained = {0};

    for (int several = 0; several < 2; several++) {
        dg_print(&text, "budgets:\n  ? ");
        for (int i = 0; i < 2000; i++)
            dg_print(&text, "x");
        dg_print(&text, "\n  : %s\n", several ? "[1, +2%]" : "1");
        ck_assert_msg(!read_text(text.data), "%s", err.text);
        dg_policy_explain(&explained, &policy, NULL, &nothing);
        dg_policy_clear(&policy);
        ck_assert_msg(!read_text(explained.data), "%s", err.text);
        ck_assert_uint_eq(policy.top.keys[DG_POLICY_BUDGETS].items[0].name.size, 2000);
        dg_policy_clear(&policy);
        dg_writer_clear(&explained);
        dg_writer_clear(&text);
    }
}

START_TEST(an_explained_policy_is_a_policy_that_says_the_same)
{
    struct dg_writer first = {0}, second = {0};
    char *again;

    ck_assert_int_eq(
        read_text("fail-on: never\nselect: ['memory/*', \"user/a b\"]\n"
                  "budgets: {x: [1, '+2%'], y: 3}\nseverity: {a/b: note}\n"
                  "programs:\n- {files: ['a b.pte', '*:*'], budgets: {x: 4}}\n"
                  "suppressions:\n- {rule: graph, where: \"a: 'b'\\n\", reason: 'null',"
                  " owner: '~', expires: 2027-01-31}\n"),
        0);
    dg_policy_explain(&first, &policy, NULL, &nothing);
    again = strdup(first.data);
    dg_policy_clear(&policy);
    ck_assert_msg(!read_text(again), "%s in\n%s", err.text, again);
    dg_policy_explain(&second, &policy, NULL, &nothing);
    /* But for the lines that words come from. */
    for (char *side = first.data, *other = second.data; *side && *other;) {
        size_t size = strcspn(side, "#\n"), n = strcspn(other, "#\n");

        ck_assert_msg(size == n && !strncmp(side, other, n), "%s\n%s", side, other);
        side += strcspn(side, "\n") + 1;
        other += strcspn(other, "\n") + 1;
    }
    free(again);
    dg_writer_clear(&first);
    dg_writer_clear(&second);
}

Suite *policy_suite(void)
{
    Suite *suite = suite_create("policy");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, NULL, clear);
    tcase_add_test(tcase, a_glob_without_a_slash_is_a_name_in_any_folder);
    tcase_add_test(tcase,
                   in_a_glob_with_slashes_a_star_stays_in_its_folder_and_two_do_not);
    tcase_add_test(tcase, what_is_said_later_wins_and_ignored_rules_add_up);
    tcase_add_test(tcase, the_last_severity_that_fits_a_rule_is_its);
    tcase_add_test(tcase,
                   a_policy_is_found_up_to_the_root_of_the_repository_and_no_further);
    tcase_add_test(tcase, policy_expired_accepts_a_suppression_until_its_day);
    tcase_add_test(
        tcase,
        policy_expired_reports_a_suppression_past_its_day_and_the_finding_counts);
    tcase_add_test(tcase, policy_unused_accepts_a_suppression_that_a_finding_needs);
    tcase_add_test(tcase, policy_unused_reports_a_suppression_that_fits_nothing);
    tcase_add_test(tcase,
                   a_suppression_whose_rule_or_program_was_not_checked_is_not_unused);
    tcase_add_test(
        tcase, a_suppression_by_a_glob_is_unused_only_where_a_whole_folder_is_checked);
    tcase_add_test(tcase, policy_unmatched_accepts_files_that_mean_a_program);
    tcase_add_test(tcase, policy_unmatched_notes_files_that_mean_none_of_a_folder);
    tcase_add_test(tcase,
                   a_limit_and_one_of_growth_hold_at_once_and_none_takes_both_away);
    tcase_add_test(tcase, a_finding_of_no_row_has_the_severity_of_the_policy);
    tcase_add_test(tcase, paths_are_seen_from_the_folder_of_the_policy);
    tcase_add_test(tcase, an_explained_policy_is_a_policy_that_says_the_same);
    tcase_add_test(
        tcase,
        a_name_that_is_too_long_for_a_line_of_yaml_is_explained_so_that_it_is_read);
    suite_add_tcase(suite, tcase);
    return suite;
}
