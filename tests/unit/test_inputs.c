/* Inputs of a call: from sets of values, and random. */
#include "unit/input_case.h"

static void given_good_values(void)
{
    given_value("in0", true, tensor(DG_TYPE_F32, 2, 2, 4));
    given_value("ids", true, tensor(DG_TYPE_I64, 1, 4, 0));
    given_value("in2", true, (struct dg_arg){DG_ARG_INT, {.integer = 7}});
}

static void expect_refused(const char *words)
{
    ck_assert_int_eq(dg_inputs_of_set(&inputs, &schedule, &set, &err), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
    end();
}

static void expect_accepted(void)
{
    dg_inputs_of_set(&inputs, &schedule, &set, &err);
    ck_assert_str_eq(err.text, "");
}

START_TEST(inputs_are_found_by_number_and_by_name)
{
    given_program();
    given_good_values();
    expect_accepted();
    ck_assert_int_eq(inputs.values[0].as.tensor->sizes[1], 4);
    ck_assert_int_eq(inputs.values[1].as.tensor->sizes[0], 4);
    ck_assert_int_eq(inputs.values[2].as.integer, 7);
    end();
}

START_TEST(a_missing_input_is_named_with_what_it_must_be)
{
    given_program();
    given_value("in0", true, tensor(DG_TYPE_F32, 2, 2, 4));
    expect_refused(
        "in1 is missing: input ids is i64 [s0]; expected the name in1 or ids,"
        " and the file has in0");
}

START_TEST(an_unknown_name_brings_the_nearest_one)
{
    given_program();
    given_good_values();
    given_value("idz", true, tensor(DG_TYPE_I64, 1, 4, 0));
    expect_refused("idz is no input of the program; did you mean ids?");
}

START_TEST(one_input_cannot_be_given_twice)
{
    given_program();
    given_good_values();
    given_value("x", true, tensor(DG_TYPE_F32, 2, 2, 4));
    expect_refused("in0 and x are the same input");
}

START_TEST(the_dtype_must_be_the_same)
{
    given_program();
    given_good_values();
    values[0].value.as.tensor->type = DG_TYPE_F64;
    expect_refused("in0 is f64 [2,4]; input x is f32 [2,s0]");
}

START_TEST(the_rank_must_be_the_same)
{
    given_program();
    given_good_values();
    values[0].value.as.tensor->rank = 1;
    expect_refused("in0 is f32 [2]; input x is f32 [2,s0]");
}

START_TEST(a_static_size_must_be_the_same)
{
    given_program();
    given_good_values();
    values[0].value.as.tensor->sizes[0] = 3;
    expect_refused("x is f32 [3,4]; input x is f32 [2,s0]");
}

START_TEST(a_size_must_be_in_the_range_of_its_symbol)
{
    given_program();
    given_good_values();
    values[0].value.as.tensor->sizes[1] = 9;
    expect_refused("dimension 1 of input x has size 9; s0 is from 2 to 8");
}

START_TEST(sizes_of_one_symbol_must_be_equal)
{
    given_program();
    given_good_values();
    values[1].value.as.tensor->sizes[0] = 5;
    expect_refused(
        "dimension 1 of input x has size 4, dimension 0 of input ids 5; both "
        "are s0");
}

START_TEST(a_tensor_of_one_element_stands_for_a_scalar)
{
    given_program();
    given_good_values();
    numbers[0] = 5;
    values[2].value = tensor(DG_TYPE_I32, 0, 0, 0);
    expect_accepted();
    ck_assert_int_eq(inputs.values[2].kind, DG_ARG_INT);
    ck_assert_int_eq(inputs.values[2].as.integer, 5);
    numbers[0] = 0;
    end();
}

START_TEST(a_float_is_no_int)
{
    given_program();
    given_good_values();
    values[2].value = (struct dg_arg){DG_ARG_FLOAT, {.real = 7}};
    expect_refused("in2 is a Python float; input n is of kind sym_int");
}

static void given_constants(void)
{
    given_program();
    given_port("mode", "string", (struct dg_arg){0});
    ports[3].literal = (struct dg_arg){DG_ARG_STRING, {.string = "relu"}};
    given_port("nothing", "none", (struct dg_arg){0});
}

START_TEST(constant_inputs_need_no_key)
{
    given_constants();
    given_good_values();
    expect_accepted();
    ck_assert_int_eq(inputs.values[3].kind, DG_ARG_STRING);
    ck_assert_int_eq(inputs.values[4].kind, DG_ARG_NONE);
    end();
}

START_TEST(values_without_names_may_leave_constants_out_or_hold_them)
{
    given_constants();
    given_good_values();
    for (size_t i = 0; i < set.n_values; i++)
        values[i].named = false;
    expect_accepted();
    dg_inputs_clear(&inputs);
    given_value("3", false, (struct dg_arg){DG_ARG_STRING, {.string = "relu"}});
    given_value("4", false, (struct dg_arg){0});
    expect_accepted();
    ck_assert_int_eq(inputs.values[2].as.integer, 7);
    end();
}

START_TEST(too_few_values_without_names_are_counted)
{
    given_program();
    given_value("0", false, tensor(DG_TYPE_F32, 2, 2, 4));
    expect_refused("it holds 1 values; the program takes 3");
}

Suite *inputs_suite(void)
{
    Suite *suite = suite_create("inputs");
    TCase *of_set = tcase_create("set"), *random = tcase_create("random");

    tcase_add_test(of_set, inputs_are_found_by_number_and_by_name);
    tcase_add_test(of_set, a_missing_input_is_named_with_what_it_must_be);
    tcase_add_test(of_set, an_unknown_name_brings_the_nearest_one);
    tcase_add_test(of_set, one_input_cannot_be_given_twice);
    tcase_add_test(of_set, the_dtype_must_be_the_same);
    tcase_add_test(of_set, the_rank_must_be_the_same);
    tcase_add_test(of_set, a_static_size_must_be_the_same);
    tcase_add_test(of_set, a_size_must_be_in_the_range_of_its_symbol);
    tcase_add_test(of_set, sizes_of_one_symbol_must_be_equal);
    tcase_add_test(of_set, a_tensor_of_one_element_stands_for_a_scalar);
    tcase_add_test(of_set, a_float_is_no_int);
    tcase_add_test(of_set, constant_inputs_need_no_key);
    tcase_add_test(of_set, values_without_names_may_leave_constants_out_or_hold_them);
    tcase_add_test(of_set, too_few_values_without_names_are_counted);
    suite_add_tcase(suite, of_set);
    suite_add_tcase(suite, random);
    return suite;
}
