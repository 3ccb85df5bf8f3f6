/* Instructions of a .pte method as nodes with operands. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "formats/pte_plan.h"

static const char *const kinds[N_INSTRUCTION_TYPES] = {
    [KERNEL_CALL] = "kernel_call", [DELEGATE_CALL] = "delegate_call",
    [MOVE_CALL] = "move_call",     [JUMP_FALSE_CALL] = "jump_false_call",
    [FREE_CALL] = "free_call",
};

static void make_room(struct dg_pte_plan *plan, struct dg_pte_call *call, size_t n)
{
    call->n = n;
    if (n <= call->room)
        return;
    call->room = 2 * n;
    call->args = dg_alloc(&plan->scratch, call->room, sizeof(*call->args));
    call->access = dg_alloc(&plan->scratch, call->room, sizeof(*call->access));
}

static void decode_args(struct dg_pte_plan *plan, struct dg_pte_call *call,
                        struct dg_flatbuffer_table args)
{
    struct dg_vector vector = {0};

    if (call->type == KERNEL_CALL || call->type == DELEGATE_CALL)
        vector = dg_table_vector(args, CALL_ARGS);
    make_room(plan, call, vector.n + 2);
    call->n = vector.n;
    for (size_t i = 0; i < vector.n; i++)
        call->args[i] = (int32_t)dg_u32(vector.at + 4 * i);
}

/* The instruction; its type is 0 when it is unknown or has no content. */
static void decode(struct dg_pte_plan *plan, struct dg_pte_call *call,
                   struct dg_flatbuffer_table instruction)
{
    uint8_t type = dg_table_u8(instruction, INSTRUCTION_TYPE, 0);
    struct dg_flatbuffer_table args = dg_table_union(instruction, INSTRUCTION_ARGS);

    call->type = args.at ? type : 0;
    decode_args(plan, call, args);
    switch (call->type) {
    case KERNEL_CALL:
    case DELEGATE_CALL:
        call->index = dg_table_i32(args, CALL_INDEX, 0);
        break;
    case MOVE_CALL:
        call->args[call->n++] = dg_table_i32(args, MOVE_FROM, 0);
        call->args[call->n++] = dg_table_i32(args, MOVE_TO, 0);
        break;
    case JUMP_FALSE_CALL:
        call->args[call->n++] = dg_table_i32(args, JUMP_CONDITION, 0);
        call->jump = dg_table_i32(args, JUMP_TARGET, 0);
        break;
    case FREE_CALL:
        call->args[call->n++] = dg_table_i32(args, FREE_VALUE, 0);
        break;
    }
    dg_pte_find_access(plan, call);
}

static void add_operands(struct dg_pte_plan *plan, const struct dg_pte_call *call)
{
    static const char *const names[] = {"read", "read", "write", "both"};

    for (size_t i = 0; i < call->n; i++)
        *dg_add_operand(plan->pte->program) = (struct dg_operand_row){
            call->node, (int64_t)i, call->args[i],
            dg_pte_value_row(plan, call->args[i]), names[call->access[i] & 3]};
}

/* The value that the call writes, if it is one. */
static int64_t result_of(const struct dg_pte_plan *plan, const struct dg_pte_call *call)
{
    int64_t result = DG_NONE;

    for (size_t i = 0; i < call->n; i++) {
        if (!(call->access[i] & DG_PTE_WRITE) || call->args[i] == result)
            continue;
        if (result != DG_NONE)
            return DG_NONE;
        result = call->args[i];
    }
    return dg_pte_value_row(plan, result);
}

/* The lines of Python's traceback. */
static int64_t read_trace(struct dg_pte_plan *plan, struct dg_flatbuffer_table frames)
{
    struct dg_program *program = plan->pte->program;
    struct dg_vector items = dg_table_vector(frames, 0);
    struct dg_writer out = {0};
    int64_t trace = DG_NONE;

    for (size_t i = 0; i < items.n; i++) {
        struct dg_flatbuffer_table frame = dg_vector_table(items, i);
        struct dg_text code = dg_pte_text(program, frame, FRAME_CODE);

        dg_print(&out, "  File \"");
        dg_write_text(&out, dg_pte_text(program, frame, FRAME_FILE));
        dg_print(&out, "\", line %" PRId32 ", in ", dg_table_i32(frame, FRAME_LINE, 0));
        dg_write_text(&out, dg_pte_text(program, frame, FRAME_FUNCTION));
        dg_print(&out, "\n%s", code.size ? "    " : "");
        dg_write_text(&out, code);
        dg_print(&out, code.size ? "\n" : "");
    }
    if (items.n) {
        struct dg_text text = {out.data, out.size};

        text.data = dg_copy(&program->memory, text);
        trace = dg_intern_trace(program, text);
    }
    dg_writer_clear(&out);
    return trace;
}

