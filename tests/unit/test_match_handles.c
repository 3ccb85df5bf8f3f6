/* Nodes inside of delegates by their debug handles, and lists that get shorter. */
#include <math.h>
#include <string.h>

#include "exec/run_parts.h"
#include "kernels/xnnpack.h"
#include "unit/suite.h"

enum { MOST = 12 };

/* A chain: step i reads slot i and gives slot i + 1. The first slot is the input. */
static struct chain {
    struct dg_schedule schedule;
    struct dg_step steps[MOST];
    struct dg_slot slots[2 * MOST + 1];
    struct dg_operand args[MOST], weighed[MOST][2];
    uint32_t results[MOST];
    struct dg_xnn_step nodes[MOST];
    struct dg_xnn_operand operands[MOST];
    struct dg_io input, output;
} program, lowered;

static void begin(struct chain *chain, bool is_pte)
{
    memset(chain, 0, sizeof(*chain));
    chain->input = (struct dg_io){.spec = "user_input"};
    chain->output = (struct dg_io){.spec = "user_output"};
    chain->schedule = (struct dg_schedule){.is_pte = is_pte,
                                           .steps = chain->steps,
                                           .slots = chain->slots,
                                           .inputs = &chain->input,
                                           .outputs = &chain->output,
                                           .n_inputs = 1,
                                           .n_outputs = 1,
                                           .n_slots = 1};
}

static struct dg_step *add(struct chain *chain)
{
    struct dg_schedule *schedule = &chain->schedule;
    size_t i = schedule->n_steps++;
    struct dg_step *step = &chain->steps[i];

    chain->args[i] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = (uint32_t)i};
    chain->results[i] = (uint32_t)i + 1;
    *step = (struct dg_step){.kind = DG_STEP_CALL,
                             .args = &chain->args[i],
                             .n_args = 1,
                             .results = &chain->results[i],
                             .n_results = 1};
    chain->output.slot = (uint32_t)++schedule->n_slots - 1;
    return step;
}

static void add_op(const char *op)
{
    struct dg_step *step = add(&program);

    step->name = step->op = op;
    step->kernel = dg_kernel_find(op);
    ck_assert_msg(step->kernel != NULL, "%s has no kernel", op);
}

static struct dg_xnn_step *add_node(const char *kind, uint32_t handle)
{
    size_t i = lowered.schedule.n_steps;
    struct dg_step *step = add(&lowered);
    struct dg_xnn_step *node = &lowered.nodes[i];

    node->node.op = dg_text(kind);
    node->kernel = dg_xnn_kernel(node->node.op);
    node->least = -INFINITY;
    node->most = INFINITY;
    node->outputs[0] = &lowered.operands[i];
    node->n_outputs = 1;
    step->name = step->op = kind;
    step->kernel = &node->kernel->kernel;
    step->xnnpack = node;
    step->handle = handle;
    return node;
}

/* Of one element; when all steps are there. */
static void add_weight(struct chain *chain, size_t i, const float *weight)
{
    static const int64_t sizes[] = {1, 1};
    struct dg_schedule *schedule = &chain->schedule;
    struct dg_slot *slot = &chain->slots[schedule->n_slots];
    struct dg_tensor *tensor = dg_tensor_over(DG_TYPE_F32, 2, sizes, weight);

    *slot = (struct dg_slot){.kind = DG_SLOT_CONSTANT,
                             .initial = {DG_ARG_TENSOR, {.tensor = tensor}}};
    chain->weighed[i][0] = chain->args[i];
    chain->weighed[i][1] = (struct dg_operand){.kind = DG_OPERAND_SLOT,
                                               .slot = (uint32_t)schedule->n_slots++};
    chain->steps[i].args = chain->weighed[i];
    chain->steps[i].n_args = 2;
}

static void drop_weights(struct chain *chain)
{
    for (size_t i = 0; i < chain->schedule.n_slots; i++)
        dg_arg_drop(&chain->slots[i].initial);
}

