/* Which nodes inside of delegates are which steps of the exported program, and how many
 * of either became one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/match_parts.h"
#include "kernels/xnnpack.h"

/* Of each slot: who reads it, if that is one step; how many do. */
struct readers {
    uint32_t step, *one, *n;
};

static void note_reader(void *data, uint32_t slot)
{
    struct readers *readers = data;

    readers->one[slot] = readers->step;
    readers->n[slot]++;
}

static struct readers readers_of(const struct dg_schedule *schedule,
                                 struct dg_arena *memory)
{
    struct readers readers = {
        0, dg_alloc(memory, schedule->n_slots + 1, sizeof(uint32_t)),
        dg_alloc(memory, schedule->n_slots + 1, sizeof(uint32_t))};

    for (; readers.step < schedule->n_steps; readers.step++)
        dg_step_reads(&schedule->steps[readers.step], note_reader, &readers);
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            readers.n[schedule->outputs[i].slot] += 2; /* the caller, too */
    }
    return readers;
}

struct joining {
    const struct dg_schedule *program, *lowered;
    struct readers readers; /* of the program */
    bool *goes_on; /* by slot of `lowered`: what reads it may be of the same node of the
                      program */
    const uint32_t *hosts; /* by step of `lowered`: the step that it is, NOWHERE */
    bool *is_placed;       /* by step of the program: a group stands there */
};

static bool group_may_be(const struct joining *joining,
                         const struct dg_handle_group *group, const char *word)
{
    for (uint32_t i = 0; i < group->n; i++) {
        if (dg_step_may_be(&joining->lowered->steps[group->steps[i]], word))
            return true;
    }
    return false;
}

/* Only steps inside of delegates say which node of the program they are of. */
struct going {
    const struct dg_step *reader;
    const uint32_t *made_for; /* by slot: the handle of what makes it */
    bool *goes_on;
};

static void note_going(void *data, uint32_t slot)
{
    struct going *going = data;
    uint32_t handle = going->reader->xnnpack ? going->reader->handle : 0;

    if (!handle || handle == going->made_for[slot])
        going->goes_on[slot] = true;
}

static bool *find_going(const struct dg_schedule *lowered, struct dg_arena *memory)
{
    uint32_t *made_for = dg_alloc(memory, lowered->n_slots + 1, sizeof(*made_for));
    struct going going = {NULL, made_for,
                          dg_alloc(memory, lowered->n_slots + 1, sizeof(bool))};

    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        for (size_t k = 0; k < lowered->steps[i].n_results; k++)
            made_for[lowered->steps[i].results[k]] = lowered->steps[i].handle;
    }
    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        going.reader = &lowered->steps[i];
        dg_step_reads(going.reader, note_going, &going);
    }
    return going.goes_on;
}

/* What an operator is taken apart into may end outside of delegates: only where all
 * that is behind is inside, too, the end is known. */
static bool is_end(const struct joining *joining, const struct dg_handle_group *group)
{
    const struct dg_step *last = &joining->lowered->steps[dg_group_last(group)];

    for (size_t k = 0; k < last->n_results; k++) {
        if (joining->goes_on[last->results[k]])
            return false;
    }
    return true;
}

enum { NOWHERE = UINT32_MAX };

static bool is_bounded(const struct dg_step *step)
{
    return isfinite(step->xnnpack->least) || isfinite(step->xnnpack->most);
}

static int quantized(const struct joining *joining, const struct dg_handle_group *group)
{
    return joining->lowered->steps[dg_group_last(group)].xnnpack->outputs[0]->quantized;
}

static const char quantize_word[] = " quantize_per_tensor ";

/* What a group takes up of the steps behind its own, each at most once. */
enum { NOTHING = 0, ACTIVATION = 1, NORM = 2, CODES = 4 };

/* Which of them a step of the program is, if the group can have taken it. */
static unsigned taken(const struct joining *joining,
                      const struct dg_handle_group *group, const char *word)
{
    bool convolves = false, bounded = quantized(joining, group);

    for (uint32_t i = 0; i < group->n; i++) {
        const struct dg_step *step = &joining->lowered->steps[group->steps[i]];

        bounded |= !dg_text_is(step->xnnpack->node.op, "Clamp") && is_bounded(step);
        convolves |= dg_text_is(step->xnnpack->node.op, "Conv2d") ||
                     dg_text_is(step->xnnpack->node.op, "DepthwiseConv2d");
    }
    if (bounded && strstr(" relu relu_ relu6 relu6_ hardtanh hardtanh_ clamp ", word))
        return ACTIVATION;
    if (convolves && !strcmp(word, " batch_norm "))
        return NORM;
    return quantized(joining, group) && !strcmp(word, quantize_word) ? CODES : NOTHING;
}

/* Of a group the step that does what the operator is about: beside it are those that
 * bring its input and result into shape. */
