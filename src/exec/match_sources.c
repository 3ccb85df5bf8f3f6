/* Who reads what in two programs, and which of their inputs are one. */
#include <string.h>

#include "exec/ancestry.h"
#include "exec/match_parts.h"

struct first {
    const uint32_t *makers;
    uint32_t source;
};

static void take_first(void *data, uint32_t slot)
{
    struct first *first = data;

    if (first->source == DG_NO_STEP)
        first->source = first->makers[slot];
}

uint32_t dg_first_source(const struct dg_step *step, const uint32_t *makers)
{
    struct first first = {makers, DG_NO_STEP};

    dg_step_reads(step, take_first, &first);
    return first.source;
}

struct dg_csr dg_readers_by_source(const struct dg_schedule *schedule,
                                   const uint32_t *makers, struct dg_arena *memory)
{
    uint32_t *sources = dg_alloc(memory, schedule->n_steps + 1, sizeof(*sources));
    struct dg_csr readers;

    for (uint32_t i = 0; i < schedule->n_steps; i++)
        sources[i] = dg_first_source(&schedule->steps[i], makers);
    dg_csr_by_key(&readers, sources, (uint32_t)schedule->n_steps,
                  (uint32_t)(schedule->n_steps + schedule->n_inputs), memory);
    return readers;
}

uint32_t *dg_user_inputs_of(const struct dg_schedule *program,
                            const struct dg_schedule *lowered, struct dg_arena *memory)
{
    uint32_t *inputs = dg_alloc(memory, program->n_inputs + 1, sizeof(*inputs));
    uint32_t there = 0;

    memset(inputs, 0xff, program->n_inputs * sizeof(*inputs));
    for (uint32_t i = 0; i < program->n_inputs; i++) {
        if (!dg_is_user_input(&program->inputs[i]))
            continue;
        while (there < lowered->n_inputs && !dg_is_user_input(&lowered->inputs[there]))
            there++;
        if (there == lowered->n_inputs)
            break;
        inputs[i] = (uint32_t)lowered->n_steps + there++;
    }
    return inputs;
}

static void note_reader(void *data, uint32_t slot)
{
    struct dg_readers *readers = data;

    readers->one[slot] = readers->step;
    readers->n[slot]++;
}

struct dg_readers dg_readers_of(const struct dg_schedule *schedule,
                                struct dg_arena *memory)
{
    struct dg_readers readers = {
        0, dg_alloc(memory, schedule->n_slots + 1, sizeof(uint32_t)),
        dg_alloc(memory, schedule->n_slots + 1, sizeof(uint32_t))};

    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            readers.n[schedule->outputs[i].slot] += 2; /* the caller, too */
    }
    for (readers.step = (uint32_t)schedule->n_steps; readers.step--;) {
        const struct dg_step *step = &schedule->steps[readers.step];

        if (step->kind != DG_STEP_ITEM || readers.n[step->results[0]])
            dg_step_reads(step, note_reader, &readers);
    }
    return readers;
}
