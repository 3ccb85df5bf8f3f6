/* Views that show their memory more often than once: expanded, batched, overlapping. */
#include <math.h>
#include <string.h>

#include "exec/compare_parts.h"
#include "exec/run.h"
#include "formats/tensor_file.h"
#include "unit/evaluations.h"
#include "unit/small_program.h"
#include "unit/suite.h"

#define MANY "4398046511104" /* 2^42 */
static const int64_t many = INT64_C(1) << 42;

/* The values, shown `times` over in a dimension in front. */
static struct dg_arg repeated(const double *values, int64_t n, int64_t times)
{
    struct dg_tensor *one = tensor_of(DG_TYPE_F32, values, n);
    struct dg_tensor *view =
        dg_tensor_view(one, 2, (int64_t[]){times, n}, (int64_t[]){0, 1}, 0);

    dg_tensor_drop(one);
    return (struct dg_arg){DG_ARG_TENSOR, {.tensor = view}};
}

static struct dg_judgement judge_exact(const struct dg_arg *reference,
                                       const struct dg_arg *tested)
{
    struct dg_judgement judgement;

    dg_judge(&judgement,
             &(struct dg_evidence){.reference = reference, .tested = tested});
    return judgement;
}

START_TEST(what_is_repeated_is_judged_once_and_counts_as_often)
{
    struct dg_arg right = repeated((double[]){1, 2, 3}, 3, many);
    struct dg_arg same = repeated((double[]){1, 2, 3}, 3, many);
    struct dg_arg wrong = repeated((double[]){1, 2, 4}, 3, many);
    struct dg_judgement judgement = judge_exact(&right, &same);

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(judgement.metrics.compared, 3 * many);
    judgement = judge_exact(&right, &wrong);
    ck_assert_int_eq(judgement.verdict, DG_VERDICT_FAIL);
    ck_assert_str_eq(judgement.why,
                     "must be equal bit for bit: element 2 is 4, expected 3");
    ck_assert_int_eq(judgement.metrics.mismatches, many);
    ck_assert_double_eq_tol(judgement.metrics.rmse, sqrt(1. / 3), 1e-12);
    dg_arg_drop(&right);
    dg_arg_drop(&same);
    dg_arg_drop(&wrong);
}

/* [2,2,3] over [2,1,3]: elements 3 to 5 repeat 0 to 2. */
START_TEST(the_worst_element_is_counted_in_the_whole_shape)
{
    struct dg_tensor *a = tensor_of(DG_TYPE_F32, (double[]){1, 2, 3, 4, 5, 6}, 6);
    struct dg_tensor *b = tensor_of(DG_TYPE_F32, (double[]){1, 2, 3, 4, 9, 6}, 6);
    int64_t sizes[] = {2, 2, 3}, strides[] = {3, 0, 1};
    struct dg_tensor *views[] = {dg_tensor_view(a, 3, sizes, strides, 0),
                                 dg_tensor_view(b, 3, sizes, strides, 0)};
    struct dg_beyond beyond =
        dg_find_beyond(views[0], views[1], &(struct dg_nearness){.ulp = 1});
    struct dg_metrics metrics;

    dg_measure(&metrics, views[0], views[1]);
    ck_assert_int_eq(metrics.worst, 7);
    ck_assert_int_eq(metrics.count, 12);
    ck_assert_int_eq(metrics.mismatches, 2);
    ck_assert_int_eq(beyond.worst, 7);
    ck_assert_int_eq(beyond.count, 2);
    dg_tensor_drop(views[0]);
    dg_tensor_drop(views[1]);
    dg_tensor_drop(a);
    dg_tensor_drop(b);
}

START_TEST(what_one_of_two_repeats_is_held_to_each_element_of_the_other)
{
    struct dg_arg reference = repeated((double[]){1, 2}, 2, 3);
    struct dg_tensor *values = tensor_of(DG_TYPE_F32, (double[]){1, 2, 1, 2, 1, 5}, 6);
    struct dg_arg tested = {
        DG_ARG_TENSOR,
        {.tensor = dg_tensor_view(values, 2, (int64_t[]){3, 2}, (int64_t[]){2, 1}, 0)}};

    ck_assert_str_eq(judge_exact(&reference, &tested).why,
                     "must be equal bit for bit: element 5 is 5, expected 2");
    dg_tensor_drop(values);
    dg_arg_drop(&reference);
    dg_arg_drop(&tested);
}

/* Windows of `length` over `n` zeros, one element apart. */
static struct dg_arg windows(int64_t n, int64_t length)
{
    struct dg_error err = {0};
    struct dg_tensor *zeros = dg_tensor_new(&dg_host_memory, DG_TYPE_F32, 1, &n, &err);
    int64_t sizes[] = {n - length + 1, length}, strides[] = {1, 1};
    struct dg_tensor *view = dg_tensor_view(zeros, 2, sizes, strides, 0);

