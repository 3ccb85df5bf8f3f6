/* Devices and runs in a report. */
#include "unit/section_case.h"

START_TEST(a_program_on_the_host_has_no_copies)
{
    given_pte();
    expect_section(
        &dg_section_devices, DG_FORM_HTML,
        "say All tensors live on the host: nothing is copied to a device.\n");
    expect_section(&dg_section_devices, DG_FORM_MARKDOWN, "");
}
END_TEST

/* The copy of value 0 to value 1, which lives on the device. */
static void given_copy(void)
{
    given_pte();
    given("INSERT INTO op VALUES (1, 'et_copy::_h2d_copy.out', 'et_copy', NULL, NULL,"
          " 0);"
          "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, nbytes, device)"
          " VALUES (1, 1, 0, 'tensor', 'f32', '[8]', 32, 'cpu'),"
          " (2, 1, 1, 'tensor', 'f32', '[8]', 32, 'cuda:0');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (1, 1, 0, 'op_0', 'kernel_call', 1);"
          "INSERT INTO operand VALUES (1, 0, 0, 1, 'read'), (1, 1, 1, 2, 'write')");
}

START_TEST(copies_to_a_device_are_counted_and_listed)
{
    given_copy();
    expect_in_section(&dg_section_devices, DG_FORM_MARKDOWN,
                      "fact Copied to cuda:0 = 1 copy, 32 bytes\n");
    expect_in_section(&dg_section_devices, DG_FORM_HTML,
                      "  op_0 | host | cuda:0 | value 0 | f32[8] | 32\n");
}
END_TEST

START_TEST(a_store_without_runs_says_how_to_make_one)
{
    given_pt2();
    expect_section(&dg_section_numerics, DG_FORM_TEXT, "");
    expect_in_section(&dg_section_numerics, DG_FORM_HTML,
                      "$ delegraph run a.file --each --store runs.db\n");
}
END_TEST

START_TEST(a_lowered_program_is_run_against_what_it_was_made_from)
{
    given_pte();
    given("INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of,"
          "  role) VALUES (2, 'made from.pt2', 'pt2', 1, '{}', 1, 'program')");
    expect_in_section(&dg_section_numerics, DG_FORM_HTML,
                      "$ delegraph run 'made from.pt2' --against a.file --each --store"
                      " runs.db\n");
}
END_TEST

static void given_run(void)
{
    given_pt2();
    given(
        "INSERT INTO num_run (id, artifact_id, device, reference, inputs, tf32, policy,"
        "  repeats) VALUES (1, 1, 'cpu', 'reference', 'samples', 0, '1', 1);"
        "INSERT INTO num_result (id, run_id, call, kind, pos, name, op, verdict, why,"
        "  snr_db, snr_limit) VALUES"
        " (1, 1, 0, 'node', 0, 'mm', 'aten::mm.default', 'pass', NULL, 120, 89),"
        " (2, 1, 0, 'node', 1, 'add', 'aten::add.Tensor', 'fail', 'SNR', 20, 89),"
        " (3, 1, 0, 'node', 2, 'exp', 'aten::exp.default', 'fail', 'SNR', 10, 89),"
        " (4, 1, 0, 'output', 0, 'exp', NULL, 'fail', 'SNR', 10, 89)");
}

START_TEST(the_first_node_that_fails_is_named)
{
    given_run();
    expect_in_section(&dg_section_numerics, DG_FORM_MARKDOWN,
                      "fact Run 1 on cpu = FAIL, 1 of 4 pass [25 %]\n"
                      "fact First node that fails = add (aten::add.Tensor): SNR\n");
}
END_TEST

START_TEST(a_run_against_another_program_is_bisected_against_it)
{
    given_run();
    given("UPDATE num_run SET against = 'b.pte'");
    expect_in_section(&dg_section_numerics, DG_FORM_TEXT,
                      "$ delegraph run a.pt2 --against b.pte --bisect\n");
}
END_TEST

START_TEST(the_verdict_names_a_newest_run_that_failed)
{
    given_run();
    section_input.fail_on = "error";
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT,
                      "say Findings PASS: 0 errors, 0 warnings, 0 notes. The newest run"
                      " FAILED: 1 output, 2 nodes (see Numerics)\n");
    given(
        "INSERT INTO num_run (id, artifact_id, device, reference, inputs, tf32, policy,"
        "  repeats) VALUES (2, 1, 'cpu', 'reference', 'samples', 0, '1', 1)");
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT,
                      "say PASS: 0 errors, 0 warnings, 0 notes\n");
}
END_TEST

START_TEST(nodes_are_points_by_verdict)
{
    given_run();
    expect_in_section(&dg_section_numerics, DG_FORM_HTML,
                      "chart numerics-1: steps 3, peak 0, limit 0\n"
                      "  pass: 120 nan nan\n"
                      "  fail: nan 20 10\n");
}
END_TEST

START_TEST(the_worst_nodes_come_first)
{
    given_run();
    expect_in_section(&dg_section_numerics, DG_FORM_HTML,
                      "\n  exp | aten::exp.default");
    expect_in_section(&dg_section_numerics, DG_FORM_TEXT, "table -: Output |");
}
END_TEST

Suite *sections_runs_suite(void)
{
    Suite *suite = suite_create("sections_runs");
    TCase *tcase = tcase_create("runs");

    tcase_add_checked_fixture(tcase, rules_open, rules_close);
    tcase_add_test(tcase, a_program_on_the_host_has_no_copies);
    tcase_add_test(tcase, copies_to_a_device_are_counted_and_listed);
    tcase_add_test(tcase, a_store_without_runs_says_how_to_make_one);
    tcase_add_test(tcase, the_first_node_that_fails_is_named);
    tcase_add_test(tcase, a_lowered_program_is_run_against_what_it_was_made_from);
    tcase_add_test(tcase, a_run_against_another_program_is_bisected_against_it);
    tcase_add_test(tcase, the_verdict_names_a_newest_run_that_failed);
    tcase_add_test(tcase, nodes_are_points_by_verdict);
    tcase_add_test(tcase, the_worst_nodes_come_first);
    suite_add_tcase(suite, tcase);
    return suite;
}
