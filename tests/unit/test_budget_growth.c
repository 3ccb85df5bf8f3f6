/* Limits of growth: numbers of a small program, compared with what an older one had. */
#include "unit/small_plan.h"

#include <stdio.h>
#include <string.h>

#include "verifiers/budget_parts.h"

/* A .pte of 4096 bytes that plans as many, with two kernels and a delegate of two. */
static void given_program(void)
{
    rules_open_pte();
    tensor(0, 0, 24);
    tensor(1, 24, 24);
    call_op("aten::add.out", "0", "", "1");
    call_op("aten::mul.out", "0", "", "1");
    given(
        "INSERT INTO delegate (id, method_id, idx, backend) VALUES"
        " (1, 1, 0, 'CudaBackend'), (2, 1, 1, 'CudaBackend');"
        "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id) VALUES"
        " (3, 1, 2, 'op_2', 'delegate_call', 1), (4, 1, 3, 'op_3', 'delegate_call', 2);"
        "INSERT INTO operand VALUES (3, 0, 0, 1, 'read'), (3, 1, 1, 2, 'write');"
        "INSERT INTO setting VALUES ('against', 'old.pte')");
}

static void given_limit(const char *name, const char *number)
{
    given_format("INSERT INTO setting VALUES ('limit.%s', '%s')", name, number);
}

/* What the old program has of it, in place of what it had. */
static void given_was(const char *name, const char *json)
{
    given_format("DELETE FROM setting WHERE name = 'was.%s';"
                 "INSERT INTO setting VALUES ('was.%s', '{%s}')",
                 name, name, json);
}

START_TEST(budget_growth_of_a_most_breaks_beyond_the_limit)
{
    given_was("file-size", "\"number\":4000,\"basis\":\"alone\"");
    given_limit("file-size", "+2.4%");
    expect("budget/file-size", "");
    given_limit("file-size", "+2.3%");
    expect("budget/file-size", "error 4096 bytes, 96 (2.4 %) more than the 4000 of"
                               " old.pte; the most is +2.3%\n");
    given_limit("file-size", "+96");
    expect("budget/file-size", "");
    given_limit("file-size", "+0.09kB");
    expect("budget/file-size", "error 4096 bytes, 96 (2.4 %) more than the 4000 of"
                               " old.pte; the most is +0.09kB\n");
    given_was("file-size", "\"number\":9000,\"basis\":\"alone\"");
    given_limit("file-size", "+0");
    expect("budget/file-size", "");
}

START_TEST(budget_growth_of_nothing_keeps_a_limit_of_zero)
{
    given_was("file-size", "\"number\":4096,\"basis\":\"alone\"");
    given_limit("file-size", "+0%");
    expect("budget/file-size", "");
    given_was("file-size", "\"number\":4095,\"basis\":\"alone\"");
    expect("budget/file-size", "error 4096 bytes, 1 (0.024 %) more than the 4095 of"
                               " old.pte; the most is +0%\n");
}

START_TEST(budget_growth_of_a_share_is_in_points)
{
    given_was("delegated-share", "\"number\":0.6,\"basis\":\"calls\"");
    given_limit("delegated-share", "-10%");
    expect("budget/delegated-share", "");
    given_limit("delegated-share", "-0.09");
    expect("budget/delegated-share",
           "error 2 of 4 calls are delegated, a share of 0.5, 10 percentage points less"
           " than the 0.6 of old.pte; the most is -0.09. A call of a delegate counts as"
           " one, whatever it computes: delegated-ops counts operators\n");
    given_was("delegated-share", "\"number\":0.4,\"basis\":\"calls\"");
    given_limit("delegated-share", "-0");
    expect("budget/delegated-share", "");
}

START_TEST(budget_growth_from_zero_breaks_any_percentage)
{
    given_was("host-ops", "\"number\":0");
    given_limit("host-ops", "+1000%");
    expect(
        "budget/host-ops",
        "error 2 kinds of operators run on the host (aten::add.out, aten::mul.out), 2"
        " more than the 0 of old.pte; the most is +1000%\n");
    given_limit("host-ops", "+2");
    expect("budget/host-ops", "");
}