static void set_target(const struct dg_pte_plan *plan, struct dg_node_row *row,
                       const struct dg_pte_call *call)
{
    bool positive = call->index >= 0;

    if (call->type != KERNEL_CALL && call->type != DELEGATE_CALL)
        return;
    row->op_index = dg_pte_stored(call->index);
    if (call->type == KERNEL_CALL && positive &&
        (size_t)call->index < plan->n_operators)
        row->op = plan->operators[call->index].op;
    if (call->type == DELEGATE_CALL && positive &&
        (size_t)call->index < plan->n_delegates)
        row->delegate = plan->first_delegate + call->index;
}

static void add_node(struct dg_pte_plan *plan, struct dg_pte_call *call,
                     struct dg_flatbuffer_table instruction, int64_t chain_start)
{
    struct dg_program *program = plan->pte->program;
    struct dg_node_row *row = dg_add_node(program);

    call->node = (int64_t)program->n_nodes - 1;
    row->graph = plan->graph;
    row->idx = call->time;
    row->name = dg_format(&program->memory, "op_%" PRId64, call->time);
    row->kind = call->type ? kinds[call->type] : "unknown";
    row->value = result_of(plan, call);
    set_target(plan, row, call);
    if (call->type == JUMP_FALSE_CALL)
        row->jump = chain_start + dg_pte_stored(call->jump);
    if (!call->type)
        row->meta = dg_format(&program->memory, "{\"instr_args_type\":%d}",
                              dg_table_u8(instruction, INSTRUCTION_TYPE, 0));
}

static void foresee_chains(struct dg_pte_plan *plan, struct dg_pte_call *call)
{
    struct dg_vector chains = dg_table_vector(plan->table, PLAN_CHAINS);

    call->time = 0;
    for (size_t i = 0; i < chains.n; i++) {
        struct dg_vector instructions =
            dg_table_vector(dg_vector_table(chains, i), CHAIN_INSTRUCTIONS);

        for (size_t j = 0; j < instructions.n; j++, call->time++) {
            decode(plan, call, dg_vector_table(instructions, j));
            dg_pte_foresee(plan, call);
        }
    }
}

static void read_chain(struct dg_pte_plan *plan, struct dg_pte_call *call,
                       struct dg_flatbuffer_table chain)
{
    struct dg_vector instructions = dg_table_vector(chain, CHAIN_INSTRUCTIONS);
    struct dg_vector traces = dg_table_vector(chain, CHAIN_STACK_TRACE);
    int64_t start = call->time;

    for (size_t i = 0; i < instructions.n; i++, call->time++) {
        struct dg_flatbuffer_table instruction = dg_vector_table(instructions, i);

        decode(plan, call, instruction);
        add_node(plan, call, instruction, start);
        dg_pte_check_call(plan, call, instruction);
        if (i < traces.n) {
            int64_t trace = read_trace(plan, dg_vector_table(traces, i));

            plan->pte->program->nodes[call->node].trace = trace;
        }
        add_operands(plan, call);
        dg_pte_follow(plan, call);
    }
}

void dg_pte_read_nodes(struct dg_pte_plan *plan)
{
    struct dg_vector chains = dg_table_vector(plan->table, PLAN_CHAINS);
    struct dg_pte_call call = {0};

    dg_pte_begin_flow(plan);
    foresee_chains(plan, &call);
    for (size_t i = 0; i < plan->n_slots; i++)
        plan->slots[i].seen = DG_NONE;
    call.time = 0;
    for (size_t i = 0; i < chains.n; i++) {
        struct dg_flatbuffer_table chain = dg_vector_table(chains, i);

        dg_pte_check_chain(plan, chain, i);
        read_chain(plan, &call, chain);
    }
    dg_pte_check_operators(plan);
    dg_pte_check_moves(plan);
}
