/* Inputs that are made up where none are given. */
#include "unit/input_case.h"

static struct dg_operand operands[MOST][4];
static uint32_t results[MOST];
static struct dg_kernel kernels[MOST];

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

Suite *random_inputs_suite(void)
{
    Suite *suite = suite_create("random_inputs");
    TCase *of_set = tcase_create("set"), *random = tcase_create("random");
    tcase_add_test(random, random_inputs_take_example_sizes_and_are_the_same_each_time);
    tcase_add_test(random, a_random_tensor_of_a_type_that_does_not_run_is_not_known);
    tcase_add_test(random, random_floats_have_mean_0_and_variance_1);
    tcase_add_test(random, integers_that_nothing_indexes_with_are_digits);
    tcase_add_test(random, indices_stay_inside_of_the_table);
    tcase_add_test(random, indices_are_followed_through_casts_and_sums);
    tcase_add_test(random, indices_that_were_changed_stay_small);
    tcase_add_test(random, integer_divisors_are_not_0);
    tcase_add_test(random, comparisons_with_numbers_are_made_to_hold);
    tcase_add_test(random, masks_are_0_or_1);
    suite_add_tcase(suite, of_set);
    suite_add_tcase(suite, random);
    return suite;
}
