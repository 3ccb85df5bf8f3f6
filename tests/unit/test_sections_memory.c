/* What is alive when memory is fullest. */
#include "unit/section_case.h"

#include "graph/lifetime.h"

static void find_lives(void)
{
    ck_assert_msg(!dg_lifetimes_store(rules_store, &rules_err), "%s", rules_err.text);
}

/* 32 bytes each: 0 comes in, 1 is made by the first call, 2 by the second. */
static void given_plan(void)
{
    given_pte();
    given("UPDATE arena SET size_bytes = 128 WHERE idx = 1");
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 16);
    goes_in(0);
    call("0", "1");
    call("1", "2");
    call("2", "0");
    comes_out(2);
    find_lives();
}

START_TEST(a_plan_is_held_against_its_peak)
{
    given_plan();
    expect_in_section(&dg_section_memory, DG_FORM_MARKDOWN,
                      "fact Planned memory = 128 B in 1 arena\n"
                      "fact Live at the peaks = 64 B [50 %]\n"
                      "fact A better plan could save = 64 B at most [50 %]\n"
                      "say Not in planned memory: about ");
    expect_in_section(&dg_section_memory, DG_FORM_TEXT,
                      " B that loading allocates, and the file.\n");
}
END_TEST

START_TEST(tensors_at_the_peak_are_areas_of_their_own)
{
    given_plan();
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "chart memory-1-1: steps 3, peak 0, limit 128\n");
    expect_in_section(&dg_section_memory, DG_FORM_HTML, "  other results: 0 16 16\n");
}
END_TEST

START_TEST(tensors_that_share_bytes_count_once_in_the_chart)
{
    given_pte();
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    goes_in(0);
    call("0", "1");
    call("1 2", "0");
    comes_out(0);
    find_lives();
    expect_not_in_section(&dg_section_memory, DG_FORM_HTML, " 96");
}
END_TEST

/* x -> linear -> view -> relu -> output; 64 bytes each. */
static void given_view(void)
{
    given_pt2();
    given("INSERT INTO op VALUES (1, 'aten::linear.default', 'aten', NULL, NULL, 0),"
          " (2, 'aten::view.default', 'aten', NULL, NULL, 2),"
          " (3, 'aten::relu.default', 'aten', NULL, NULL, 4);"
          "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, nbytes) VALUES"
          " (1, 1, 0, 'tensor', 'f32', '[16]', 64), (2, 1, 1, 'tensor', 'f32', '[16]',"
          " 64), (3, 1, 2, 'tensor', 'f32', '[16]', 64), (4, 1, 3, 'tensor', 'f32',"
          " '[16]', 64);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id) VALUES"
          " (1, 1, 0, 'x', 'placeholder', NULL, 1),"
          " (2, 1, 1, 'linear', 'call_function', 1, 2),"
          " (3, 1, 2, 'view', 'call_function', 2, 3),"
          " (4, 1, 3, 'relu', 'call_function', 3, 4),"
          " (5, 1, 4, 'output', 'output', NULL, NULL);"
          "INSERT INTO edge VALUES (2, 0, 1, 1), (3, 0, 2, 2), (4, 0, 3, 3),"
          " (5, 0, 4, 4)");
}

START_TEST(without_a_plan_results_live_until_their_last_use)
{
    given_view();
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "chart memory-1: steps 5, peak 3, limit 0\n"
                      "  aten::linear.default linear f32[16]: 0 64 64 64 0\n"
                      "  aten::relu.default relu f32[16]: 0 0 0 64 64\n");
}
END_TEST

/* The view is a reshape, whose input has these strides. */
static void given_reshape(const char *strides)
{
    given_view();
    given("UPDATE op SET name = 'aten::reshape.default' WHERE id = 2;"
          "UPDATE value SET shape = '[4,4]', strides = '[4,1]' WHERE id = 2;"
          "UPDATE value SET strides = '[1]' WHERE id = 3");
    given(strides);
}

START_TEST(a_reshape_of_rows_is_a_view)
{
    given_reshape("SELECT 1");
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "linear f32[4,4]: 0 64 64 64 0\n");
}
END_TEST

START_TEST(a_reshape_of_what_lies_otherwise_is_a_copy)
{
    given_reshape("UPDATE value SET strides = '[1,4]' WHERE id = 2");
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "linear f32[4,4]: 0 64 64 0 0\n");
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "aten::reshape.default view f32[16]: 0 0 64 64 0\n");
}
END_TEST

START_TEST(what_has_another_dtype_is_a_copy)
{
    given_view();
    given("UPDATE op SET name = 'aten::to.dtype' WHERE id = 2;"
          "UPDATE value SET dtype = 'f64', nbytes = 128 WHERE id = 3");
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "aten::to.dtype view f64[16]: 0 0 128 128 0\n");
}
END_TEST

START_TEST(parts_of_a_split_are_memory_of_what_was_split)
{
    given_view();
    given("UPDATE op SET name = 'aten::split.Tensor' WHERE id = 2;"
          "UPDATE op SET name = '_operator.getitem', flags = 0 WHERE id = 3;"
          "UPDATE value SET dtype = NULL, shape = NULL, nbytes = NULL WHERE id = 3;"
          "UPDATE value SET nbytes = 32, shape = '[8]' WHERE id = 4");
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "linear f32[16]: 0 64 64 64 64\n");
    expect_not_in_section(&dg_section_memory, DG_FORM_HTML, "getitem relu");
}
END_TEST

START_TEST(results_of_unknown_size_are_told)
{
    given_view();
    given("UPDATE value SET nbytes = NULL WHERE id = 4");
    expect_in_section(&dg_section_memory, DG_FORM_HTML,
                      "fact Not counted = 1 result of unknown size\n");
}
END_TEST

START_TEST(a_program_without_tensors_has_no_memory_section)
{
    given_pt2();
    expect_section(&dg_section_memory, DG_FORM_ALL, "");
}
END_TEST

Suite *sections_memory_suite(void)
{
    Suite *suite = suite_create("sections_memory");
    TCase *tcase = tcase_create("memory");

    tcase_add_checked_fixture(tcase, rules_open, rules_close);
    tcase_add_test(tcase, a_plan_is_held_against_its_peak);
    tcase_add_test(tcase, tensors_at_the_peak_are_areas_of_their_own);
    tcase_add_test(tcase, tensors_that_share_bytes_count_once_in_the_chart);
    tcase_add_test(tcase, without_a_plan_results_live_until_their_last_use);
    tcase_add_test(tcase, a_reshape_of_rows_is_a_view);
    tcase_add_test(tcase, a_reshape_of_what_lies_otherwise_is_a_copy);
    tcase_add_test(tcase, what_has_another_dtype_is_a_copy);
    tcase_add_test(tcase, parts_of_a_split_are_memory_of_what_was_split);
    tcase_add_test(tcase, results_of_unknown_size_are_told);
    tcase_add_test(tcase, a_program_without_tensors_has_no_memory_section);
    suite_add_tcase(suite, tcase);
    return suite;
}
