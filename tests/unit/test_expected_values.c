/* Outputs that are expected, and which of the program they belong to. */
#include "unit/input_case.h"

static const struct dg_arg *expected_value(size_t output)
{
    struct dg_expected of_set = expected();
    const struct dg_arg *value = of_set.outputs[output].value;

    dg_expected_end(&of_set);
    return value;
}

static bool is_expected(size_t output)
{
    struct dg_expected of_set = expected();
    bool belongs = of_set.outputs[output].belongs;

    dg_expected_end(&of_set);
    return belongs;
}

static bool is_unpaired(void)
{
    struct dg_expected of_set = expected();
    bool unpaired = of_set.unpaired;

    dg_expected_end(&of_set);
    return unpaired;
}

START_TEST(expected_outputs_are_found_by_number_name_or_place)
{
    static struct dg_io outputs[3];

    given_program();
    outputs[0] = (struct dg_io){.spec = "buffer_mutation", .name = "b"};
    outputs[1] = (struct dg_io){.spec = "user_output", .name = "y"};
    outputs[2] = (struct dg_io){.spec = "user_output", .name = "z"};
    schedule.outputs = outputs;
    schedule.n_outputs = 3;
    given_value("out0", true, (struct dg_arg){DG_ARG_INT, {.integer = 1}});
    given_value("z", true, (struct dg_arg){DG_ARG_INT, {.integer = 2}});
    ck_assert(expected_value(0) == NULL);
    ck_assert_int_eq(expected_value(1)->as.integer, 1);
    ck_assert_int_eq(expected_value(2)->as.integer, 2);
    values[0].named = values[1].named = false;
    ck_assert_int_eq(expected_value(2)->as.integer, 2);
    schedule.outputs = NULL;
    schedule.n_outputs = 0;
    end();
}

/* A mutated input in front of what the user returns, as ExecuTorch's runtime has it. */
static void given_mutation(size_t n_values)
{
    static struct dg_io outputs[3];

    given_program();
    outputs[0] = (struct dg_io){.spec = "buffer_mutation"};
    outputs[1] = (struct dg_io){.spec = "user_input_mutation"};
    outputs[2] = (struct dg_io){.spec = "user_output"};
    schedule.outputs = outputs;
    schedule.n_outputs = 3;
    for (size_t i = 0; i < n_values; i++)
        given_value("", false, (struct dg_arg){DG_ARG_INT, {.integer = (int64_t)i}});
}

START_TEST(one_expected_value_is_of_the_user_and_two_have_the_mutated_input_in_front)
{
    given_mutation(1);
    ck_assert(!is_expected(1));
    ck_assert_int_eq(expected_value(2)->as.integer, 0);
    end();
    given_mutation(2);
    ck_assert(!is_expected(0));
    ck_assert_int_eq(expected_value(1)->as.integer, 0);
    ck_assert_int_eq(expected_value(2)->as.integer, 1);
    end();
}

START_TEST(expected_values_need_none_for_what_has_no_key)
{
    static struct dg_io outputs[4];

    given_mutation(0);
    memcpy(outputs, schedule.outputs, 3 * sizeof(*outputs));
    outputs[3] = (struct dg_io){.spec = "user_output", .kind = "none"};
    schedule.outputs = outputs;
    schedule.n_outputs = 4;
    given_value("out0", true, (struct dg_arg){DG_ARG_INT, {.integer = 7}});
    ck_assert_int_eq(expected_value(2)->as.integer, 7);
    given_value("out1", true, (struct dg_arg){DG_ARG_INT, {.integer = 8}});
    ck_assert_int_eq(expected_value(1)->as.integer, 7);
    ck_assert_int_eq(expected_value(2)->as.integer, 8);
    end();
}

START_TEST(as_many_expected_values_as_neither_has_are_not_paired)
{
    given_mutation(3);
    ck_assert(is_unpaired());
    ck_assert(expected_value(2) == NULL);
    end();
    given_mutation(3);
    ports[0].spec = "buffer";
    schedule.outputs[1].spec = "buffer_mutation";
    ck_assert(!is_unpaired());
    end();
}

START_TEST(an_array_of_one_element_is_the_expected_number)
{
    const int64_t three = 3;
    struct dg_arg whole = {DG_ARG_INT, {.integer = 1}}, real = {DG_ARG_FLOAT, {0}};
    struct dg_arg array = {DG_ARG_TENSOR,
                           {.tensor = dg_tensor_over(DG_TYPE_I64, 0, NULL, &three)}};

    ck_assert_int_eq(dg_expected_like(&array, &whole).kind, DG_ARG_INT);
    ck_assert_int_eq(dg_expected_like(&array, &whole).as.integer, 3);
    ck_assert_int_eq(dg_expected_like(&array, &real).kind, DG_ARG_FLOAT);
    ck_assert_double_eq(dg_expected_like(&array, &real).as.real, 3);
    ck_assert_int_eq(dg_expected_like(&array, &array).kind, DG_ARG_TENSOR);
    ck_assert_int_eq(dg_expected_like(NULL, &whole).kind, DG_ARG_NONE);
    dg_arg_drop(&array);
}

Suite *expected_values_suite(void)
{
    Suite *suite = suite_create("expected_values");
    TCase *of_set = tcase_create("set"), *random = tcase_create("random");
    tcase_add_test(of_set, expected_outputs_are_found_by_number_name_or_place);
    tcase_add_test(
        random,
        one_expected_value_is_of_the_user_and_two_have_the_mutated_input_in_front);
    tcase_add_test(random, expected_values_need_none_for_what_has_no_key);
    tcase_add_test(random, as_many_expected_values_as_neither_has_are_not_paired);
    tcase_add_test(random, an_array_of_one_element_is_the_expected_number);
    suite_add_tcase(suite, of_set);
    suite_add_tcase(suite, random);
    return suite;
}