/* Which node each step of the program is, as digits; '-': none. */
static void expect(const char *wanted)
{
    struct dg_matching matching = {0};
    struct dg_arena memory = {0};
    struct dg_error err = {0};
    char got[MOST + 1] = "";

    ck_assert_int_eq(
        dg_match(&matching, &program.schedule, &lowered.schedule, &memory, &err),
        DG_OK);
    for (size_t i = 0; i < program.schedule.n_steps; i++)
        got[i] =
            matching.steps[i] == DG_NO_STEP ? '-' : (char)('0' + matching.steps[i]);
    ck_assert_str_eq(got, wanted);
    dg_arena_clear(&memory);
}

static void begin_both(void)
{
    begin(&program, false);
    begin(&lowered, true);
}

START_TEST(handles_number_the_steps_of_the_program)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_op("aten::sigmoid");
    add_node("Sigmoid", 1);
    add_node("Tanh", 2);
    add_node("Sigmoid", 3);
    expect("012");
}

START_TEST(steps_that_lowering_left_out_have_no_number)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::clone");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_node("Tanh", 2);
    expect("0-1");
}

START_TEST(an_activation_that_became_bounds_is_what_its_node_gives)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_op("aten::tanh");
    add_node("FullyConnected", 1)->least = 0;
    add_node("Tanh", 3);
    expect("-01");
}

START_TEST(an_activation_is_taken_once)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_op("aten::clamp");
    add_op("aten::tanh");
    add_node("FullyConnected", 1)->least = 0;
    add_node("Tanh", 4);
    expect("-0-1");
}

START_TEST(an_activation_that_another_node_stands_for_is_not_taken)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_node("FullyConnected", 1)->least = 0;
    add_node("Clamp", 2)->least = 0;
    expect("01");
}

START_TEST(a_check_of_a_value_has_a_number_and_one_of_a_tensor_has_none)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::clone");
    program.steps[1].kernel = NULL;
    program.steps[1].op = "aten::_assert_tensor_metadata.default";
    add_op("aten::clone");
    program.steps[2].kernel = NULL;
    program.steps[2].op = "aten::_assert_scalar.default";
    add_op("aten::tanh");
    program.args[2].slot = program.args[3].slot = 1;
    add_node("Sigmoid", 1);
    add_node("Tanh", 3);
    expect("0--1");
}

START_TEST(equal_weights_tell_which_step_is_gone)
{
    static const float weights[] = {1, 2, 3};

    begin_both();
    add_op("aten::linear");
    add_op("aten::linear");
    add_op("aten::linear");
    add_node("FullyConnected", 1);
    add_node("FullyConnected", 2);
    for (size_t i = 0; i < 3; i++)
        add_weight(&program, i, &weights[i]);
    add_weight(&lowered, 0, &weights[0]);
    add_weight(&lowered, 1, &weights[2]);
    expect("0-1");
    drop_weights(&program);
    drop_weights(&lowered);
}

START_TEST(an_activation_of_its_own_is_not_taken_up)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_node("FullyConnected", 1);
    add_node("Clamp", 2)->least = 0;
    expect("01");
}

START_TEST(a_norm_is_part_of_the_convolution_before_it)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::batch_norm");
    add_node("StaticTranspose", 0);
    add_node("Conv2d", 1);
    add_node("StaticTranspose", 0);
    expect("-1");
}

START_TEST(what_an_operator_was_taken_apart_into_ends_with_its_last_node)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::silu");
    add_op("aten::tanh");
    add_node("Tanh", 1);
    add_node("Sigmoid", 2);
    add_node("Multiply", 2);
    add_node("Tanh", 3);
    expect("023");
}

START_TEST(what_may_go_on_outside_is_not_matched)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::silu");
    add_node("Tanh", 1);
    add_node("Sigmoid", 2);
    expect("0-");
}

START_TEST(a_node_without_a_number_is_found_by_what_it_reads)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::batch_norm");
    add_op("aten::sigmoid");
    add_node("Tanh", 1);
    add_node("StaticTranspose", 0);
    add_node("DepthwiseConv2d", 0);
    add_node("Sigmoid", 3);
    expect("023");
}

START_TEST(codes_are_not_held_to_floats)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::sigmoid");
    add_node("Tanh", 1);
    lowered.operands[0].quantized = DG_XNN_BY_TENSOR;
    add_node("Sigmoid", 2);
    expect("-1");
}

static struct dg_step *last_step(void)
{
    return &program.steps[program.schedule.n_steps - 1];
}

/* What came from node `origin` of the first export. */
static void add_op_of(const char *op, uint32_t origin)
{
    add_op(op);
    last_step()->origin = origin;
}

