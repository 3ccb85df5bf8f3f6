/* What ETDumps and ETRecords say, held to the instructions of a .pte. */
#include "unit/rules.h"

#include "formats/profile_search.h"

#define TOLD(idx, name, instruction, part)                                             \
    "INSERT INTO profile_event (profile_id, idx, kind, name, chain, instruction, "     \
    "part,"                                                                            \
    "  begin, end) VALUES (1, " #idx ", 'time', " name ", 0, " #instruction ", " part  \
    ", 100, 300);"

/* Instructions: add, a delegate, mul. */
static void given_instructions(void)
{
    given_pte();
    tensor(0, 0, 24);
    call_op("aten::add.out", "0", "", "0");
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'XnnpackBackend');"
          "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id) VALUES"
          " (2, 1, 1, 'op_1', 'delegate_call', 1)");
    given("INSERT INTO op (id, name, namespace, flags) VALUES (7, 'aten::mul.out', "
          "'aten', 0);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (3, 1, 2, 'op_2', 'kernel_call', 7)");
}

/* One run of them. */
static void given_profile(void)
{
    given_instructions();
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (2, 'x.etdump', 'etdump', 9, '{}', 1, 'profile');"
        "INSERT INTO profile (id, artifact_id, idx, name) VALUES (1, 2, 0, "
        "'Execute');" TOLD(0, "'native_call_add.out'", 0, "NULL")
            TOLD(1, "'OPERATOR_CALL'", 0, "NULL") TOLD(2, "NULL", 1, "'GEMM #1'")
                TOLD(3, "'DELEGATE_CALL'", 1, "NULL")
                    TOLD(4, "'native_call_mul.out'", 2, "NULL")
                        TOLD(5, "'OPERATOR_CALL'", 2, "NULL"));
}

static void find_profiled(void)
{
    struct dg_error err = {0};

    ck_assert_msg(!dg_find_profiled(rules_store, 1, &err), "%s", err.text);
}

static int64_t number(const char *sql)
{
    struct dg_error err = {0};
    int64_t found;

    ck_assert_msg(!dg_store_int(rules_store, sql, -1, &found, &err), "%s", err.text);
    return found;
}

START_TEST(a_run_is_of_the_method_that_has_its_instructions)
{
    given_profile();
    find_profiled();
    ck_assert_int_eq(number("SELECT method_id FROM profile"), 1);
    ck_assert_int_eq(number("SELECT count(*) FROM profile_event"
                            "  WHERE node_id = instruction + 1"),
                     6);
    expect("profile/method", "");
}

START_TEST(of_two_methods_a_run_is_of_the_one_with_its_operators)
{
    given_profile();
    given("INSERT INTO method (id, artifact_id, idx, name, ir)"
          "  VALUES (5, 1, 1, 'second', 'pte');"
          "INSERT INTO \"graph\" VALUES (5, 5, '', 'method');"
          "INSERT INTO op (id, name, namespace, flags) VALUES (9, 'aten::sub.out', "
          "'aten', 0);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, delegate_id)"
          "  SELECT id + 10, 5, idx, name, kind, op_id, delegate_id FROM node;"
          "UPDATE node SET op_id = 9 WHERE id = 13;"
          "UPDATE profile_event SET name = 'native_call_sub.out' WHERE idx = 4");
    find_profiled();
    ck_assert_int_eq(number("SELECT method_id FROM profile"), 5);
    ck_assert_int_eq(number("SELECT node_id FROM profile_event WHERE idx = 5"), 13);
}

/* A second method of the same kinds of calls, and of `more` calls. */
static void given_twin(bool more)
{
    given("INSERT INTO method (id, artifact_id, idx, name, ir)"
          "  VALUES (5, 1, 1, 'second', 'pte');"
          "INSERT INTO \"graph\" VALUES (5, 5, '', 'method');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, delegate_id)"
          "  SELECT id + 10, 5, idx, name, kind, op_id, delegate_id FROM node");
    if (more)
        given("INSERT INTO node (id, graph_id, idx, name, kind, op_id)"
              "  VALUES (14, 5, 3, 'op_3', 'kernel_call', 7)");
}

