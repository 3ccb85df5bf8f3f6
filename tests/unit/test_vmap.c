/* Programs that torch.vmap is left in: batches, levels, places. */
#include <string.h>

#include "unit/small_program.h"

static const float two_rows[] = {1, 2, 3, 4, 5, 6};
static const int64_t two_by_three[] = {2, 3};

#define BATCH(x, dim, level)                                                           \
    "[{\"name\":\"\",\"tensor\":\"" x "\"},{\"name\":\"\",\"int\":" dim                \
    "},{\"name\":\"\",\"int\":" level "}]"
#define UNBATCH(x, level, size, dim)                                                   \
    "[{\"name\":\"\",\"tensor\":\"" x "\"},{\"name\":\"\",\"int\":" level              \
    "},{\"name\":\"\",\"int\":" size "},{\"name\":\"\",\"int\":" dim "}]"

static void given_batch(const char *name, const char *args, const char *of)
{
    given_call(1, name, "torch._functorch.predispatch._add_batch_dim", args, of);
}

static void given_unbatch(const char *name, const char *args, const char *of)
{
    given_call(1, name, "torch._functorch.predispatch._remove_batch_dim", args, of);
}

/* x of two rows of three */
static void begin(void)
{
    program_begin();
    given_input(1, "x", "f32", "[2,3]");
    give_floats(0, 2, two_by_three, two_rows);
    given_tuple(1, "begin", "torch._functorch.predispatch._vmap_increment_nesting",
                "[{\"name\":\"\",\"int\":2},{\"name\":\"\",\"string\":\"error\"}]", "");
}

static void expect_of(const char *name, const char *want)
{
    given_output(1, "[]", "");
    given_signature("output", name, "user_output", NULL);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, want);
}

START_TEST(each_place_of_a_batch_is_computed_by_itself)
{
    begin();
    given_batch("row", BATCH("x", "0", "1"), "x");
    given_call(1, "sum", "aten::sum.default", SELF("row"), "row");
    given_unbatch("y", UNBATCH("sum", "1", "2", "0"), "sum");
    expect_of("y", "f32 [2] 6 15");
    run_program();
    expect_output(0, "f32 [2] 6 15");
    program_end();
}

START_TEST(dimensions_are_counted_without_batches)
{
    begin();
    given_batch("column", BATCH("x", "-1", "1"), "x");
    given_call(1, "sum", "aten::neg.default", SELF("column"), "column");
    given_unbatch("y", UNBATCH("sum", "1", "3", "-1"), "sum");
    expect_of("y", "f32 [2,3] -1 -2 -3 -4 -5 -6");
    program_end();
}

START_TEST(levels_multiply)
{
    begin();
    given_batch("a", BATCH("x", "0", "1"), "x");
    given_batch("b", BATCH("x", "0", "2"), "x");
    given_call(1, "product", "aten::mul.Tensor", TWO("a", "b"), "a b");
    given_call(1, "sum", "aten::sum.default", SELF("product"), "product");
    given_unbatch("inner", UNBATCH("sum", "2", "2", "0"), "sum");
    given_unbatch("y", UNBATCH("inner", "1", "2", "0"), "inner");
    expect_of("y", "f32 [2,2] 14 32 32 77");
    program_end();
}

START_TEST(what_is_not_of_a_batch_is_repeated)
{
    begin();
    given_unbatch("y", UNBATCH("x", "1", "2", "1"), "x");
    expect_of("y", "f32 [2,2,3] 1 2 3 1 2 3 4 5 6 4 5 6");
    program_end();
}

START_TEST(what_is_written_at_a_place_is_written_in_the_batch)
{
    begin();
    given_call(1, "copy", "aten::clone.default", SELF("x"), "x");
    given_batch("row", BATCH("copy", "0", "1"), "copy");
    given_call(1, "end", "aten::select.int",
               "[{\"name\":\"self\",\"tensor\":\"row\"},{\"name\":\"dim\",\"int\":0},"
               "{\"name\":\"index\",\"int\":2}]",
               "row");
    given_call(1, "more", "aten::add_.Tensor", BY("end", "10"), "end");
    expect_of("copy", "f32 [2,3] 1 2 13 4 5 16");
    program_end();
}

START_TEST(what_is_written_into_a_batch_of_a_buffer_stays)
{
    program_begin();
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_batch("place", BATCH("total", "0", "1"), "total");
    given_call(1, "more", "aten::add_.Tensor", BY("place", "1"), "place");
    expect_of("total", "f32 [2] 1.5 2.5");
    run_program();
    expect_output(0, "f32 [2] 2.5 3.5");
    program_end();
}

