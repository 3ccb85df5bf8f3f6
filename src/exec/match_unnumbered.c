/* Nodes inside of delegates that a pass made anew have no debug handle: they are found
 * by what they read, or by who reads them. */
#include <string.h>

#include "exec/match_parts.h"
#include "kernels/xnnpack.h"

bool dg_step_passes_on(const struct dg_step *step)
{
    return step->xnnpack && !step->handle && dg_step_moves(step) && step->n_args &&
           step->args[0].kind == DG_OPERAND_SLOT;
}

static bool is_unnumbered(const struct dg_step *step)
{
    return step->xnnpack && !step->handle && !dg_step_moves(step) &&
           !dg_text_is(step->xnnpack->node.op, "Convert");
}

uint32_t *dg_makers_of(const struct dg_schedule *schedule, struct dg_arena *memory)
{
    uint32_t *makers = dg_alloc(memory, schedule->n_slots + 1, sizeof(*makers));

    memset(makers, 0xff, schedule->n_slots * sizeof(*makers));
    for (uint32_t i = 0; i < schedule->n_inputs; i++) {
        if (schedule->inputs[i].slot != DG_IO_LITERAL &&
            dg_is_user_input(&schedule->inputs[i]))
            makers[schedule->inputs[i].slot] = (uint32_t)schedule->n_steps + i;
    }
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];

        for (size_t k = 0; k < step->n_results; k++)
            makers[step->results[k]] =
                dg_step_passes_on(step) ? makers[step->args[0].slot] : i;
    }
    return makers;
}

uint32_t dg_maker_of(const uint32_t *makers, const struct dg_step *step, size_t i)
{
    return i < step->n_args && step->args[i].kind == DG_OPERAND_SLOT
               ? makers[step->args[i].slot]
               : DG_NO_STEP;
}

struct dg_node_reader dg_node_reader(const struct dg_joining *joining, uint32_t node)
{
    const struct dg_step *steps = joining->lowered->steps;
    const struct dg_readers *readers = &joining->lowered_readers;
    struct dg_node_reader reader = {node, 0};
    uint32_t slot;

    do {
        const struct dg_step *at = &steps[reader.step];

        slot = at->n_results == 1 ? at->results[0] : DG_NO_STEP;
        if (slot == DG_NO_STEP || readers->n[slot] != 1 ||
            readers->one[slot] <= reader.step)
            return (struct dg_node_reader){DG_NO_STEP, 0};
        reader.step = readers->one[slot];
    } while (dg_step_passes_on(&steps[reader.step]));
    while (reader.argument < steps[reader.step].n_args &&
           (steps[reader.step].args[reader.argument].kind != DG_OPERAND_SLOT ||
            steps[reader.step].args[reader.argument].slot != slot))
        reader.argument++;
    return reader;
}

/* What each maker of the lowered program gives, in the exported one. */
struct sources {
    const uint32_t *lowered_makers; /* by slot */
    uint32_t
        *results; /* by maker of `lowered`: the slot of the program that is equal */
};

static void add_result(const struct dg_joining *joining, struct sources *sources,
                       uint32_t lowered, uint32_t step)
{
    if (step != DG_NO_STEP && joining->program->steps[step].n_results == 1)
        sources->results[lowered] = joining->program->steps[step].results[0];
}

static void add_inputs(const struct dg_joining *joining, struct sources *sources,
                       struct dg_arena *memory)
{
    const struct dg_schedule *program = joining->program;
    const uint32_t *inputs = dg_user_inputs_of(program, joining->lowered, memory);

    for (size_t i = 0; i < program->n_inputs; i++) {
        if (inputs[i] != DG_NO_STEP && program->inputs[i].slot != DG_IO_LITERAL)
            sources->results[inputs[i]] = program->inputs[i].slot;
    }
}

static struct sources sources_of(const struct dg_joining *joining,
                                 const struct dg_handle_match *matches, size_t n,
                                 struct dg_arena *memory)
{
    const struct dg_schedule *lowered = joining->lowered;
    size_t n_makers = lowered->n_steps + lowered->n_inputs;
    struct sources sources = {dg_makers_of(lowered, memory),
                              dg_alloc(memory, n_makers + 1, sizeof(uint32_t))};

