/* What machines cannot know, and what rests on it. */
#include "unit/small_program.h"

#include <stdio.h>

static const int64_t two[] = {2};

static void return_value(const char *name)
{
    given_signature("output", name, "user_output", NULL);
}

START_TEST(what_rests_on_an_unknown_operator_is_unknown)
{
    const struct dg_unknown *unknowns;

    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "a", "demo::twice.default", SELF("x"), "x");
    given_call(1, "b", "aten::neg.default", SELF("a"), "a");
    given_call(1, "c", "aten::neg.default", SELF("x"), "x");
    given_output(1, ONE("b"), "b");
    return_value("b");
    return_value("c");
    give_floats(0, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    expect_output(1, "f32 [2] -0.5 -1.5");
    unknowns = program_machine.unknowns;
    ck_assert_uint_eq(program_machine.n_unknowns, 2);
    ck_assert_uint_eq(unknowns[0].origin, unknowns[0].step);
    ck_assert_str_eq(unknowns[0].why, "a custom operator");
    ck_assert_uint_eq(unknowns[1].origin, unknowns[0].step);
    ck_assert_str_eq(unknowns[1].why, "rests on a");
    program_end();
}

START_TEST(an_unknown_operator_without_result_may_have_written_its_arguments)
{
    program_begin();
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_call(1, "view", "aten::alias.default", SELF("total"), "total");
    given_tuple(1, "a", "demo::accumulate.default", SELF("total"), "total");
    given_call(1, "y", "aten::neg.default", SELF("view"), "view");
    given_output(1, ONE("y"), "y");
    return_value("y");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    run_program();
    expect_output(0, "unknown");
    program_end();
}

START_TEST(an_unknown_operator_writes_what_nothing_wrote_before)
{
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "out", "aten::empty_like.default", SELF("x"), "x");
    given_call(1, "a", "demo::into.default", TWO("x", "out"), "x out");
    given_call(1, "y", "aten::neg.default", SELF("x"), "x");
    given_output(1, ONE("y"), "y");
    return_value("out");
    return_value("y");
    give_floats(0, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    expect_output(1, "f32 [2] -0.5 -1.5");
    program_end();
}

/* y = -total; a graph that is called writes x, as an operator that is not known gives
 * it, into the total. `inside`: that is called there, too. */
static void given_total_of_what_is_not_known(bool inside)
{
    static const char args[] = "[{\"name\":\"\",\"bool\":false},"
                               "{\"name\":\"\",\"graph\":\"body\"},"
                               "{\"name\":\"\",\"tensor\":\"total\"},"
                               "{\"name\":\"\",\"tensor\":\"%s\"}]";
    char of[sizeof(args) + 8];

    program_begin();
    program_branch(2, "body");
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::neg.default", SELF("total"), "total");
    if (!inside)
        given_call(1, "a", "demo::twice.default", SELF("x"), "x");
    given_get_attr(1, "body");
    snprintf(of, sizeof(of), args, inside ? "x" : "a");
    given_tuple(1, "c", "higher_order::wrap_with_set_grad_enabled", of,
                inside ? "body total x" : "body total a");
    given_call(1, "z", "aten::neg.default", SELF("x"), "x");
    given_output(1, "[]", "");
    return_value("y");
    return_value("z");
    given_input(2, "t", "f32", "[2]");
    given_input(2, "u", "f32", "[2]");
    if (inside)
        given_call(2, "v", "demo::twice.default", SELF("u"), "u");
    given_call(2, "more", "aten::add_.Tensor", inside ? TWO("t", "v") : TWO("t", "u"),
               inside ? "t v" : "t u");
    given_output(2, ONE("more"), "more");
    give_floats(1, 1, two, program_file);
}

START_TEST(what_a_graph_that_is_called_writes_of_what_is_not_known_is_not_known)
{
    given_total_of_what_is_not_known(_i);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] -0.5 -1.5");
    expect_output(1, "f32 [2] -0.5 -1.5");
    run_program();
    expect_output(0, "unknown");
    expect_output(1, "f32 [2] -0.5 -1.5");
    for (size_t i = 0; i < program_machine.n_unknowns; i++)
        ck_assert_ptr_nonnull(program_machine.unknowns[i].why);
    program_end();
}