/* On the grid that nodes have that give codes. */
static void add_quantize(uint32_t origin)
{
    static struct dg_operand args[MOST][3];
    size_t i = program.schedule.n_steps;

    add_op_of("quantized_decomposed::quantize_per_tensor", origin);
    args[i][0] = program.args[i];
    args[i][1] = (struct dg_operand){.kind = DG_OPERAND_LITERAL,
                                     .literal = {DG_ARG_FLOAT, {.real = 0.5}}};
    args[i][2] = (struct dg_operand){.kind = DG_OPERAND_LITERAL,
                                     .literal = {DG_ARG_INT, {.integer = 3}}};
    last_step()->args = args[i];
    last_step()->n_args = 3;
}

static void add_dequantize(uint32_t origin)
{
    add_op_of("quantized_decomposed::dequantize_per_tensor", origin);
}

static void add_codes(const char *kind, uint32_t handle)
{
    struct dg_xnn_operand *operand = &lowered.operands[lowered.schedule.n_steps];

    add_node(kind, handle);
    operand->quantized = DG_XNN_BY_TENSOR;
    operand->scale = 0.5F;
    operand->zero_point = 3;
}

/* Linear, then a product, in codes: the sum stays inside, the product comes out. */
START_TEST(what_came_from_one_node_has_one_number)
{
    begin_both();
    add_quantize(1);
    add_dequantize(1);
    add_op_of("aten::linear", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::mul.Tensor", 3);
    add_quantize(3);
    add_dequantize(3);
    add_codes("Convert", 1);
    add_codes("FullyConnected", 2);
    add_codes("Multiply", 3);
    add_node("Convert", 3);
    expect("0--1---3");
}

START_TEST(floats_of_codes_are_not_held_to_what_was_not_rounded)
{
    begin_both();
    add_quantize(1);
    add_dequantize(1);
    add_op_of("aten::linear", 2);
    add_op_of("aten::sin", 3);
    add_codes("Convert", 1);
    add_codes("FullyConnected", 2);
    add_node("Convert", 2);
    expect("0---");
}

/* Lowered from another export, which had three nodes where this one had one. */
START_TEST(steps_have_numbers_of_their_own_where_that_fits_better)
{
    static const float first = 2, second = 3;

    begin_both();
    add_op_of("aten::tanh", 1);
    add_op_of("aten::tanh", 1);
    add_op_of("aten::tanh", 1);
    add_op_of("aten::linear", 2);
    add_op_of("aten::linear", 3);
    add_node("Tanh", 1);
    add_node("Tanh", 2);
    add_node("Tanh", 3);
    add_node("FullyConnected", 4);
    add_node("FullyConnected", 5);
    add_weight(&program, 3, &first);
    add_weight(&program, 4, &second);
    add_weight(&lowered, 3, &first);
    add_weight(&lowered, 4, &second);
    expect("01234");
    drop_weights(&program);
    drop_weights(&lowered);
}

/* A size that lowering asks for, and gives a number to. */
static void add_size(struct chain *chain)
{
    struct dg_step *step = add(chain);

    step->name = step->op = "aten::sym_size.int";
    step->kernel = dg_kernel_find(step->op);
    step->kind = DG_STEP_CALL;
}

START_TEST(sizes_that_lowering_added_have_the_first_numbers)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_size(&lowered);
    add_node("Sigmoid", 2);
    add_node("Tanh", 3);
    expect("12");
}

START_TEST(sizes_that_lowering_added_have_numbers_between_others)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_size(&lowered);
    add_node("Tanh", 3);
    expect("02");
}

START_TEST(sizes_that_the_program_asks_for_shift_no_number)
{
    begin_both();
    add_op("aten::sigmoid");
    add_size(&program);
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_size(&lowered);
    add_node("Tanh", 3);
    expect("012");
}

START_TEST(two_numbers_never_stand_for_one_step)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_size(&lowered);
    add_node("Sigmoid", 2);
    expect("0-");
}