    memset(sources.results, 0xff, (n_makers + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < lowered->n_steps; i++)
        add_result(joining, &sources, i, joining->hosts[i]);
    for (size_t i = 0; i < n; i++)
        add_result(joining, &sources, matches[i].lowered, matches[i].program);
    add_inputs(joining, &sources, memory);
    return sources;
}

/* The step of the program that reads, alone, what the node reads; DG_NO_STEP. */
static uint32_t reader_of(const struct dg_joining *joining,
                          const struct sources *sources, const struct dg_step *node)
{
    uint32_t maker = node->n_args && node->args[0].kind == DG_OPERAND_SLOT
                         ? sources->lowered_makers[node->args[0].slot]
                         : DG_NO_STEP;
    uint32_t slot = maker == DG_NO_STEP ? DG_NO_STEP : sources->results[maker];
    char word[64];

    if (slot == DG_NO_STEP || joining->readers.n[slot] != 1 ||
        !dg_step_word(&joining->program->steps[joining->readers.one[slot]], word) ||
        !dg_step_may_be(node, word))
        return DG_NO_STEP;
    return joining->readers.one[slot];
}

/* What is behind a node, where that says nothing of what is before it: the step that
 * gives what the reader of the node reads. */
struct backward {
    uint32_t *firsts; /* by step of `lowered`: where its match begins; DG_NO_STEP */
    uint32_t *makers; /* by slot of the program */
};

static struct backward backward_of(const struct dg_joining *joining,
                                   const struct dg_handle_match *matches, size_t n,
                                   struct dg_arena *memory)
{
    const struct dg_schedule *lowered = joining->lowered;
    struct backward backward = {
        dg_alloc(memory, lowered->n_steps + 1, sizeof(uint32_t)),
        dg_makers_of(joining->program, memory)};

    memset(backward.firsts, 0xff, (lowered->n_steps + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        backward.firsts[matches[i].named] = matches[i].first;
    return backward;
}

/* The step of the program that makes what `step` reads as an argument. */
static uint32_t maker_of(const struct dg_joining *joining,
                         const struct backward *backward, uint32_t step,
                         size_t argument)
{
    const struct dg_step *at = &joining->program->steps[step];
    uint32_t maker = dg_maker_of(backward->makers, at, argument);

    return maker < step ? maker : DG_NO_STEP;
}

/* Of a node the step that gives the same, and before it that which it is; false:
 * neither is known. */
static bool find_before(const struct dg_joining *joining,
                        const struct backward *backward,
                        const struct dg_handle_group *group,
                        struct dg_handle_match *match)
{
    struct dg_node_reader reader = dg_node_reader(joining, dg_group_last(group));
    uint32_t first =
        reader.step == DG_NO_STEP ? DG_NO_STEP : backward->firsts[reader.step];
    uint32_t step = first == DG_NO_STEP
                        ? DG_NO_STEP
                        : maker_of(joining, backward, first, reader.argument);
    unsigned last = DG_TAKES_NOTHING, now;
    char word[64];

    *match = (struct dg_handle_match){step, step, dg_group_last(group),
                                      dg_group_last(group), true};
    while (step != DG_NO_STEP) {
        const struct dg_step *at = &joining->program->steps[step];

        if (!dg_step_is_first_item(at)) {
            if (!dg_step_word(at, word))
                return false;
            match->first = step;
            if (dg_step_may_be(&joining->lowered->steps[dg_group_last(group)], word))
                return true;
            now = dg_group_takes(joining, group, word);
            if (!now || (last && now >= last))
                return false;
            last = now;
        }
        step = maker_of(joining, backward, step, 0);
    }
    return false;
}

static bool find_behind(const struct dg_joining *joining, const struct sources *sources,
                        const struct dg_handle_group *group,
                        struct dg_handle_match *match)
{
    uint32_t step =
        reader_of(joining, sources, &joining->lowered->steps[dg_group_last(group)]);

    if (step == DG_NO_STEP)
        return false;
    *match = (struct dg_handle_match){step, dg_group_result(joining, group, step),
                                      dg_group_last(group), dg_group_last(group), true};
    return true;
}

void dg_match_unnumbered(const struct dg_joining *joining,
                         struct dg_handle_match *matches, size_t *n,
                         struct dg_arena *memory)
{
    struct sources sources = sources_of(joining, matches, *n, memory);
    struct backward backward = backward_of(joining, matches, *n, memory);

    for (uint32_t i = 0; i < joining->lowered->n_steps; i++) {
        struct dg_handle_group group = {0, &i, 1};
        struct dg_handle_match match;

        if (!is_unnumbered(&joining->lowered->steps[i]) ||
            (!find_behind(joining, &sources, &group, &match) &&
             !find_before(joining, &backward, &group, &match)) ||
            !dg_group_is_of_one_kind(joining, &group, match.program))
            continue;
        matches[(*n)++] = match;
        add_result(joining, &sources, i, match.program);
    }
}