START_TEST(statistics_that_a_norm_does_not_keep_are_not_known)
{
    program_begin();
    given_weight("mean", "buffer", "c64", "[1]", 0, 8);
    given_input(1, "x", "f32", "[2,1,2]");
    given_call(1, "y", "aten::instance_norm.default",
               "[{\"name\":\"input\",\"tensor\":\"x\"},"
               "{\"name\":\"weight\",\"none\":true},"
               "{\"name\":\"bias\",\"none\":true},"
               "{\"name\":\"running_mean\",\"tensor\":\"mean\"},"
               "{\"name\":\"running_var\",\"tensor\":\"mean\"},"
               "{\"name\":\"use_input_stats\",\"bool\":true},"
               "{\"name\":\"momentum\",\"float\":0.5},"
               "{\"name\":\"eps\",\"float\":0},"
               "{\"name\":\"cudnn_enabled\",\"bool\":false}]",
               "x mean mean");
    given_call(1, "kept", "aten::neg.default", SELF("mean"), "mean");
    given_output(1, ONE("kept"), "kept");
    return_value("kept");
    give_floats(1, 3, (int64_t[]){2, 1, 2}, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    program_end();
}

START_TEST(what_the_schema_of_an_operator_without_kernel_writes_is_not_known)
{
    program_begin();
    given_input(1, "scale", "f32", "[2]");
    given_input(1, "grown", "f32", "[2]");
    given_input(1, "found", "f32", "[2]");
    given_call(1, "y", "aten::_amp_update_scale_.default",
               "[{\"name\":\"self\",\"tensor\":\"scale\"},"
               "{\"name\":\"growth_tracker\",\"tensor\":\"grown\"},"
               "{\"name\":\"found_inf\",\"tensor\":\"found\"}]",
               "scale grown found");
    given_call(1, "a", "aten::neg.default", SELF("grown"), "grown");
    given_call(1, "b", "aten::neg.default", SELF("found"), "found");
    given_output(1, TWO("a", "b"), "a b");
    return_value("a");
    return_value("b");
    for (size_t i = 0; i < 3; i++)
        give_floats(i, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    expect_output(1, "f32 [2] -0.5 -1.5");
    program_end();
}

START_TEST(an_unknown_operator_without_result_may_read_one_tensor_twice)
{
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "a", "aten::neg.default", SELF("x"), "x");
    given_tuple(1, "b", "demo::accumulate.default", TWO("a", "a"), "a a");
    given_call(1, "y", "aten::neg.default", SELF("x"), "x");
    given_output(1, ONE("y"), "y");
    return_value("y");
    return_value("a");
    give_floats(0, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] -0.5 -1.5");
    expect_output(1, "unknown");
    program_end();
}

START_TEST(a_write_of_what_is_not_known_makes_its_target_unknown)
{
    program_begin();
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_call(1, "a", "demo::make.default", "[]", "");
    given_call(1, "b", "aten::add_.Tensor", TWO("total", "a"), "total a");
    given_output(1, ONE("total"), "total");
    return_value("total");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    program_end();
}

START_TEST(a_weight_without_bytes_is_an_error_of_the_node_that_reads_it)
{
    const float x[] = {1, 2};

    program_begin();
    given_weight("w", "parameter", "f32", "[2]", sizeof(program_file), 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::add.Tensor", TWO("x", "w"), "x w");
    given_output(1, ONE("y"), "y");
    give_floats(1, 1, two, x);
    open_program(DG_PRECISION_EXACT_SUMS);
    expect_failure("node y (aten::add.Tensor): w has bytes outside of the file");
    program_end();
}

START_TEST(a_weight_of_another_kind_of_type_is_unknown)
{
    const float x[] = {1, 2};

    program_begin();
    given_weight("w", "parameter", "c32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::add.Tensor", TWO("x", "w"), "x w");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_floats(1, 1, two, x);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    ck_assert_str_eq(program_machine.unknowns[0].why,
                     "w is of a type that does not run here");
    program_end();
}

Suite *machine_unknown_suite(void)
{
    Suite *suite = suite_create("machine_unknown");
    TCase *tc = tcase_create("machine_unknown");

    tcase_add_test(tc, what_rests_on_an_unknown_operator_is_unknown);
    tcase_add_test(tc,
                   an_unknown_operator_without_result_may_have_written_its_arguments);
    tcase_add_test(tc, an_unknown_operator_writes_what_nothing_wrote_before);
    tcase_add_loop_test(
        tc, what_a_graph_that_is_called_writes_of_what_is_not_known_is_not_known, 0, 2);
    tcase_add_test(tc, statistics_that_a_norm_does_not_keep_are_not_known);
    tcase_add_test(tc, an_unknown_operator_without_result_may_read_one_tensor_twice);
    tcase_add_test(tc,
                   what_the_schema_of_an_operator_without_kernel_writes_is_not_known);
    tcase_add_test(tc, a_write_of_what_is_not_known_makes_its_target_unknown);
    tcase_add_test(tc, a_weight_without_bytes_is_an_error_of_the_node_that_reads_it);
    tcase_add_test(tc, a_weight_of_another_kind_of_type_is_unknown);
    suite_add_tcase(suite, tc);
    return suite;
}