START_TEST(budget_growth_pairs_methods_by_name)
{
    given_was("peak-memory", "\"method\":\"backward\",\"number\":9");
    given_limit("peak-memory", "+1GB");
    expect("budget/peak-memory", "error the limit of +1GB cannot be judged: old.pte has"
                                 " no such method\n");
    given("INSERT INTO setting VALUES"
          " ('was.peak-memory', '{\"method\":\"forward\",\"number\":4096}')");
    expect("budget/peak-memory", "");
    given("INSERT INTO setting VALUES"
          " ('was.peak-memory', '{\"method\":\"forward\",\"number\":4096}')");
    expect("budget/peak-memory", "error the limit of +1GB cannot be judged: old.pte: it"
                                 " has several methods of that name\n");
}

START_TEST(budget_growth_on_a_new_device_is_from_zero)
{
    given("INSERT INTO arena VALUES (1, 2, 1000, 'cuda:0')");
    given_was("planned-memory",
              "\"method\":\"forward\",\"device\":\"cpu\",\"number\":4096");
    given_limit("planned-memory", "+999");
    expect("budget/planned-memory",
           "error 1000 bytes of memory are planned on cuda:0, 1000 more than the 0 of"
           " old.pte; the most is +999\n");
    given_limit("planned-memory.cuda", "+1000");
    expect("budget/planned-memory", "");
}

START_TEST(budget_growth_of_what_may_be_more_only_breaks_limits)
{
    given("UPDATE value SET nbytes = NULL WHERE idx = 1");
    given_was("boundary-bytes", "\"number\":20");
    given_limit("boundary-bytes", "+3");
    expect(
        "budget/boundary-bytes",
        "error at least 24 bytes go into and out of delegates and 0 are copied between"
        " devices, 24 in all, 4 (20 %) more than the 20 of old.pte; the most is +3\n");
    given_limit("boundary-bytes", "+4");
    expect("budget/boundary-bytes",
           "error the limit of +4 cannot be judged: 1 tensor that goes between host and"
           " delegates has no bounded size; that takes the .pte, which has upper"
           " bounds\n");
}

START_TEST(budget_growth_from_what_may_be_more_only_keeps_limits)
{
    given_was("boundary-bytes", "\"number\":40,\"unknown\":\"who knows\"");
    given_limit("boundary-bytes", "+20%");
    expect("budget/boundary-bytes", "");
    given_limit("boundary-bytes", "+19%");
    expect("budget/boundary-bytes",
           "error the limit of +19% cannot be judged: old.pte: who knows\n");
    given_was("boundary-bytes", "\"unknown\":\"nobody knows\"");
    expect("budget/boundary-bytes",
           "error the limit of +19% cannot be judged: old.pte: nobody knows\n");
}

START_TEST(budget_growth_of_a_share_that_may_have_been_more_cannot_be_judged)
{
    given_was("delegated-share",
              "\"number\":0.4,\"basis\":\"calls\",\"unknown\":\"who knows\"");
    given_limit("delegated-share", "-1%");
    expect("budget/delegated-share",
           "error the limit of -1% cannot be judged: old.pte: who knows\n");
    given_was("delegated-share",
              "\"number\":0.6,\"basis\":\"calls\",\"unknown\":\"who knows\"");
    expect("budget/delegated-share",
           "error 2 of 4 calls are delegated, a share of 0.5, 10 percentage points less"
           " than the 0.6 of old.pte; the most is -1%. A call of a delegate counts as"
           " one, whatever it computes: delegated-ops counts operators\n");
}

START_TEST(budget_growth_of_what_was_counted_otherwise_cannot_be_judged)
{
    given_was("file-size", "\"number\":9000,\"basis\":\"with data\"");
    given_limit("file-size", "+1%");
    expect(
        "budget/file-size",
        "error the limit of +1% cannot be judged: old.pte: data beside the program is"
        " counted of one of them alone; load makes a store of OLD.pte OLD.ptd\n");
}

START_TEST(budget_growth_without_an_old_program_cannot_be_judged)
{
    given("DELETE FROM setting");
    given_limit("file-size", "+1%");
    expect("budget/file-size",
           "error the limit of +1% cannot be judged: nothing is given"
           " to compare it with (--against OLD)\n");
}

