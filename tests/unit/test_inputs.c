/* Inputs of a call: from sets of values, and random. */
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#include "exec/inputs.h"

enum { MOST = 8 };

static struct dg_schedule schedule;
static struct dg_slot slots[MOST];
static struct dg_io ports[MOST];
static struct dg_dimension_range ranges[MOST];
static struct dg_step steps[MOST];
static struct dg_operand operands[MOST][4];
static uint32_t results[MOST];
static struct dg_kernel kernels[MOST];
static struct dg_named_value values[MOST];
static struct dg_value_set set;
static struct dg_inputs inputs;
static struct dg_error err;
static char numbers[256];

static struct dg_arg tensor(enum dg_type type, int rank, int64_t first, int64_t second)
{
    const int64_t sizes[] = {first, second};

    return (struct dg_arg){DG_ARG_TENSOR,
                           {.tensor = dg_tensor_over(type, rank, sizes, numbers)}};
}

static void begin(void)
{
    schedule = (struct dg_schedule){
        .slots = slots, .inputs = ports, .ranges = ranges, .steps = steps};
    set = (struct dg_value_set){.values = values};
    inputs = (struct dg_inputs){0};
    err = (struct dg_error){0};
}

static void given_port(const char *name, const char *kind, struct dg_arg initial)
{
    size_t i = schedule.n_inputs++;

    slots[schedule.n_slots] =
        (struct dg_slot){.kind = DG_SLOT_INPUT, .initial = initial};
    ports[i] = (struct dg_io){.slot = (uint32_t)schedule.n_slots++,
                              .name = name,
                              .kind = kind,
                              .spec = "user_input"};
}

/* x f32 [2,s0], ids i64 [s0], n an int */
static void given_program(void)
{
    begin();
    given_port("x", "tensor", tensor(DG_TYPE_F32, 2, 2, 3));
    given_port("ids", "tensor", tensor(DG_TYPE_I64, 1, 3, 0));
    given_port("n", "sym_int", (struct dg_arg){0});
    schedule.n_ranges = 2;
    ranges[0] = (struct dg_dimension_range){0, 1, "s0", 2, 8, 3};
    ranges[1] = (struct dg_dimension_range){1, 0, "s0", 2, 8, 3};
}

static void given_value(const char *name, bool named, struct dg_arg arg)
{
    values[set.n_values++] = (struct dg_named_value){name, arg, named};
}

static void given_good_values(void)
{
    given_value("in0", true, tensor(DG_TYPE_F32, 2, 2, 4));
    given_value("ids", true, tensor(DG_TYPE_I64, 1, 4, 0));
    given_value("in2", true, (struct dg_arg){DG_ARG_INT, {.integer = 7}});
}