START_TEST(what_is_not_known_at_a_place_is_not_known)
{
    begin();
    given_batch("row", BATCH("x", "0", "1"), "x");
    given_call(1, "a", "demo::twice.default", SELF("row"), "row");
    given_call(1, "b", "aten::neg.default", SELF("a"), "a");
    given_unbatch("y", UNBATCH("b", "1", "2", "0"), "b");
    expect_of("y", "unknown");
    ck_assert_str_eq(program_machine.unknowns[0].why, "a custom operator");
    program_end();
}

/* x of no rows of three */
static void begin_of_nothing(void)
{
    static const int64_t none_by_three[] = {0, 3};

    program_begin();
    given_input(1, "x", "f32", "[0,3]");
    give_floats(0, 2, none_by_three, two_rows);
}

START_TEST(a_batch_of_nothing_has_the_shapes_of_its_results)
{
    begin_of_nothing();
    given_batch("row", BATCH("x", "0", "1"), "x");
    given_batch("again", BATCH("x", "0", "2"), "x");
    given_call(1, "product", "aten::mul.Tensor", TWO("row", "again"), "row again");
    given_unbatch("inner", UNBATCH("product", "2", "0", "1"), "product");
    given_unbatch("y", UNBATCH("inner", "1", "0", "0"), "inner");
    expect_of("y", "f32 [0,3,0]");
    program_end();
}

START_TEST(what_cannot_run_on_zeros_says_nothing_of_a_batch_of_nothing)
{
    begin_of_nothing();
    given_batch("row", BATCH("x", "0", "1"), "x");
    given_call(1, "far", "aten::select.int",
               "[{\"name\":\"self\",\"tensor\":\"row\"},{\"name\":\"dim\",\"int\":0},"
               "{\"name\":\"index\",\"int\":3}]",
               "row");
    given_unbatch("y", UNBATCH("far", "1", "0", "0"), "far");
    expect_of("y", "unknown");
    ck_assert_ptr_nonnull(
        strstr(program_machine.unknowns[0].why, "a batch of nothing: "));
    program_end();
}

START_TEST(a_dimension_that_is_not_there_is_an_error)
{
    begin();
    given_batch("row", BATCH("x", "2", "1"), "x");
    given_output(1, ONE("row"), "row");
    open_program(DG_PRECISION_EXACT_SUMS);
    expect_failure(
        "node row (torch._functorch.predispatch._add_batch_dim): dimension 2 "
        "of a batch of 2 dimensions");
    program_end();
}

START_TEST(batches_of_different_sizes_are_an_error)
{
    begin();
    given_batch("row", BATCH("x", "0", "1"), "x");
    given_batch("column", BATCH("x", "1", "1"), "x");
    given_call(1, "y", "aten::add.Tensor", TWO("row", "column"), "row column");
    given_output(1, ONE("y"), "y");
    open_program(DG_PRECISION_EXACT_SUMS);
    expect_failure("node y (aten::add.Tensor): batches of 2 and 3 together");
    program_end();
}

START_TEST(a_level_that_no_vmap_has_does_not_run)
{
    begin();
    given_batch("row", BATCH("x", "0", "99"), "x");
    given_output(1, ONE("row"), "row");
    open_program(DG_PRECISION_EXACT_SUMS);
    ck_assert_int_eq(step_called("row")->kind, DG_STEP_OPAQUE);
    program_end();
}

Suite *vmap_suite(void)
{
    Suite *suite = suite_create("vmap");
    TCase *tc = tcase_create("vmap");

    tcase_add_test(tc, each_place_of_a_batch_is_computed_by_itself);
    tcase_add_test(tc, dimensions_are_counted_without_batches);
    tcase_add_test(tc, levels_multiply);
    tcase_add_test(tc, what_is_not_of_a_batch_is_repeated);
    tcase_add_test(tc, what_is_written_at_a_place_is_written_in_the_batch);
    tcase_add_test(tc, what_is_written_into_a_batch_of_a_buffer_stays);
    tcase_add_test(tc, what_is_not_known_at_a_place_is_not_known);
    tcase_add_test(tc, a_batch_of_nothing_has_the_shapes_of_its_results);
    tcase_add_test(tc, what_cannot_run_on_zeros_says_nothing_of_a_batch_of_nothing);
    tcase_add_test(tc, a_dimension_that_is_not_there_is_an_error);
    tcase_add_test(tc, batches_of_different_sizes_are_an_error);
    tcase_add_test(tc, a_level_that_no_vmap_has_does_not_run);
    suite_add_tcase(suite, tc);
    return suite;
}