/* A list of up to 4 items, into which one is put. */
static int64_t length_after(int64_t index, bool fixed)
{
    static const int64_t list[] = {4, 1}, item[] = {1};
    static const float number = 7;
    struct dg_operand args[] = {
        {.kind = DG_OPERAND_SLOT, .slot = 0},
        {.kind = DG_OPERAND_SLOT, .slot = 1},
        {.kind = DG_OPERAND_LITERAL, .literal = {DG_ARG_INT, {.integer = index}}}};
    struct dg_slot slots[2] = {
        {.kind = DG_SLOT_COMPUTED, .name = "list", .arena = -1, .zeros = true},
        {.kind = DG_SLOT_CONSTANT, .name = "item", .arena = -1}};
    struct dg_step step = {.kind = DG_STEP_CALL,
                           .name = "op_0",
                           .op = "executorch_prim::et_copy_index.tensor",
                           .args = args,
                           .n_args = 3};
    struct dg_schedule schedule = {.is_pte = true,
                                   .slots = slots,
                                   .n_slots = 2,
                                   .steps = &step,
                                   .n_steps = 1,
                                   .n_schedules = 1};
    struct dg_machine machine;
    struct dg_arg value = {0};
    struct dg_error err = {0};
    int64_t length;

    step.kernel = dg_resolve(step.op).kernel;
    slots[0].fixed = fixed;
    slots[0].initial = (struct dg_arg){
        DG_ARG_TENSOR, {.tensor = dg_tensor_over(DG_TYPE_F32, 2, list, NULL)}};
    slots[1].initial = (struct dg_arg){
        DG_ARG_TENSOR, {.tensor = dg_tensor_over(DG_TYPE_F32, 1, item, &number)}};
    ck_assert_msg(
        !dg_machine_open(&machine, &schedule, NULL, DG_PRECISION_EXACT_SUMS, 1, &err) &&
            !dg_machine_begin(&machine, NULL, &err) &&
            !dg_machine_run(&machine, &err) &&
            !dg_machine_read(&machine, 0, &value, &err),
        "%s", err.text);
    length = value.as.tensor->sizes[0];
    dg_arg_drop(&value);
    dg_machine_close(&machine);
    dg_arg_drop(&slots[0].initial);
    dg_arg_drop(&slots[1].initial);
    return length;
}

START_TEST(a_list_of_no_static_size_ends_with_the_item_put_into_it)
{
    ck_assert_int_eq(length_after(1, false), 2);
    ck_assert_int_eq(length_after(0, false), 1);
    ck_assert_int_eq(length_after(1, true), 4);
}

Suite *match_handles_suite(void)
{
    Suite *suite = suite_create("match handles");
    TCase *all = tcase_create("all");

    tcase_add_test(all, handles_number_the_steps_of_the_program);
    tcase_add_test(all, steps_that_lowering_left_out_have_no_number);
    tcase_add_test(all, an_activation_that_became_bounds_is_what_its_node_gives);
    tcase_add_test(all, an_activation_is_taken_once);
    tcase_add_test(all, an_activation_that_another_node_stands_for_is_not_taken);
    tcase_add_test(all, a_check_of_a_value_has_a_number_and_one_of_a_tensor_has_none);
    tcase_add_test(all, equal_weights_tell_which_step_is_gone);
    tcase_add_test(all, an_activation_of_its_own_is_not_taken_up);
    tcase_add_test(all, a_norm_is_part_of_the_convolution_before_it);
    tcase_add_test(all, what_an_operator_was_taken_apart_into_ends_with_its_last_node);
    tcase_add_test(all, what_may_go_on_outside_is_not_matched);
    tcase_add_test(all, a_node_without_a_number_is_found_by_what_it_reads);
    tcase_add_test(all, codes_are_not_held_to_floats);
    tcase_add_test(all, what_came_from_one_node_has_one_number);
    tcase_add_test(all, floats_of_codes_are_not_held_to_what_was_not_rounded);
    tcase_add_test(all, steps_have_numbers_of_their_own_where_that_fits_better);
    tcase_add_test(all, sizes_that_lowering_added_have_the_first_numbers);
    tcase_add_test(all, sizes_that_lowering_added_have_numbers_between_others);
    tcase_add_test(all, sizes_that_the_program_asks_for_shift_no_number);
    tcase_add_test(all, two_numbers_never_stand_for_one_step);
    tcase_add_test(all, a_list_of_no_static_size_ends_with_the_item_put_into_it);
    suite_add_tcase(suite, all);
    return suite;
}