START_TEST(budget_limits_of_both_kinds_hold_at_once)
{
    given_was("file-size", "\"number\":4000,\"basis\":\"alone\"");
    given_limit("file-size", "4095");
    given_limit("file-size", "+95");
    expect("budget/file-size", "error 4096 bytes; the most is 4095\n"
                               "error 4096 bytes, 96 (2.4 %) more than the 4000 of"
                               " old.pte; the most is +95\n");
    given_limit("file-size", "4096");
    given_limit("file-size", "+96");
    expect("budget/file-size", "");
}

START_TEST(budget_limits_of_growth_that_the_file_cannot_show_are_errors)
{
    rules_close();
    rules_open();
    given_pt2();
    given("INSERT INTO setting VALUES ('against', 'old.pt2')");
    given_limit("partition-count", "+1");
    expect(
        "budget/partition-count",
        "error the limit of +1 cannot be judged: that takes a lowered program, or one"
        " with a plan (--plan FILE)\n");
}

/* The same program, in a store of its own, has what limits of growth compare with. */
START_TEST(budget_compare_leaves_the_numbers_of_the_old_program)
{
    struct dg_store *old = rules_store;
    struct dg_rows rows;
    size_t n = 0;

    given("INSERT INTO arena VALUES (1, 2, 1000, 'cuda:0')");
    given_program();
    given_limit("planned-memory", "+0");
    given_limit("file-size", "+0");
    given_limit("host-ops", "3");
    given_limit("delegated-flops", "-0");
    ck_assert(!dg_budget_compare(rules_store, old, "there.pte", &rules_err));
    dg_store_close(old);
    rows = dg_rows_all(rules_store,
                       "SELECT name FROM setting WHERE name GLOB 'was.*' ORDER BY name",
                       &rules_err);
    for (; dg_rows_next(&rows); n++)
        ck_assert_str_eq(dg_rows_text(&rows, 0), n == 0   ? "was.delegated-flops"
                                                 : n == 1 ? "was.file-size"
                                                          : "was.planned-memory");
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
    ck_assert_uint_eq(n, 4);
    expect("budget/planned-memory", "");
    expect("budget/file-size", "");
    given("UPDATE arena SET size_bytes = 4100; UPDATE artifact SET size_bytes = 4097");
    expect(
        "budget/planned-memory",
        "error 4100 bytes of memory are planned on cpu, 4 (0.098 %) more than the 4096"
        " of there.pte; the most is +0\n");
    expect("budget/file-size", "error 4097 bytes, 1 (0.024 %) more than the 4096 of"
                               " there.pte; the most is +0\n");
}

START_TEST(budget_new_program_accepts_a_program_that_has_an_older_one)
{
    expect_not_checked("budget/new-program",
                       "it has an older one, or no limit of growth");
}

START_TEST(budget_new_program_reports_a_program_that_has_none)
{
    given("INSERT INTO setting VALUES ('new-program', 'yesterday')");
    expect("budget/new-program",
           "error yesterday has no program of this name: limits of"
           " growth are not judged\n");
}

/* What breaks it no store shows alone: tests/robust/budgets.sh. */
START_TEST(budget_same_old_asks_for_an_older_program)
{
    expect("budget/same-old", "");
    given("DELETE FROM setting WHERE name = 'against'");
    expect_not_checked("budget/same-old", "it is compared with no older program");
}

START_TEST(budget_rules_have_a_measure_each)
{
    const struct dg_measure *measure = dg_measures;

    for (const struct dg_rule *rule = dg_verifier_budget.rules; rule->name; rule++)
        ck_assert_msg(!rule->unjudged || dg_measure_find(dg_text(rule->name)) != NULL,
                      "%s", rule->name);
    for (; measure->name; measure++) {
        char id[64];

        snprintf(id, sizeof(id), "budget/%s", measure->name);
        ck_assert_msg(dg_rule_find(id, NULL) != NULL, "%s", id);
        ck_assert_msg(!measure->least == (measure->unit != DG_UNIT_SHARE), "%s", id);
    }
}

static void refuses(const char *name, const char *value, const char *why)
{
    struct dg_limit limit;

    ck_assert_int_eq(dg_limit_read(&limit, dg_text(name), value, &rules_err),
                     DG_ERR_USAGE);
    ck_assert_msg(strstr(rules_err.text, why) != NULL, "%s", rules_err.text);
}

