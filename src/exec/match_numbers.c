/* Which steps of an exported program have which debug handle, if nothing was added or
 * left out before they were given: ExecuTorch numbers the nodes of its edge dialect. */
#include <string.h>

#include "exec/match_parts.h"

static void note_needed(void *data, uint32_t slot)
{
    ((bool *)data)[slot] = true;
}

/* A check of a value is a node of the edge dialect; of what is known of a tensor it is
 * none. */
static bool is_check(const struct dg_step *step)
{
    return step->op && strstr(step->op, "_assert_") &&
           !strstr(step->op, "_assert_tensor_metadata");
}

static bool is_needed(const struct dg_step *step, const bool *needed)
{
    bool found = dg_step_changes(step) || is_check(step);

    for (size_t k = 0; k < step->n_results; k++)
        found |= needed[step->results[k]];
    return found;
}

/* What is for nothing is gone in the edge dialect. */
bool *dg_needed_steps(const struct dg_schedule *program, struct dg_arena *memory)
{
    bool *slots = dg_alloc(memory, program->n_slots + 1, sizeof(*slots));
    bool *steps = dg_alloc(memory, program->n_steps + 1, sizeof(*steps));

    for (size_t i = 0; i < program->n_outputs; i++) {
        if (program->outputs[i].slot != DG_IO_LITERAL)
            slots[program->outputs[i].slot] = true;
    }
    for (size_t i = program->n_steps; i--;) {
        steps[i] = is_needed(&program->steps[i], slots);
        if (steps[i])
            dg_step_reads(&program->steps[i], note_needed, slots);
    }
    return steps;
}

enum { NOWHERE = UINT32_MAX };

/* By step: its place. Steps of which nothing is said have one each; all have, where the
 * program was lowered from another export than that, which knows other nodes. */
static uint32_t *place_steps(const struct dg_schedule *program, bool by_origin,
                             size_t *n, struct dg_arena *memory)
{
    const bool *needed = dg_needed_steps(program, memory);
    uint32_t *of = dg_alloc(memory, program->n_steps + 1, sizeof(*of));
    uint32_t *of_origin = dg_alloc(memory, program->n_steps + 2, sizeof(*of_origin));

    *n = 0;
    for (size_t i = 0; i < program->n_steps; i++) {
        uint32_t origin = program->steps[i].origin;
        bool is_known = by_origin && origin && origin <= program->n_steps;

        of[i] = NOWHERE;
        if (!needed[i])
            continue;
        of[i] =
            is_known && of_origin[origin] ? of_origin[origin] - 1 : (uint32_t)(*n)++;
        if (is_known)
            of_origin[origin] = of[i] + 1;
    }
    return of;
}

struct dg_numbered *dg_number_steps(const struct dg_schedule *program, bool by_origin,
                                    size_t *n, struct dg_arena *memory)
{
    const uint32_t *of = place_steps(program, by_origin, n, memory);
    uint32_t *steps = dg_alloc(memory, program->n_steps + 1, sizeof(*steps)), next = 0;
    struct dg_numbered *places = dg_alloc(memory, *n + 1, sizeof(*places));

    for (size_t i = 0; i < program->n_steps; i++) {
        if (of[i] != NOWHERE)
            places[of[i]].n++;
    }
    for (size_t i = 0; i < *n; i++) {
        places[i].steps = steps + next;
        next += places[i].n;
        places[i].n = 0;
    }
    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (of[i] != NOWHERE) {
            struct dg_numbered *place = &places[of[i]];

            steps[place->steps - steps + place->n++] = i;
        }
    }
    return places;
}
