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

static void add_call(struct chain *chain, const char *op)
{
    struct dg_step *step = add(chain);

    step->name = step->op = op;
    step->kernel = dg_kernel_find(op);
    ck_assert_msg(step->kernel != NULL, "%s has no kernel", op);
}

static void add_op(const char *op)
{
    add_call(&program, op);
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

/* An item of the list that step `list` of the program gives. */
static void add_item(uint32_t list, int64_t number)
{
    size_t i = program.schedule.n_steps;
    struct dg_step *step = add(&program);

    program.weighed[i][0] =
        (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = list + 1};
    program.weighed[i][1] = (struct dg_operand){
        .kind = DG_OPERAND_LITERAL, .literal = {DG_ARG_INT, {.integer = number}}};
    step->kind = DG_STEP_ITEM;
    step->op = "_operator.getitem";
    step->args = program.weighed[i];
    step->n_args = 2;
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

/* What `letter` says of the match of each step of the program that has one; '-': none.
 */
static void expect_letters(const char *wanted,
                           char (*letter)(const struct dg_matching *, size_t))
{
    struct dg_matching matching = {0};
    struct dg_arena memory = {0};
    struct dg_error err = {0};
    char got[MOST + 1] = "";

    ck_assert_int_eq(
        dg_match(&matching, &program.schedule, &lowered.schedule, &memory, &err),
        DG_OK);
    for (size_t i = 0; i < program.schedule.n_steps; i++)
        got[i] = matching.steps[i] == DG_NO_STEP ? '-' : letter(&matching, i);
    ck_assert_str_eq(got, wanted);
    dg_arena_clear(&memory);
}

static char number_of(const struct dg_matching *matching, size_t step)
{
    return (char)('0' + matching->steps[step]);
}

static char doubt_of(const struct dg_matching *matching, size_t step)
{
    return matching->doubtful[step] ? '!' : '=';
}

/* Which node each step of the program is, as digits. */
static void expect(const char *wanted)
{
    expect_letters(wanted, number_of);
}

/* Which matched steps of the program may be others: '!'. */
static void expect_doubts(const char *wanted)
{
    expect_letters(wanted, doubt_of);
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
    expect("-1");
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

START_TEST(a_norm_is_part_of_the_product_before_it_whatever_its_kind)
{
    static const char *const kinds[][2] = {
        {"aten::conv_transpose2d.input", "ConvTranspose2d"},
        {"aten::convolution", "DepthwiseConv2d"},
        {"aten::linear", "FullyConnected"},
        {"aten::addmm", "FullyConnected"}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        begin_both();
        add_op(kinds[i][0]);
        add_op("aten::batch_norm");
        add_op("aten::relu");
        add_node(kinds[i][1], 1)->least = 0;
        expect("--0");
    }
}

/* A norm that is a convolution of single pixels, as a pass makes it. */
static void add_norm_node(void)
{
    struct dg_xnn_step *node = add_node("DepthwiseConv2d", 0);

    node->node.height = node->node.width = 1;
}

START_TEST(a_norm_with_a_node_of_its_own_is_no_part_of_what_is_before_it)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::batch_norm");
    add_op("aten::sigmoid");
    add_node("Conv2d", 1);
    add_node("StaticTranspose", 0);
    add_norm_node();
    add_node("Sigmoid", 3);
    expect("023");
}

START_TEST(a_norm_before_a_convolution_without_a_number_is_part_of_the_one_before_it)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::batch_norm");
    add_op("aten::conv2d");
    add_op("aten::sigmoid");
    add_node("Conv2d", 1);
    add_norm_node();
    add_node("Sigmoid", 4);
    lowered.nodes[1].node.width = 3;
    expect("-012");
}

START_TEST(of_two_norms_the_one_without_a_node_is_part_of_what_is_before_it)
{
    begin_both();
    add_op("aten::convolution");
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(1, 0);
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(3, 0);
    add_node("Conv2d", 1);
    add_norm_node();
    expect("--0-1");
    add_norm_node();
    expect("0-1-2");
}

START_TEST(a_norm_is_no_part_of_what_sums_no_products)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::batch_norm");
    add_node("Sigmoid", 1);
    expect("0-");
}

/* It gives a list, of which only the first item is read. */
START_TEST(a_norm_that_was_decomposed_is_part_of_the_convolution_before_it)
{
    begin_both();
    add_op("aten::convolution");
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(1, 0);
    add_item(1, 1);
    add_op("aten::relu");
    program.args[4].slot = 3;
    add_node("Conv2d", 1)->least = 0;
    expect("----0");
    lowered.nodes[0].least = -INFINITY;
    expect("--0--");
}

