/* A program and its .pte as two chains of steps, to be matched. */
#ifndef DG_TESTS_MATCH_CHAIN_H
#define DG_TESTS_MATCH_CHAIN_H

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

static inline void begin(struct chain *chain, bool is_pte)
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

static inline struct dg_step *add(struct chain *chain)
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

static inline void add_call(struct chain *chain, const char *op)
{
    struct dg_step *step = add(chain);

    step->name = step->op = op;
    step->kernel = dg_kernel_find(op);
    ck_assert_msg(step->kernel != NULL, "%s has no kernel", op);
}

static inline void add_op(const char *op)
{
    add_call(&program, op);
}

static inline struct dg_xnn_step *add_node(const char *kind, uint32_t handle)
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
static inline void add_weight(struct chain *chain, size_t i, const float *weight)
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

static inline void drop_weights(struct chain *chain)
{
    for (size_t i = 0; i < chain->schedule.n_slots; i++)
        dg_arg_drop(&chain->slots[i].initial);
}

/* What `letter` says of the match of each step of the program that has one; '-': none.
 */
static inline void expect_letters(const char *wanted,
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

static inline char number_of(const struct dg_matching *matching, size_t step)
{
    return (char)('0' + matching->steps[step]);
}

static inline char doubt_of(const struct dg_matching *matching, size_t step)
{
    return matching->doubtful[step] ? '!' : '=';
}

/* Which node each step of the program is, as digits. */
static inline void expect(const char *wanted)
{
    expect_letters(wanted, number_of);
}

/* Which matched steps of the program may be others: '!'. */
static inline void expect_doubts(const char *wanted)
{
    expect_letters(wanted, doubt_of);
}

static inline void begin_both(void)
{
    begin(&program, false);
    begin(&lowered, true);
}

static inline struct dg_step *last_step(void)
{
    return &program.steps[program.schedule.n_steps - 1];
}

/* What came from node `origin` of the first export. */
static inline void add_op_of(const char *op, uint32_t origin)
{
    add_op(op);
    last_step()->origin = origin;
}

/* On the grid that nodes have that give codes. */
static inline void add_quantize(uint32_t origin)
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

static inline void add_dequantize(uint32_t origin)
{
    add_op_of("quantized_decomposed::dequantize_per_tensor", origin);
}

static inline void add_codes(const char *kind, uint32_t handle)
{
    struct dg_xnn_operand *operand = &lowered.operands[lowered.schedule.n_steps];

    add_node(kind, handle);
    operand->quantized = DG_XNN_BY_TENSOR;
    operand->scale = 0.5F;
    operand->zero_point = 3;
}

#endif
