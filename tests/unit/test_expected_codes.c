/* Values that something else gave, of a program that quantizes as soon as values are
 * known: other codes near ties, and nothing else. */
#include "exec/run.h"
#include "formats/tensor_file.h"
#include "unit/evaluations.h"
#include "unit/small_program.h"

enum { ROW = 4 };

#define ITEM(i) "[{\"name\":\"\",\"tensor\":\"range\"},{\"name\":\"\",\"int\":" i "}]"
#define NUMBERS                                                                        \
    "{\"name\":\"quant_min\",\"int\":-128},{\"name\":\"quant_max\",\"int\":127},"
#define CHAR "{\"name\":\"dtype\",\"scalar_type\":2}]"
#define BY_RANGE(from)                                                                 \
    "[{\"name\":\"input\",\"tensor\":\"" from                                          \
    "\"},{\"name\":\"scale\",\"tensor\":\"scale\"},"                                   \
    "{\"name\":\"zero_point\",\"tensor\":\"zero\"}," NUMBERS CHAR

/* y: x on the grid of its range, which is 0 to 255 in steps of 1; z: twice x. */
static void given_program(void)
{
    program_begin();
    given_input(1, "x", "f32", "[4]");
    given_tuple(1, "range", "quantized_decomposed::choose_qparams.tensor",
                "[{\"name\":\"input\",\"tensor\":\"x\"}," NUMBERS
                "{\"name\":\"eps\",\"float\":1e-05}," CHAR,
                "x");
    given_call(1, "scale", "_operator.getitem", ITEM("0"), "range");
    given_call(1, "zero", "_operator.getitem", ITEM("1"), "range");
    given_call(1, "codes", "quantized_decomposed::quantize_per_tensor.tensor",
               BY_RANGE("x"), "x scale zero");
    given_call(1, "y", "quantized_decomposed::dequantize_per_tensor.tensor",
               BY_RANGE("codes"), "codes scale zero");
    given_call(1, "z", "aten::mul.Tensor", BY("x", "2"), "x");
    given_output(1, "[]", "");
    given_signature("output", "y", "user_output", NULL);
    given_signature("output", "z", "user_output", NULL);
    plan_program();
}

static struct dg_named_value named(const char *name, const double *values)
{
    return (struct dg_named_value){
        name, {DG_ARG_TENSOR, {.tensor = tensor_of(DG_TYPE_F32, values, ROW)}}, true};
}

/* How many outputs pass where y is said to be that, and z twice x plus `more`. */
static int64_t n_passing(const float *x, const double *y, double more)
{
    const double z[] = {2 * (double)x[0] + more, 2 * (double)x[1] + more,
                        2 * (double)x[2] + more, 2 * (double)x[3] + more};
    struct dg_inputs inputs = {.values = program_inputs, .n_values = 1};
    struct dg_named_value values[] = {named("out0", y), named("out1", z)};
    struct dg_value_set set = {.values = values, .n_values = 2};
    struct dg_numeric_call call = {.inputs = &inputs, .expected = &set};
    struct dg_numeric_request request = {
        .schedule = &program_plan, .n_threads = 1, .seed = -1};
    struct dg_numeric_answer answer;
    struct dg_error err = {0};
    int64_t n;

    given_program();
    give_floats(0, 1, (int64_t[]){ROW}, x);
    request.store = rules_store;
    ck_assert_msg(!dg_numeric_run(&answer, &request, &call, 1, &err), "%s", err.text);
    n = answer.counts[DG_VERDICT_PASS];
    ck_assert_msg(n + answer.counts[DG_VERDICT_FAIL] == 2, "%s",
                  answer.results[answer.n_results - 1].judgement.why);
    dg_numeric_clear(&answer);
    dg_arg_drop(&values[0].value);
    dg_arg_drop(&values[1].value);
    program_end();
    return n;
}

static const float near_tie[] = {0, 255, 100.4998F, 20.25F};

START_TEST(what_is_near_a_tie_may_have_the_other_code)
{
    ck_assert_int_eq(n_passing(near_tie, (double[]){0, 255, 100, 20}, 0), 2);
    ck_assert_int_eq(n_passing(near_tie, (double[]){0, 255, 101, 20}, 0), 2);
    ck_assert_int_eq(n_passing(near_tie, (double[]){0, 255, 104, 20}, 0), 1);
}

START_TEST(what_is_near_no_tie_has_its_own_code)
{
    const float far[] = {0, 255, 100.49F, 20.25F};

    ck_assert_int_eq(n_passing(far, (double[]){0, 255, 101, 20}, 0), 1);
    ck_assert_int_eq(n_passing(near_tie, (double[]){0, 255, 100, 21}, 0), 1);
    ck_assert_int_eq(n_passing(near_tie, (double[]){0, 255, 101, 21}, 0), 1);
}

START_TEST(what_no_code_leads_to_is_held_to_what_it_was_held_to)
{
    ck_assert_int_eq(n_passing(near_tie, (double[]){0, 255, 101, 20}, 0.01), 1);
}

Suite *expected_codes_suite(void)
{
    Suite *suite = suite_create("expected_codes");
    TCase *all = tcase_create("all");

    tcase_add_test(all, what_is_near_a_tie_may_have_the_other_code);
    tcase_add_test(all, what_is_near_no_tie_has_its_own_code);
    tcase_add_test(all, what_no_code_leads_to_is_held_to_what_it_was_held_to);
    suite_add_tcase(suite, all);
    return suite;
}