START_TEST(a_norm_whose_statistics_are_read_is_not_taken)
{
    begin_both();
    add_op("aten::convolution");
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(1, 1);
    add_node("Conv2d", 1);
    expect("-0-");
}

START_TEST(a_norm_behind_an_activation_is_not_taken)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::relu");
    add_op("aten::batch_norm");
    add_node("Conv2d", 1)->least = 0;
    expect("-0-");
}

START_TEST(bounds_of_an_activation_that_is_not_found_are_held_to_nothing)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::tanh");
    add_node("Conv2d", 1)->least = 0;
    add_node("Tanh", 2);
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
    add_call(&lowered, "aten::mul.Tensor");
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
    expect("0--1--23");
}

/* Two that read the same codes make their own floats of them. */
START_TEST(codes_with_several_readers_are_held_to_those_that_a_node_makes_floats_of)
{
    begin_both();
    add_op_of("aten::linear", 1);
    add_quantize(1);
    add_dequantize(1);
    add_dequantize(1);
    program.args[3].slot = 2;
    add_op_of("aten::sin", 2);
    add_codes("FullyConnected", 1);
    add_node("Convert", 1);
    add_node("Sin", 2);
    expect("-0--2");
}

/* The node that makes floats of them is of the activation that the sum took up. */
START_TEST(codes_are_not_those_of_a_node_that_makes_floats_of_them)
{
    begin_both();
    add_op_of("aten::linear", 1);
    add_op_of("aten::relu", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::sin", 3);
    add_codes("FullyConnected", 1);
    add_node("Convert", 2);
    add_node("Sin", 3);
    expect("--012");
}

START_TEST(codes_on_another_grid_than_those_of_the_program_are_not_held_to_them)
{
    begin_both();
    add_op_of("aten::linear", 1);
    add_quantize(1);
    add_dequantize(1);
    add_codes("FullyConnected", 1);
    lowered.operands[0].zero_point = 4;
    add_node("Convert", 1);
    expect("--1");
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

START_TEST(what_both_sides_took_apart_meets_at_its_end)
{
    begin_both();
    add_op_of("aten::sigmoid", 1);
    add_op_of("aten::mul.Tensor", 1);
    add_node("Sigmoid", 1);
    add_node("Multiply", 1);
    expect("-1");
}

/* A linear layer of many dimensions. */
static void add_linear_in_pieces(void)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::expand", 2);
    add_op_of("dim_order_ops::_clone_dim_order", 2);
    add_op_of("aten::bmm", 2);
    add_op_of("aten::add.Tensor", 2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("FullyConnected", 2);
}

START_TEST(what_no_step_is_like_meets_at_the_end_of_its_place)
{
    add_linear_in_pieces();
    add_node("Cos", 3);
    expect("0---12");
}

START_TEST(what_no_step_is_like_is_held_to_none_that_only_brings_it_to_a_grid)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::gt.Scalar", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("PReLU", 2);
    add_node("Cos", 3);
    expect("01--2");
}

START_TEST(what_no_step_is_like_is_not_compared_where_its_end_is_not_known)
{
    add_linear_in_pieces();
    expect("0-----");
}

/* A linear layer of many dimensions, as the edge dialect has it. */
static void add_batched_linear(uint32_t origin)
{
    add_op_of("aten::expand", origin);
    add_op_of("aten::view", origin);
    add_op_of("aten::bmm", origin);
    add_op_of("aten::view", origin);
    add_op_of("aten::add.Tensor", origin);
}

START_TEST(a_layer_in_pieces_of_other_kinds_meets_at_the_end_of_its_place)
{
    begin_both();
    add_batched_linear(1);
    add_op_of("aten::cos", 2);
    add_node("FullyConnected", 1);
    add_node("Cos", 2);
    expect("----01");
}

START_TEST(pieces_of_other_kinds_that_sum_no_products_are_no_layer)
{
    begin_both();
    add_op_of("aten::view", 1);
    add_op_of("aten::add.Tensor", 1);
    add_op_of("aten::cos", 2);
    add_node("FullyConnected", 1);
    add_node("Cos", 2);
    expect("--1");
}

/* Attention, which ends with another layout of what its second product gives. */
static void add_attention_in_pieces(void)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::bmm", 2);
    add_op_of("aten::_softmax", 2);
    add_op_of("aten::bmm", 2);
    add_op_of("aten::view", 2);
    add_op_of("aten::permute", 2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("BatchMatrixMultiply", 2);
    add_node("Softmax", 2);
    add_node("BatchMatrixMultiply", 2);
    add_node("StaticReshape", 2);
    add_node("StaticTranspose", 2);
}

START_TEST(what_ends_with_moves_meets_at_the_end_of_its_place)
{
    add_attention_in_pieces();
    add_node("Cos", 3);
    expect("0----56");
    expect_doubts("=----!=");
}

START_TEST(what_ends_with_moves_is_sure_where_one_step_is_only_brought_to_a_grid)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::conv1d", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("StaticReshape", 2);
    add_node("Conv2d", 2);
    add_node("StaticReshape", 2);
    add_node("Cos", 3);
    expect("03--4");
    expect_doubts("==--=");
}

