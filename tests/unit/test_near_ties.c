/* What programs that were decomposed quantize in several steps. */
#include <string.h>

#include "exec/schedule_fx.h"
#include "unit/suite.h"

enum { INPUT, SHAPED, LEAST, SCALED, ROUNDED, N_SLOTS };

/* The range of the input in another shape; the input times a number; rounded. */
static struct {
    struct dg_schedule schedule;
    struct dg_step steps[N_SLOTS - 1];
    struct dg_operand args[N_SLOTS - 1][2];
    uint32_t results[N_SLOTS - 1];
    struct dg_slot slots[N_SLOTS];
    struct dg_io input;
} program;

static void add(const char *op, uint32_t first, uint32_t second)
{
    size_t i = program.schedule.n_steps++;

    program.args[i][0] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = first};
    program.args[i][1] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = second};
    program.results[i] = (uint32_t)i + 1;
    program.steps[i] = (struct dg_step){.kind = DG_STEP_CALL,
                                        .op = op,
                                        .kernel = dg_kernel_find(op),
                                        .args = program.args[i],
                                        .n_args = 2,
                                        .results = &program.results[i],
                                        .n_results = 1};
    ck_assert_msg(program.steps[i].kernel != NULL, "%s has no kernel", op);
}

/* `scaled`: what is divided by the range, and rounded. Which steps quantize, a letter
 * each. */
static const char *found(const char *range, uint32_t scaled, const char *rounding)
{
    static char letters[N_SLOTS];

    memset(&program, 0, sizeof(program));
    program.input = (struct dg_io){.spec = "user_input", .slot = INPUT};
    program.schedule = (struct dg_schedule){.steps = program.steps,
                                            .slots = program.slots,
                                            .n_slots = N_SLOTS,
                                            .inputs = &program.input,
                                            .n_inputs = 1};
    add("aten::view", INPUT, INPUT);
    add(range, SHAPED, SHAPED);
    add("aten::div.Tensor", scaled, LEAST);
    add(rounding, SCALED, SCALED);
    dg_fx_find_near_ties(&program.schedule);
    for (size_t i = 0; i < program.schedule.n_steps; i++)
        letters[i] = program.steps[i].quantizes ? 'q' : '-';
    return letters;
}

START_TEST(what_is_scaled_by_its_range_and_rounded_is_quantized)
{
    ck_assert_str_eq(found("aten::amin", INPUT, "aten::round"), "-q-q");
    ck_assert_str_eq(found("aten::amax", SHAPED, "aten::round"), "-q-q");
}
END_TEST

/* A zero point is made of the range, a fraction of anything else. */
START_TEST(what_is_rounded_otherwise_is_not_quantized)
{
    ck_assert_str_eq(found("aten::amin", LEAST, "aten::round"), "----");
    ck_assert_str_eq(found("aten::sum.dim_IntList", INPUT, "aten::round"), "----");
    ck_assert_str_eq(found("aten::amin", INPUT, "aten::floor"), "----");
}
END_TEST

enum grid { OWN_GRID, SAME_RANGE, WIDER_RANGE };

/* The elements of what `op` makes of 0.25, 0.45, 0.4995 and 0.8. */
static void expect(const char *op, bool quantizes, enum grid grid, size_t n,
                   const float *wanted)
{
    static const float values[] = {0.25F, 0.45F, 0.4995F, 0.8F};
    static const int64_t size = 4;
    struct dg_error err = {0};
    struct dg_arena scratch = {0};
    struct dg_context context = {.memory = &dg_host_memory,
                                 .scratch = &scratch,
                                 .n_threads = 1,
                                 .precision = DG_PRECISION_OWN_SUMS,
                                 .other_grid = grid != OWN_GRID,
                                 .wider = grid == WIDER_RANGE ? 0.03125 : 0};
    struct dg_arg args[] = {
        {DG_ARG_TENSOR, {.tensor = dg_tensor_over(DG_TYPE_F32, 1, &size, values)}},
        {DG_ARG_LIST, {.list = {NULL, 0}}},
        {DG_ARG_BOOL, {.integer = 0}}};
    struct dg_arg result = {0};
    struct dg_call call = {.op = op,
                           .args = args,
                           .n_args = n == 4 ? 1 : 3,
                           .results = &result,
                           .n_results = 1,
                           .context = &context,
                           .err = &err,
                           .quantizes = quantizes};

    ck_assert_msg(!dg_kernel_run(dg_kernel_find(op), &call), "%s", err.text);
    for (size_t i = 0; i < n; i++)
        ck_assert_float_eq(((float *)dg_tensor_data(result.as.tensor))[i], wanted[i]);
    dg_arg_drop(&result);
    dg_arg_drop(&args[0]);
    dg_arena_clear(&scratch);
}

#define VALUES(...)                                                                    \
    sizeof((float[]){__VA_ARGS__}) / sizeof(float), (float[])                          \
    {                                                                                  \
        __VA_ARGS__                                                                    \
    }

START_TEST(what_quantizes_rounds_to_the_other_code_on_another_grid)
{
    expect("aten::round", true, WIDER_RANGE, VALUES(0, 1, 1, 1));
    expect("aten::round", true, OWN_GRID, VALUES(0, 0, 0, 1));
    expect("aten::round", false, WIDER_RANGE, VALUES(0, 0, 0, 1));
}
END_TEST

START_TEST(in_the_same_range_only_the_nearest_go_to_the_other_code)
{
    expect("aten::round", true, SAME_RANGE, VALUES(0, 0, 1, 1));
    expect("aten::round", false, SAME_RANGE, VALUES(0, 0, 0, 1));
    expect("aten::amax", true, SAME_RANGE, VALUES(0.8F));
}
END_TEST

START_TEST(what_quantizes_finds_a_wider_range_on_another_grid)
{
    expect("aten::amax", true, WIDER_RANGE, VALUES(0.8F * 1.03125F));
    expect("aten::amin", true, WIDER_RANGE, VALUES(0.25F * 1.03125F));
    expect("aten::amin", true, OWN_GRID, VALUES(0.25F));
    expect("aten::amax", false, WIDER_RANGE, VALUES(0.8F));
}
END_TEST

Suite *near_ties_suite(void)
{
    Suite *suite = suite_create("near_ties");
    TCase *all = tcase_create("all");

    tcase_add_test(all, what_is_scaled_by_its_range_and_rounded_is_quantized);
    tcase_add_test(all, what_is_rounded_otherwise_is_not_quantized);
    tcase_add_test(all, what_quantizes_rounds_to_the_other_code_on_another_grid);
    tcase_add_test(all, in_the_same_range_only_the_nearest_go_to_the_other_code);
    tcase_add_test(all, what_quantizes_finds_a_wider_range_on_another_grid);
    suite_add_tcase(suite, all);
    return suite;
}