START_TEST(of_two_methods_that_fit_a_run_is_of_the_one_that_it_called_whole)
{
    given_profile();
    given_twin(true);
    find_profiled();
    ck_assert_int_eq(number("SELECT method_id FROM profile"), 1);
    expect("profile/several-methods", "");
}

START_TEST(profile_several_methods_notes_a_run_that_may_be_of_two)
{
    given_profile();
    given_twin(false);
    find_profiled();
    ck_assert_int_eq(number("SELECT count(*) FROM profile WHERE method_id IS NULL"), 1);
    expect("profile/several-methods",
           "note 1 run may be of any of 2 methods: forward,second; the first is run 0\n");
    expect("profile/method", "");
}

START_TEST(what_a_loop_calls_is_summed_up_before_runs_are_compared)
{
    struct dg_error err = {0};

    given_profile();
    given(
        "INSERT INTO profile (id, artifact_id, idx, name) VALUES (2, 2, 1, 'Execute');"
        "INSERT INTO profile_event (profile_id, idx, kind, name, chain, instruction,"
        "  begin, end) VALUES (2, 0, 'time', 'OPERATOR_CALL', 0, 0, 0, 10),"
        " (2, 1, 'time', 'OPERATOR_CALL', 0, 0, 20, 40),"
        " (2, 2, 'time', 'DELEGATE_CALL', 0, 1, 40, 50),"
        " (2, 3, 'time', 'OPERATOR_CALL', 0, 2, 50, 51)");
    find_profiled();
    ck_assert(!dg_store_add_views(rules_store, &err));
    ck_assert_int_eq(
        number("SELECT median = 115 AND least = 30 AND calls = 3 AND runs = 2"
               " FROM v_timing WHERE node = 'op_0'"),
        1);
}

START_TEST(a_part_of_no_delegate_is_of_another_build)
{
    given_profile();
    given("UPDATE profile_event SET instruction = 4000000 WHERE idx = 2");
    find_profiled();
    ck_assert_int_eq(number("SELECT count(*) FROM profile_event"
                            " WHERE node_id IS NOT NULL"),
                     0);
    expect("profile/method", "error run 0: no method of a.pte has its instructions:"
                             " GEMM #1 is number 4000000\n");
}

START_TEST(profile_method_reports_a_run_of_another_build)
{
    static const char *const changes[] = {
        "UPDATE profile_event SET name = 'native_call_sub.out' WHERE idx = 4",
        "UPDATE profile_event SET name = 'OPERATOR_CALL' WHERE idx = 3",
        "UPDATE profile_event SET instruction = 3 WHERE idx = 5",
        "UPDATE profile_event SET name = 'DELEGATE_CALL' WHERE idx = 5"};

    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        given_profile();
        given(changes[i]);
        find_profiled();
        ck_assert_int_eq(number("SELECT count(*) FROM profile_event"
                                " WHERE node_id IS NOT NULL"),
                         0);
        ck_assert_int_eq(number("SELECT count(*) FROM profile WHERE method_id IS NULL"),
                         1);
        rules_close();
        rules_open();
    }
    given_profile();
    given(changes[2]);
    find_profiled();
    expect("profile/method", "error run 0: no method of a.pte has its instructions:"
                             " OPERATOR_CALL is number 3\n");
}

START_TEST(profile_clock_accepts_events_that_take_no_time)
{
    given_profile();
    given("UPDATE profile_event SET end = begin");
    expect("profile/clock", "");
}

START_TEST(profile_clock_warns_of_events_that_end_before_they_begin)
{
    given_profile();
    given("UPDATE profile_event SET end = 99 WHERE idx IN (2, 3)");
    expect("profile/clock", "warning run 0: 2 events end before it begins: the first is"
                            " GEMM #1\n");
}