START_TEST(what_ends_with_moves_is_not_compared_where_its_end_is_not_known)
{
    add_attention_in_pieces();
    expect("0------");
}

START_TEST(a_product_whose_shape_is_said_anew_is_one_with_that)
{
    begin_both();
    add_op_of("aten::addmm", 1);
    add_op_of("aten::view", 1);
    add_op_of("aten::view", 2);
    add_node("FullyConnected", 1);
    expect("-0-");
}

START_TEST(what_the_program_took_apart_into_other_operators_ends_with_the_last)
{
    begin_both();
    add_op_of("aten::sigmoid", 1);
    add_op_of("aten::gt.Scalar", 2);
    add_op_of("aten::where.self", 2);
    add_op_of("aten::tanh", 3);
    add_node("Sigmoid", 1);
    add_node("PReLU", 2);
    add_node("Tanh", 3);
    expect("0-12");
}

START_TEST(of_several_nodes_that_move_elements_none_is_the_step)
{
    begin_both();
    add_op_of("aten::slice.Tensor", 1);
    add_node("StaticSlice", 1);
    expect("0");
    begin_both();
    add_op_of("aten::sigmoid", 1);
    add_op_of("aten::slice.Tensor", 2);
    add_op_of("aten::tanh", 3);
    add_node("StaticSlice", 2);
    add_node("StaticSlice", 2);
    add_node("Tanh", 3);
    expect("--2");
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

START_TEST(calls_whose_arguments_are_one_are_one)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::sum");
    add_call(&lowered, "aten::sigmoid");
    add_call(&lowered, "aten::sum");
    expect_doubts("==");
}

START_TEST(calls_that_only_their_order_matches_are_doubtful_and_so_are_their_readers)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::sum");
    add_op("aten::sum");
    add_op("aten::sigmoid");
    add_call(&lowered, "aten::relu");
    add_call(&lowered, "aten::sum");
    add_call(&lowered, "aten::sum");
    add_call(&lowered, "aten::sigmoid");
    expect_doubts("-!!!");
}

START_TEST(calls_with_the_same_weight_are_one)
{
    static const float weight = 2;

    begin_both();
    add_op("aten::tanh");
    add_op("aten::linear");
    add_call(&lowered, "aten::relu");
    add_call(&lowered, "aten::linear");
    add_weight(&program, 1, &weight);
    add_weight(&lowered, 1, &weight);
    expect_doubts("-=");
    drop_weights(&program);
    drop_weights(&lowered);
}

START_TEST(nodes_that_a_number_names_are_not_doubtful)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_node("Tanh", 2);
    expect_doubts("==");
}

/* A failing step beside an output with that verdict: what becomes of it. */
static enum dg_verdict verdict_beside(enum dg_verdict output, bool is_doubtful)
{
    struct dg_numeric_result result = {.counted = true}, step = {.step = 0};
    struct dg_numeric_answer answer = {
        .results = &result, .n_results = 1, .steps = &step, .n_steps = 1};
    struct dg_numeric_request request = {.against = &lowered.schedule};
    struct dg_comparison comparison = {
        .request = &request, .answer = &answer, .matching = {.doubtful = &is_doubtful}};

    result.judgement.verdict = output;
    step.judgement.verdict = DG_VERDICT_FAIL;
    dg_comparison_excuse_doubtful(&comparison, 0);
    ck_assert_int_eq(answer.culprit == SIZE_MAX,
                     step.judgement.verdict == DG_VERDICT_SKIP);
    return step.judgement.verdict;
}