static void end(void)
{
    dg_inputs_clear(&inputs);
    for (size_t i = 0; i < schedule.n_slots; i++)
        dg_arg_drop(&slots[i].initial);
    for (size_t i = 0; i < set.n_values; i++)
        dg_arg_drop(&values[i].value);
    begin();
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

static struct dg_expected expected(void)
{
    struct dg_expected expected;

    dg_expected_begin(&expected, &schedule, &set);
    return expected;
}

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

START_TEST(random_inputs_take_example_sizes_and_are_the_same_each_time)
{
    struct dg_inputs again;
    const struct dg_tensor *x, *y;

    given_program();
    dg_inputs_random(&inputs, &schedule, 3, &err);
    dg_inputs_random(&again, &schedule, 3, &err);
    ck_assert_str_eq(err.text, "");
    x = inputs.values[0].as.tensor;
    y = again.values[0].as.tensor;
    ck_assert_int_eq(x->sizes[1], 3);
    ck_assert_int_eq(inputs.values[1].as.tensor->sizes[0], 3);
    ck_assert(!memcmp(x->storage->bytes, y->storage->bytes, 24));
    ck_assert_str_eq(inputs.source, "random, seed 3");
    dg_inputs_clear(&again);
    dg_inputs_random(&again, &schedule, 4, &err);
    ck_assert(memcmp(x->storage->bytes, again.values[0].as.tensor->storage->bytes, 24));
    dg_inputs_clear(&again);
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

/* An int in its place would be an error of the first step. */
START_TEST(a_random_tensor_of_a_type_that_does_not_run_is_not_known)
{
    given_program();
    given_port("z", "tensor", (struct dg_arg){0});
    dg_inputs_random(&inputs, &schedule, 0, &err);
    ck_assert_str_eq(err.text, "");
    ck_assert_int_eq(inputs.values[2].kind, DG_ARG_INT);
    ck_assert_int_eq(inputs.values[3].kind, DG_ARG_UNKNOWN);
    ck_assert_int_eq(inputs.values[3].as.integer, -1);
    end();
}

START_TEST(random_floats_have_mean_0_and_variance_1)
{
    enum { COUNT = 10000 };
    double sum = 0, squares = 0;
    const float *x;

    begin();
    given_port("x", "tensor", tensor(DG_TYPE_F32, 1, COUNT, 0));
    dg_inputs_random(&inputs, &schedule, 0, &err);
    x = dg_tensor_data(inputs.values[0].as.tensor);
    for (int i = 0; i < COUNT; i++) {
        sum += (double)x[i];
        squares += (double)x[i] * (double)x[i];
    }
    ck_assert(sum / COUNT > -0.05 && sum / COUNT < 0.05);
    ck_assert(squares / COUNT > 0.95 && squares / COUNT < 1.05);
    end();
}

/* A step of `op` on slots; -1 - n is the number n. */
static void given_step(const char *op, int a, int b, int c, uint32_t result)
{
    size_t n = schedule.n_steps++;
    const int words[] = {a, b, c};

    for (int i = 0; i < 3; i++) {
        operands[n][i] = (struct dg_operand){.kind = DG_OPERAND_SLOT};
        if (words[i] >= 0)
            operands[n][i].slot = (uint32_t)words[i];
        else
            operands[n][i] = (struct dg_operand){
                .kind = DG_OPERAND_LITERAL,
                .literal = {DG_ARG_INT, {.integer = -1 - words[i]}}};
    }
    kernels[n].op = op;
    results[n] = result;
    steps[n] = (struct dg_step){.op = op,
                                .kernel = &kernels[n],
                                .args = operands[n],
                                .n_args = 3,
                                .results = &results[n],
                                .n_results = 1};
}

/* ids i64 [64]; slot 1 is a table of 4 rows, slots from 2 on are computed. */
static void given_table(void)
{
    begin();
    given_port("ids", "tensor", tensor(DG_TYPE_I64, 1, 64, 0));
    slots[1] = (struct dg_slot){.kind = DG_SLOT_CONSTANT,
                                .initial = tensor(DG_TYPE_F32, 2, 4, 2)};
    for (int i = 2; i < MOST; i++)
        slots[i] = (struct dg_slot){0};
    schedule.n_slots = MOST;
}

static void expect_between(int64_t least, int64_t most)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    const int64_t *ids;

    dg_inputs_random(&inputs, &schedule, 1, &err);
    ck_assert_str_eq(err.text, "");
    ids = dg_tensor_data(inputs.values[0].as.tensor);
    for (int i = 0; i < 64; i++) {
        low = ids[i] < low ? ids[i] : low;
        high = ids[i] > high ? ids[i] : high;
    }
    ck_assert_int_eq(low, least);
    ck_assert_int_eq(high, most);
    end();
}

START_TEST(integers_that_nothing_indexes_with_are_digits)
{
    given_table();
    expect_between(0, 9);
}

START_TEST(indices_stay_inside_of_the_table)
{
    given_table();
    given_step("aten::embedding", 1, 0, -1, 2);
    expect_between(0, 3);
}

START_TEST(indices_are_followed_through_casts_and_sums)
{
    given_table();
    given_step("aten::_to_copy", 0, -1, -1, 2);
    given_step("aten::add.Tensor", 2, -1 - 2, -1 - 1, 3);
    given_step("aten::gather", 1, -1 - 0, 3, 4);
    expect_between(0, 1);
}

START_TEST(indices_that_were_changed_stay_small)
{
    given_table();
    given_step("aten::mul.Tensor", 0, 0, -1, 2);
    given_step("aten::embedding", 1, 2, -1, 3);
    expect_between(0, 1);
}

START_TEST(integer_divisors_are_not_0)
{
    given_table();
    given_step("aten::remainder.Tensor", 1, 0, -1, 2);
    expect_between(1, 9);
}

START_TEST(comparisons_with_numbers_are_made_to_hold)
{
    given_table();
    given_step("aten::item", 0, -1, -1, 2);
    given_step("_operator.ge", 2, -1 - 2, -1, 3);
    given_step("_operator.le", 2, -1 - 4, -1, 4);
    expect_between(2, 4);
}

START_TEST(masks_are_0_or_1)
{
    given_table();
    ports[0].name = "attention_mask";
    expect_between(0, 1);
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
    tcase_add_test(of_set, expected_outputs_are_found_by_number_name_or_place);
    tcase_add_test(random, random_inputs_take_example_sizes_and_are_the_same_each_time);
    tcase_add_test(
        random,
        one_expected_value_is_of_the_user_and_two_have_the_mutated_input_in_front);
    tcase_add_test(random, expected_values_need_none_for_what_has_no_key);
    tcase_add_test(random, as_many_expected_values_as_neither_has_are_not_paired);
    tcase_add_test(random, a_random_tensor_of_a_type_that_does_not_run_is_not_known);
    tcase_add_test(random, random_floats_have_mean_0_and_variance_1);
    tcase_add_test(random, integers_that_nothing_indexes_with_are_digits);
    tcase_add_test(random, indices_stay_inside_of_the_table);
    tcase_add_test(random, indices_are_followed_through_casts_and_sums);
    tcase_add_test(random, indices_that_were_changed_stay_small);
    tcase_add_test(random, integer_divisors_are_not_0);
    tcase_add_test(random, comparisons_with_numbers_are_made_to_hold);
    tcase_add_test(random, masks_are_0_or_1);
    tcase_add_test(random, an_array_of_one_element_is_the_expected_number);
    suite_add_tcase(suite, of_set);
    suite_add_tcase(suite, random);
    return suite;
}