static uint32_t main_of(const struct joining *joining,
                        const struct dg_handle_group *group, uint32_t place)
{
    char word[64];

    if (!dg_step_word(&joining->program->steps[place], word))
        return dg_group_last(group);
    for (uint32_t i = group->n; i--;) {
        if (dg_step_may_be(&joining->lowered->steps[group->steps[i]], word))
            return group->steps[i];
    }
    return dg_group_last(group);
}

/* Codes are held to codes; those that are known late are other ones than the program's.
 */
static bool are_of_one_kind(const struct joining *joining,
                            const struct dg_handle_group *group, uint32_t step)
{
    char word[64];
    bool codes = dg_step_word(&joining->program->steps[step], word) &&
                 !strcmp(word, quantize_word);

    return quantized(joining, group) == (codes ? DG_XNN_BY_TENSOR : DG_XNN_UNQUANTIZED);
}

/* The step whose result the group gives: what no other group stands for. */
static uint32_t result_of(const struct joining *joining,
                          const struct dg_handle_group *group, uint32_t step)
{
    unsigned before = NOTHING, now;
    char word[64];

    for (;;) {
        const struct dg_step *at = &joining->program->steps[step];
        uint32_t slot = at->n_results == 1 ? at->results[0] : NOWHERE, next;

        if (slot == NOWHERE || joining->readers.n[slot] != 1)
            return step;
        next = joining->readers.one[slot];
        if (next <= step || joining->is_placed[next] ||
            !dg_step_word(&joining->program->steps[next], word))
            return step;
        now = taken(joining, group, word);
        if (!now || before & now)
            return step;
        before |= now;
        step = next;
    }
}

/* Nodes that a pass made anew have no number: they are found by what they read. */
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

/* What each maker of the lowered program gives, in the exported one. */
struct sources {
    const uint32_t *lowered_makers; /* by slot */
    uint32_t
        *results; /* by maker of `lowered`: the slot of the program that is equal */
};

static void add_result(const struct joining *joining, struct sources *sources,
                       uint32_t lowered, uint32_t step)
{
    if (step != NOWHERE && joining->program->steps[step].n_results == 1)
        sources->results[lowered] = joining->program->steps[step].results[0];
}

/* Inputs of the user belong together in their order. */
static void add_inputs(const struct joining *joining, struct sources *sources)
{
    const struct dg_schedule *program = joining->program, *lowered = joining->lowered;
    size_t there = 0;

    for (size_t i = 0; i < program->n_inputs; i++) {
        if (!dg_is_user_input(&program->inputs[i]))
            continue;
        while (there < lowered->n_inputs && !dg_is_user_input(&lowered->inputs[there]))
            there++;
        if (there == lowered->n_inputs)
            return;
        if (program->inputs[i].slot != DG_IO_LITERAL)
            sources->results[lowered->n_steps + there] = program->inputs[i].slot;
        there++;
    }
}

static struct sources sources_of(const struct joining *joining,
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
    add_inputs(joining, &sources);
    return sources;
}

/* The step of the program that reads, alone, what the node reads; NOWHERE. */
static uint32_t reader_of(const struct joining *joining, const struct sources *sources,
                          const struct dg_step *node)
{
    uint32_t maker = node->n_args && node->args[0].kind == DG_OPERAND_SLOT
                         ? sources->lowered_makers[node->args[0].slot]
                         : NOWHERE;
    uint32_t slot = maker == NOWHERE ? NOWHERE : sources->results[maker];
    char word[64];

    if (slot == NOWHERE || joining->readers.n[slot] != 1 ||
        !dg_step_word(&joining->program->steps[joining->readers.one[slot]], word) ||
        !dg_step_may_be(node, word))
        return NOWHERE;
    return joining->readers.one[slot];
}

/* What is behind a node, where that says nothing of what is before it: the step that
 * gives what the reader of the node reads. */
struct backward {
    struct readers readers; /* of `lowered` */
    uint32_t *firsts;       /* by step of `lowered`: where its match begins; NOWHERE */
    uint32_t *makers;       /* by slot of the program */
};

static struct backward backward_of(const struct joining *joining,
                                   const struct dg_handle_match *matches, size_t n,
                                   struct dg_arena *memory)
{
    const struct dg_schedule *lowered = joining->lowered;
    struct backward backward = {
        readers_of(lowered, memory),
        dg_alloc(memory, lowered->n_steps + 1, sizeof(uint32_t)),
        dg_makers_of(joining->program, memory)};