START_TEST(a_doubtful_step_fails_only_where_an_output_does_not_pass)
{
    ck_assert_int_eq(verdict_beside(DG_VERDICT_PASS, true), DG_VERDICT_SKIP);
    ck_assert_int_eq(verdict_beside(DG_VERDICT_PASS, false), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_beside(DG_VERDICT_FAIL, true), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_beside(DG_VERDICT_SKIP, true), DG_VERDICT_FAIL);
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
    tcase_add_test(all, a_norm_is_part_of_the_product_before_it_whatever_its_kind);
    tcase_add_test(all, a_norm_with_a_node_of_its_own_is_no_part_of_what_is_before_it);
    tcase_add_test(
        all, a_norm_before_a_convolution_without_a_number_is_part_of_the_one_before_it);
    tcase_add_test(all,
                   of_two_norms_the_one_without_a_node_is_part_of_what_is_before_it);
    tcase_add_test(all, a_norm_is_no_part_of_what_sums_no_products);
    tcase_add_test(all,
                   a_norm_that_was_decomposed_is_part_of_the_convolution_before_it);
    tcase_add_test(all, a_norm_whose_statistics_are_read_is_not_taken);
    tcase_add_test(all, a_norm_behind_an_activation_is_not_taken);
    tcase_add_test(all, bounds_of_an_activation_that_is_not_found_are_held_to_nothing);
    tcase_add_test(all, what_an_operator_was_taken_apart_into_ends_with_its_last_node);
    tcase_add_test(all, what_may_go_on_outside_is_not_matched);
    tcase_add_test(all, a_node_without_a_number_is_found_by_what_it_reads);
    tcase_add_test(all, codes_are_not_held_to_floats);
    tcase_add_test(all, what_came_from_one_node_has_one_number);
    tcase_add_test(
        all, codes_with_several_readers_are_held_to_those_that_a_node_makes_floats_of);
    tcase_add_test(all, codes_are_not_those_of_a_node_that_makes_floats_of_them);
    tcase_add_test(
        all, codes_on_another_grid_than_those_of_the_program_are_not_held_to_them);
    tcase_add_test(all, floats_of_codes_are_not_held_to_what_was_not_rounded);
    tcase_add_test(all, what_both_sides_took_apart_meets_at_its_end);
    tcase_add_test(all, what_no_step_is_like_meets_at_the_end_of_its_place);
    tcase_add_test(all,
                   what_no_step_is_like_is_held_to_none_that_only_brings_it_to_a_grid);
    tcase_add_test(all,
                   what_no_step_is_like_is_not_compared_where_its_end_is_not_known);
    tcase_add_test(all, a_layer_in_pieces_of_other_kinds_meets_at_the_end_of_its_place);
    tcase_add_test(all, pieces_of_other_kinds_that_sum_no_products_are_no_layer);
    tcase_add_test(all, what_ends_with_moves_meets_at_the_end_of_its_place);
    tcase_add_test(
        all, what_ends_with_moves_is_sure_where_one_step_is_only_brought_to_a_grid);
    tcase_add_test(all,
                   what_ends_with_moves_is_not_compared_where_its_end_is_not_known);
    tcase_add_test(all, a_product_whose_shape_is_said_anew_is_one_with_that);
    tcase_add_test(all,
                   what_the_program_took_apart_into_other_operators_ends_with_the_last);
    tcase_add_test(all, of_several_nodes_that_move_elements_none_is_the_step);
    tcase_add_test(all, steps_have_numbers_of_their_own_where_that_fits_better);
    tcase_add_test(all, sizes_that_lowering_added_have_the_first_numbers);
    tcase_add_test(all, sizes_that_lowering_added_have_numbers_between_others);
    tcase_add_test(all, sizes_that_the_program_asks_for_shift_no_number);
    tcase_add_test(all, two_numbers_never_stand_for_one_step);
    tcase_add_test(all, a_list_of_no_static_size_ends_with_the_item_put_into_it);
    tcase_add_test(all, calls_whose_arguments_are_one_are_one);
    tcase_add_test(
        all, calls_that_only_their_order_matches_are_doubtful_and_so_are_their_readers);
    tcase_add_test(all, calls_with_the_same_weight_are_one);
    tcase_add_test(all, nodes_that_a_number_names_are_not_doubtful);
    tcase_add_test(all, a_doubtful_step_fails_only_where_an_output_does_not_pass);
    suite_add_tcase(suite, all);
    return suite;
}
