/* Programs whose wide evaluation takes the exact sums of the reference, against the
 * same evaluation alone. */
#include "unit/pte_schedule.h"

#include <math.h>

#include "exec/call_linear.h"
#include "exec/run.h"

static struct dg_schedule apart;
static struct dg_linear_sums shared;
static struct dg_machine beside;

static const struct {
    const char *name;
    int least; /* steps that share sums */
} programs[] = {
    {"bert_xnnpack.pte", 10},
    {"resnet_xnnpack.pte", 3},
    {"mobilenet_v3_xnnpack.pte", 10},
    {"llama_xnnpack.pte", 5},
};
enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]), ELEMENTS_MOST = 1 << 16 };

static void open_beside(struct dg_machine *opened, enum dg_precision precision,
                        struct dg_linear_sums *sums)
{
    dg_machine_open(opened, &apart, NULL, precision, 2, &err);
    opened->linear_sums = sums;
    dg_machine_begin(opened, inputs.values, &err);
    ck_assert_str_eq(err.text, "");
}

/* How many steps the wide evaluation took the sums of. */
static int run_side_by_side(void)
{
    int n = 0;

    for (uint32_t i = 0, next; i < apart.n_steps; i++) {
        bool left;

        ck_assert(!dg_machine_step(&beside, i, &next, &err));
        left = shared.step == &apart.steps[i] && shared.sums;
        ck_assert(!dg_machine_step(&machine, i, &next, &err));
        n += left && !shared.step;
    }
    return n;
}

START_TEST(the_wide_evaluation_of_a_program_is_that_of_f64)
{
    static double got[ELEMENTS_MOST], want[ELEMENTS_MOST];
    double largest = 0;
    int64_t n;

    open_file(programs[_i].name);
    make_plan();
    dg_schedule_apart(&apart, &schedule);
    dg_inputs_random(&inputs, &apart, 1, &err);
    open_beside(&beside, DG_PRECISION_EXACT_SUMS, &shared);
    open_beside(&machine, DG_PRECISION_WIDE, &shared);
    ck_assert_int_ge(run_side_by_side(), programs[_i].least);
    n = read_output(0, got);
    dg_machine_close(&machine);
    open_beside(&machine, DG_PRECISION_WIDE, NULL);
    ck_assert(!dg_machine_run(&machine, &err));
    ck_assert_int_eq(read_output(0, want), n);
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(want[i]));
    for (int64_t i = 0; i < n; i++)
        ck_assert_double_le(fabs(got[i] - want[i]), 1e-11 * largest);
    dg_machine_close(&beside);
    dg_linear_sums_clear(&shared);
    end();
    dg_schedule_clear(&apart);
    ck_assert_uint_eq(dg_host_memory.used, 0);
}

/* The program judged by itself, where tensors may take `limit` bytes; the most that
 * they took. */
static uint64_t judge(struct dg_judgement *judgement, uint64_t limit)
{
    struct dg_numeric_request request = {
        .schedule = &schedule, .store = input.store, .n_threads = 1, .seed = -1};
    struct dg_numeric_call numeric_call = {.inputs = &inputs};
    struct dg_numeric_answer answer;
    uint64_t most;

    dg_host_memory.peak = dg_host_memory.used;
    dg_host_memory.limit = limit;
    ck_assert_msg(!dg_numeric_run(&answer, &request, &numeric_call, 1, &err), "%s",
                  err.text);
    most = answer.peak_bytes;
    *judgement = answer.results[0].judgement;
    dg_numeric_clear(&answer);
    dg_host_memory.limit = 0;
    return most;
}

START_TEST(evaluations_without_room_beside_the_reference_come_behind_it)
{
    struct dg_judgement beside, behind;
    uint64_t most;

    open_file("mobilenet_v3_xnnpack.pte");
    make_plan();
    dg_inputs_random(&inputs, &schedule, 1, &err);
    most = judge(&beside, 0);
    ck_assert_uint_lt(judge(&behind, most), most);
    ck_assert_int_eq(beside.verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(behind.verdict, DG_VERDICT_PASS);
    ck_assert_double_eq_tol(behind.floor, beside.floor, 1e-5 * beside.floor);
    ck_assert_double_eq_tol(behind.error, beside.error, 1e-5 * beside.error);
    end();
}

Suite *linear_programs_suite(void)
{
    Suite *suite = suite_create("linear_programs");
    TCase *tc = tcase_create("linear_programs");

    tcase_add_loop_test(tc, the_wide_evaluation_of_a_program_is_that_of_f64, 0,
                        N_PROGRAMS);
    tcase_add_test(tc, evaluations_without_room_beside_the_reference_come_behind_it);
    suite_add_tcase(suite, tc);
    return suite;
}