    memset(backward.firsts, 0xff, (lowered->n_steps + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        backward.firsts[matches[i].named] = matches[i].first;
    return backward;
}

/* Who reads, alone, what a node gives, and as which of its arguments. */
struct reader {
    uint32_t step; /* NOWHERE: nobody, or several */
    size_t argument;
};

static struct reader lowered_reader(const struct joining *joining,
                                    const struct backward *backward, uint32_t node)
{
    const struct dg_step *steps = joining->lowered->steps;
    struct reader reader = {node, 0};
    uint32_t slot;

    do {
        const struct dg_step *at = &steps[reader.step];

        slot = at->n_results == 1 ? at->results[0] : NOWHERE;
        if (slot == NOWHERE || backward->readers.n[slot] != 1 ||
            backward->readers.one[slot] <= reader.step)
            return (struct reader){NOWHERE, 0};
        reader.step = backward->readers.one[slot];
    } while (dg_step_passes_on(&steps[reader.step]));
    while (reader.argument < steps[reader.step].n_args &&
           (steps[reader.step].args[reader.argument].kind != DG_OPERAND_SLOT ||
            steps[reader.step].args[reader.argument].slot != slot))
        reader.argument++;
    return reader;
}

/* The step of the program that makes what `step` reads as an argument. */
static uint32_t maker_of(const struct joining *joining, const struct backward *backward,
                         uint32_t step, size_t argument)
{
    const struct dg_step *at = &joining->program->steps[step];
    uint32_t maker = argument < at->n_args && at->args[argument].kind == DG_OPERAND_SLOT
                         ? backward->makers[at->args[argument].slot]
                         : NOWHERE;

    return maker < step ? maker : NOWHERE;
}

/* Of a node the step that gives the same, and before it that which it is; false:
 * neither is known. */
static bool find_before(const struct joining *joining, const struct backward *backward,
                        const struct dg_handle_group *group,
                        struct dg_handle_match *match)
{
    struct reader reader = lowered_reader(joining, backward, dg_group_last(group));
    uint32_t first = reader.step == NOWHERE ? NOWHERE : backward->firsts[reader.step];
    uint32_t step = first == NOWHERE
                        ? NOWHERE
                        : maker_of(joining, backward, first, reader.argument);
    unsigned before = NOTHING, now;
    char word[64];

    *match = (struct dg_handle_match){step, step, dg_group_last(group),
                                      dg_group_last(group), true};
    while (step != NOWHERE && dg_step_word(&joining->program->steps[step], word)) {
        match->first = step;
        if (dg_step_may_be(&joining->lowered->steps[dg_group_last(group)], word))
            return true;
        now = taken(joining, group, word);
        if (!now || before & now)
            return false;
        before |= now;
        step = maker_of(joining, backward, step, 0);
    }
    return false;
}

static bool find_behind(const struct joining *joining, const struct sources *sources,
                        const struct dg_handle_group *group,
                        struct dg_handle_match *match)
{
    uint32_t step =
        reader_of(joining, sources, &joining->lowered->steps[dg_group_last(group)]);

    if (step == NOWHERE)
        return false;
    *match = (struct dg_handle_match){step, result_of(joining, group, step),
                                      dg_group_last(group), dg_group_last(group), true};
    return true;
}

static void match_unnumbered(const struct joining *joining,
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
            !are_of_one_kind(joining, &group, match.program))
            continue;
        matches[(*n)++] = match;
        add_result(joining, &sources, i, match.program);
    }
}

/* Whether one of the nodes is what the step does. */
static bool is_whole(const struct joining *joining, const struct dg_handle_group *group,
                     uint32_t step)
{
    char word[64];

    return dg_step_word(&joining->program->steps[step], word) &&
           group_may_be(joining, group, word);
}

/* What was taken apart is only known where its end and its neighbours are. */
static bool is_known(const struct joining *joining, const struct dg_handle_group *group,
                     const struct dg_handle_place *place)
{
    return is_whole(joining, group, place->step) ||
           (is_end(joining, group) && place->is_sure);
}

static void match_groups(struct joining *joining, struct dg_handle_match *matches,
                         size_t *n, struct dg_arena *memory)
{
    size_t n_groups;
    struct dg_handle_group *groups =
        dg_handle_groups(joining->lowered, &n_groups, memory);
    const struct dg_handle_place *places =
        dg_handle_places(joining->program, joining->lowered, groups, n_groups, memory);

    for (size_t i = 0; i < n_groups; i++) {
        if (places[i].step != DG_NO_STEP)
            joining->is_placed[places[i].step] = true;
    }
    for (size_t i = 0; i < n_groups; i++) {
        const struct dg_handle_group *group = &groups[i];
        uint32_t first = places[i].step, result;

        if (first == DG_NO_STEP)
            continue;
        result = result_of(joining, group, first);
        if (are_of_one_kind(joining, group, result) &&
            is_known(joining, group, &places[i]))
            matches[(*n)++] =
                (struct dg_handle_match){.first = first,
                                         .program = result,
                                         .lowered = dg_group_last(group),
                                         .named = main_of(joining, group, first),
                                         .is_joint = result != first || group->n > 1};
    }
}

void dg_match_handles(struct dg_handle_match *matches, size_t *n,
                      const struct dg_schedule *program,
                      const struct dg_schedule *lowered, const uint32_t *hosts,
                      struct dg_arena *memory)
{
    struct joining joining = {.program = program,
                              .lowered = lowered,
                              .hosts = hosts,
                              .readers = readers_of(program, memory),
                              .goes_on = find_going(lowered, memory),
                              .is_placed =
                                  dg_alloc(memory, program->n_steps + 1, sizeof(bool))};

    *n = 0;
    match_groups(&joining, matches, n, memory);
    match_unnumbered(&joining, matches, n, memory);
}