    memset(dg_tensor_data(zeros), 0, zeros->storage->size);
    dg_tensor_drop(zeros);
    return (struct dg_arg){DG_ARG_TENSOR, {.tensor = view}};
}

START_TEST(windows_are_judged_unless_that_would_take_for_ever)
{
    struct dg_arg few = windows(8, 3), endless = windows(1 << 20, 1 << 19);
    struct dg_judgement judgement = judge_exact(&few, &few);

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(judgement.metrics.compared, 18);
    judgement = judge_exact(&endless, &endless);
    ck_assert_int_eq(judgement.verdict, DG_VERDICT_SKIP);
    ck_assert(strstr(judgement.why, "the same memory over and over"));
    ck_assert(dg_same_bits(&endless, &endless));
    dg_arg_drop(&few);
    dg_arg_drop(&endless);
}

START_TEST(a_copy_takes_no_more_memory_than_what_is_shown)
{
    struct dg_arg given = repeated((double[]){1, 2, 3}, 3, many);
    struct dg_error err = {0};
    struct dg_tensor *copy = dg_copy_apart(&dg_host_memory, given.as.tensor, 1, &err);
    struct dg_arg kept = {DG_ARG_TENSOR, {.tensor = copy}};

    ck_assert_uint_eq(copy->storage->size, 3 * sizeof(float));
    ck_assert_ptr_ne(copy->storage, given.as.tensor->storage);
    ck_assert(dg_same_bits(&given, &kept));
    dg_arg_drop(&given);
    dg_arg_drop(&kept);
}

START_TEST(a_file_is_refused_that_would_repeat_more_than_there_is_memory)
{
    struct dg_named_value value = {
        .name = "out0", .value = repeated((double[]){1, 2, 3}, 3, many), .named = true};
    struct dg_error err = {0};

    dg_host_memory.limit = 1 << 20;
    ck_assert_int_eq(dg_npz_write("views.npz", &value, 1, &err), DG_ERR_FORMAT);
    dg_host_memory.limit = 0;
    ck_assert_str_eq(err.text, "out0: 52776558133248 bytes to write, which a view "
                               "repeats, are more than the memory that is left");
    dg_arg_drop(&value.value);
}

/* y = x.expand(2^42, 3)[0] + x, each node judged. */
START_TEST(a_run_that_judges_each_node_ends)
{
    struct dg_numeric_request request = {.n_threads = 1, .each = true, .seed = -1};
    struct dg_inputs inputs = {.values = program_inputs, .n_values = 1};
    struct dg_numeric_call call = {.inputs = &inputs};
    struct dg_numeric_answer answer;
    struct dg_error err = {0};

    program_begin();
    given_input(1, "x", "f32", "[3]");
    given_call(
        1, "all", "aten::expand.default",
        "[{\"name\":\"self\",\"tensor\":\"x\"},{\"name\":\"size\",\"ints\":[" MANY
        ",3]}]",
        "x");
    given_call(1, "first", "aten::select.int",
               "[{\"name\":\"self\",\"tensor\":\"all\"},{\"name\":\"dim\",\"int\":0},"
               "{\"name\":\"index\",\"int\":0}]",
               "all");
    given_call(1, "y", "aten::add.Tensor", TWO("first", "x"), "first x");
    given_output(1, "[]", "");
    given_signature("output", "y", "user_output", NULL);
    given_signature("output", "all", "user_output", NULL);
    plan_program();
    give_floats(0, 1, (int64_t[]){3}, (float[]){1, 2, 3});
    request.store = rules_store;
    request.schedule = &program_plan;
    ck_assert_msg(!dg_numeric_run(&answer, &request, &call, 1, &err), "%s", err.text);
    ck_assert_uint_eq(answer.n_steps, 3);
    ck_assert_int_eq(answer.counts[DG_VERDICT_PASS], 2);
    ck_assert_str_eq(answer.steps[0].shape, "[" MANY ",3]");
    ck_assert_int_eq(answer.steps[0].judgement.verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(answer.steps[0].judgement.metrics.count, 3 * many);
    dg_numeric_clear(&answer);
    program_end();
}

Suite *judge_views_suite(void)
{
    Suite *suite = suite_create("judge_views");
    TCase *views = tcase_create("views");

    tcase_add_test(views, what_is_repeated_is_judged_once_and_counts_as_often);
    tcase_add_test(views, the_worst_element_is_counted_in_the_whole_shape);
    tcase_add_test(views, what_one_of_two_repeats_is_held_to_each_element_of_the_other);
    tcase_add_test(views, windows_are_judged_unless_that_would_take_for_ever);
    tcase_add_test(views, a_copy_takes_no_more_memory_than_what_is_shown);
    tcase_add_test(views,
                   a_file_is_refused_that_would_repeat_more_than_there_is_memory);
    tcase_add_test(views, a_run_that_judges_each_node_ends);
    suite_add_tcase(suite, views);
    return suite;
}