START_TEST(budget_limits_that_are_none_are_refused)
{
    refuses("peek-memory", "1",
            "no rule budget/peek-memory; did you mean peak-memory?");
    refuses("", "1", "no rule budget/");
    refuses("peak-memory", "-2%", "how much peak-memory may grow; expected +64KiB");
    refuses("delegated-share", "+2%",
            "how much delegated-share may fall; expected -1%");
    refuses("delegated-share", "-101%", "expected -1% or -0.01");
    refuses("peak-memory", "++2%", "expected +64KiB");
    refuses("peak-memory", "+", "expected +64KiB");
    refuses("peak-memory", "+2%%", "expected +64KiB");
    refuses("peak-memory", "2%", "expected a number of bytes");
    refuses("host-ops", "+2KiB", "expected +3");
    refuses("peak-memory.cuda", "1", "peak-memory has no devices; planned-memory has");
    refuses("planned-memory.cudaa", "1",
            "expected cpu, cuda or a device such as cuda:0");
    refuses("planned-memory.", "1", "expected cpu, cuda or a device such as cuda:0");
    refuses("planned-memory.cuda:", "1", "expected cpu, cuda or a device such as");
    refuses("file-size", "0000000000000000000000000000000000000000000000001",
            "expected a number of bytes");
}

START_TEST(budget_limits_are_read_with_their_units)
{
    static const struct {
        const char *name, *value;
        double number;
        bool grows, relative;
    } limits[] = {
        {"peak-memory", "2KiB", 2048, false, false},
        {"peak-memory", "+2KiB", 2048, true, false},
        {"peak-memory", "+200%", 2, true, true},
        {"host-ops", "+3", 3, true, false},
        {"host-ops", "+50%", 0.5, true, true},
        {"delegated-share", "-1%", 0.01, true, false},
        {"delegated-share", "-0.01", 0.01, true, false},
        {"planned-memory.cuda:1", "12MiB", 12582912, false, false},
    };

    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        struct dg_limit limit;

        ck_assert(!dg_limit_read(&limit, dg_text(limits[i].name), limits[i].value,
                                 &rules_err));
        ck_assert(limit.number == limits[i].number);
        ck_assert(limit.grows == limits[i].grows);
        ck_assert(limit.relative == limits[i].relative);
    }
}

Suite *budget_growth_suite(void)
{
    Suite *suite = suite_create("budget growth");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, given_program, rules_close);
    tcase_add_test(all, budget_growth_of_a_most_breaks_beyond_the_limit);
    tcase_add_test(all, budget_new_program_accepts_a_program_that_has_an_older_one);
    tcase_add_test(all, budget_new_program_reports_a_program_that_has_none);
    tcase_add_test(all, budget_same_old_asks_for_an_older_program);
    tcase_add_test(all, budget_growth_of_nothing_keeps_a_limit_of_zero);
    tcase_add_test(all, budget_growth_of_a_share_is_in_points);
    tcase_add_test(all, budget_growth_from_zero_breaks_any_percentage);
    tcase_add_test(all, budget_growth_pairs_methods_by_name);
    tcase_add_test(all, budget_growth_on_a_new_device_is_from_zero);
    tcase_add_test(all, budget_growth_of_what_may_be_more_only_breaks_limits);
    tcase_add_test(all, budget_growth_from_what_may_be_more_only_keeps_limits);
    tcase_add_test(all,
                   budget_growth_of_a_share_that_may_have_been_more_cannot_be_judged);
    tcase_add_test(all, budget_growth_of_what_was_counted_otherwise_cannot_be_judged);
    tcase_add_test(all, budget_growth_without_an_old_program_cannot_be_judged);
    tcase_add_test(all, budget_limits_of_both_kinds_hold_at_once);
    tcase_add_test(all, budget_limits_of_growth_that_the_file_cannot_show_are_errors);
    tcase_add_test(all, budget_compare_leaves_the_numbers_of_the_old_program);
    tcase_add_test(all, budget_rules_have_a_measure_each);
    tcase_add_test(all, budget_limits_that_are_none_are_refused);
    tcase_add_test(all, budget_limits_are_read_with_their_units);
    suite_add_tcase(suite, all);
    return suite;
}