/* The edge program of the same instructions. */
static void given_record(void)
{
    given_instructions();
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (2, 'x.etrecord', 'pt2', 9, '{}', 1, 'program');"
        "INSERT INTO method (id, artifact_id, idx, name, ir)"
        "  SELECT 2, 2, 0, name, 'edge' FROM method WHERE id = 1;"
        "INSERT INTO instruction_handle VALUES (2, 0, NULL, '1'), (2, 1, NULL, '2'),"
        " (2, 1, 'part', '3'), (2, 2, NULL, '4')");
}

START_TEST(profile_record_accepts_the_instructions_of_the_program)
{
    given_record();
    expect("profile/record", "");
}

/* What an ETRecord names of instruction `at`: a node of that operator. */
static void given_origin(int at, const char *op)
{
    given_format(
        "INSERT OR IGNORE INTO \"graph\" VALUES (2, 2, '', 'method');"
        "INSERT INTO op (name, namespace, flags) VALUES ('%s', 'aten', 0);"
        "INSERT INTO node (graph_id, idx, name, kind, op_id, debug_handle) SELECT"
        "  2, %d, 'n%d', 'call_function', max(op.id), (SELECT debug_handle FROM"
        "  instruction_handle WHERE instruction = %d AND part IS NULL) FROM op",
        op, at, at, at);
}

START_TEST(profile_record_accepts_what_decomposing_made_of_an_operator)
{
    given_record();
    given_origin(0, "aten::add.Tensor");
    given_origin(2, "aten::linear.default");
    expect("profile/record", "");
}

START_TEST(profile_record_reports_instructions_that_were_exchanged)
{
    given_record();
    given_origin(0, "aten::mul.Tensor");
    given_origin(2, "aten::add.Tensor");
    expect("profile/record",
           "error aten::add.out was not made from aten::mul.Tensor, as"
           " the ETRecord says; nor were 1 more from what it names\n");
}

START_TEST(profile_record_reports_an_instruction_behind_the_last)
{
    given_record();
    given("UPDATE instruction_handle SET instruction = 3 WHERE instruction = 2");
    expect("profile/record",
           "error instruction 3 is not there: the ETRecord tells what it"
           " was made from\n");
}

START_TEST(profile_record_reports_an_instruction_that_calls_nothing)
{
    given_record();
    given("UPDATE node SET kind = 'move_call' WHERE id = 3");
    expect("profile/record",
           "error instruction 2 is a move call: the ETRecord tells what it"
           " was made from\n");
}

Suite *profile_rules_suite(void)
{
    Suite *suite = suite_create("profile rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, a_run_is_of_the_method_that_has_its_instructions);
    tcase_add_test(all, of_two_methods_a_run_is_of_the_one_with_its_operators);
    tcase_add_test(all, profile_method_reports_a_run_of_another_build);
    tcase_add_test(all, profile_clock_accepts_events_that_take_no_time);
    tcase_add_test(all, profile_clock_warns_of_events_that_end_before_they_begin);
    tcase_add_test(all, profile_record_accepts_the_instructions_of_the_program);
    tcase_add_test(all, profile_record_reports_an_instruction_behind_the_last);
    tcase_add_test(all, profile_record_reports_an_instruction_that_calls_nothing);
    tcase_add_test(all,
                   of_two_methods_that_fit_a_run_is_of_the_one_that_it_called_whole);
    tcase_add_test(all, profile_several_methods_notes_a_run_that_may_be_of_two);
    tcase_add_test(all, what_a_loop_calls_is_summed_up_before_runs_are_compared);
    tcase_add_test(all, a_part_of_no_delegate_is_of_another_build);
    tcase_add_test(all, profile_record_accepts_what_decomposing_made_of_an_operator);
    tcase_add_test(all, profile_record_reports_instructions_that_were_exchanged);
    suite_add_tcase(suite, all);
    return suite;
}
