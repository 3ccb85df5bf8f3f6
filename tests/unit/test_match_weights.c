/* Weights that both programs have as codes: which are the same elements. */
#include <string.h>

#include "exec/match_parts.h"
#include "kernels/xnnpack.h"
#include "unit/suite.h"

enum { INPUT, CODES, SCALES, FLOATS, RESULT, N_SLOTS };

/* A linear layer of two channels. Of the program: after what brings codes into floats.
 */
static struct layer {
    struct dg_schedule schedule;
    struct dg_step steps[2];
    struct dg_slot slots[N_SLOTS];
    struct dg_operand args[2], made_of[6];
    uint32_t results[2];
    struct dg_xnn_step node;
    struct dg_xnn_operand weight;
} program, lowered;

static const int64_t sizes[] = {2, 2};
static const int8_t codes[] = {7, -3, -8, 5}, turned[] = {-8, 7, 5, -3};
static const float scales[] = {0.5F, 0.25F}, others[] = {0.5F, 0.125F};

static void set(struct layer *layer, size_t slot, struct dg_tensor *tensor)
{
    layer->slots[slot] = (struct dg_slot){
        .kind = DG_SLOT_CONSTANT, .initial = {DG_ARG_TENSOR, {.tensor = tensor}}};
}

static void begin(struct layer *layer, size_t n_steps, uint32_t weight)
{
    memset(layer, 0, sizeof(*layer));
    layer->schedule = (struct dg_schedule){.steps = layer->steps,
                                           .n_steps = n_steps,
                                           .slots = layer->slots,
                                           .n_slots = N_SLOTS};
    layer->args[0] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = INPUT};
    layer->args[1] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = weight};
    layer->results[0] = RESULT;
    layer->results[1] = FLOATS;
    layer->steps[n_steps - 1] = (struct dg_step){.kind = DG_STEP_CALL,
                                                 .args = layer->args,
                                                 .n_args = 2,
                                                 .results = &layer->results[0],
                                                 .n_results = 1};
}

/* The largest code is the last argument. */
static void begin_program(int64_t most)
{
    struct dg_operand *made_of = program.made_of;
    struct dg_step *made = &program.steps[0];

    begin(&program, 2, FLOATS);
    set(&program, CODES, dg_tensor_over(DG_TYPE_I8, 2, sizes, codes));
    set(&program, SCALES, dg_tensor_over(DG_TYPE_F32, 1, sizes, scales));
    made_of[0] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = CODES};
    made_of[1] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = SCALES};
    made_of[5].literal = (struct dg_arg){DG_ARG_INT, {.integer = most}};
    *made = (struct dg_step){.kind = DG_STEP_CALL,
                             .op = "quantized_decomposed::dequantize_per_channel",
                             .args = made_of,
                             .n_args = 6,
                             .results = &program.results[1],
                             .n_results = 1};
    program.steps[1].kernel = dg_kernel_find("aten::linear");
}

static void begin_lowered(const float *given, const void *data, bool four_bits)
{
    static const int64_t packed[] = {2, 1};

    begin(&lowered, 1, CODES);
    set(&lowered, CODES,
        four_bits ? dg_tensor_over(DG_TYPE_U8, 2, packed, data)
                  : dg_tensor_over(DG_TYPE_I8, 2, sizes, data));
    lowered.weight = (struct dg_xnn_operand){.four_bits = four_bits,
                                             .quantized = DG_XNN_BY_CHANNEL,
                                             .scales = given,
                                             .n_scales = 2};
    lowered.node.inputs[1] = &lowered.weight;
    lowered.node.kernel = dg_xnn_kernel(dg_text("FullyConnected"));
    lowered.steps[0].xnnpack = &lowered.node;
    lowered.steps[0].kernel = &lowered.node.kernel->kernel;
}

static void drop(struct layer *layer)
{
    for (size_t i = 0; i < N_SLOTS; i++)
        dg_arg_drop(&layer->slots[i].initial);
}

static bool are_known_as_equal(void)
{
    struct dg_arena memory = {0};
    uint64_t ours = dg_weight_hashes(&program.schedule, &memory)[1];
    uint64_t theirs = dg_weight_hashes(&lowered.schedule, &memory)[0];

    dg_arena_clear(&memory);
    drop(&program);
    drop(&lowered);
    return ours && ours == theirs;
}

START_TEST(equal_codes_with_equal_scales_are_one_weight)
{
    begin_program(127);
    begin_lowered(scales, turned, false);
    ck_assert(are_known_as_equal());
}
END_TEST

START_TEST(equal_codes_with_other_scales_are_two_weights)
{
    begin_program(127);
    begin_lowered(others, codes, false);
    ck_assert(!are_known_as_equal());
}
END_TEST

/* 7 and -3 are 15 and 5, two to a byte; their scales are rounded. */
START_TEST(codes_of_four_bits_are_packed)
{
    static const uint8_t packed[] = {0x5f, 0xd0}, wrong[] = {0x5f, 0xd1};

    begin_program(7);
    begin_lowered(others, packed, true);
    ck_assert(are_known_as_equal());
    begin_program(7);
    begin_lowered(others, wrong, true);
    ck_assert(!are_known_as_equal());
}
END_TEST

Suite *match_weights_suite(void)
{
    Suite *suite = suite_create("match_weights");
    TCase *all = tcase_create("all");

    tcase_add_test(all, equal_codes_with_equal_scales_are_one_weight);
    tcase_add_test(all, equal_codes_with_other_scales_are_two_weights);
    tcase_add_test(all, codes_of_four_bits_are_packed);
    suite_add_tcase(suite, all);
    return suite;
}
