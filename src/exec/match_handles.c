/* Which nodes inside of delegates are which steps of the exported program, and how many
 * of either became one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/match_parts.h"
#include "kernels/xnnpack.h"

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

    for (; readers.step < schedule->n_steps; readers.step++)
        dg_step_reads(&schedule->steps[readers.step], note_reader, &readers);
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            readers.n[schedule->outputs[i].slot] += 2; /* the caller, too */
    }
    return readers;
}

static bool group_may_be(const struct dg_joining *joining,
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
static bool is_end(const struct dg_joining *joining,
                   const struct dg_handle_group *group)
{
    const struct dg_step *last = &joining->lowered->steps[dg_group_last(group)];

    for (size_t k = 0; k < last->n_results; k++) {
        if (joining->goes_on[last->results[k]])
            return false;
    }
    return true;
}

static bool is_bounded(const struct dg_step *step)
{
    return isfinite(step->xnnpack->least) || isfinite(step->xnnpack->most);
}

static int quantized(const struct dg_joining *joining,
                     const struct dg_handle_group *group)
{
    const struct dg_xnn_step *last =
        joining->lowered->steps[dg_group_last(group)].xnnpack;

    return last->n_outputs ? last->outputs[0]->quantized : DG_XNN_UNQUANTIZED;
}

static const char quantize_word[] = " quantize_per_tensor ";
static const char dequantize_word[] = " dequantize_per_tensor ";

/* It computes codes, and gives floats of them. */
static bool gives_floats_of_codes(const struct dg_joining *joining,
                                  const struct dg_handle_group *group)
{
    const struct dg_step *steps = joining->lowered->steps;

    return group->n > 1 && dg_step_converts(&steps[dg_group_last(group)]) &&
           quantized(joining, group) == DG_XNN_UNQUANTIZED;
}

unsigned dg_group_takes(const struct dg_joining *joining,
                        const struct dg_handle_group *group, const char *word)
{
    bool of_codes = gives_floats_of_codes(joining, group);
    bool convolves = false, codes = quantized(joining, group) || of_codes;
    bool bounded = codes;

    for (uint32_t i = 0; i < group->n; i++) {
        const struct dg_step *step = &joining->lowered->steps[group->steps[i]];

        bounded |= !dg_text_is(step->xnnpack->node.op, "Clamp") && is_bounded(step);
        convolves |= dg_text_is(step->xnnpack->node.op, "Conv2d") ||
                     dg_text_is(step->xnnpack->node.op, "DepthwiseConv2d");
    }
    if (bounded && strstr(" relu relu_ relu6 relu6_ hardtanh hardtanh_ clamp ", word))
        return DG_TAKES_ACTIVATION;
    if (convolves && !strcmp(word, " batch_norm "))
        return DG_TAKES_NORM;
    if (of_codes && !strcmp(word, dequantize_word))
        return DG_TAKES_FLOATS;
    return codes && !strcmp(word, quantize_word) ? DG_TAKES_CODES : DG_TAKES_NOTHING;
}

/* Of a group the step that does what the operator is about: beside it are those that
 * bring its input and result into shape. */
static uint32_t main_of(const struct dg_joining *joining,
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

/* Codes of two grids say nothing of each other. */
static bool has_same_grid(const struct dg_step *step,
                          const struct dg_xnn_operand *operand)
{
    const struct dg_operand *scale = &step->args[1], *zero_point = &step->args[2];

    return step->n_args > 2 && scale->kind == DG_OPERAND_LITERAL &&
           scale->literal.kind == DG_ARG_FLOAT &&
           (float)scale->literal.as.real == operand->scale &&
           zero_point->kind == DG_OPERAND_LITERAL &&
           zero_point->literal.as.integer == operand->zero_point;
}

bool dg_group_is_of_one_kind(const struct dg_joining *joining,
                             const struct dg_handle_group *group, uint32_t step)
{
    char word[64];
    bool is_named = dg_step_word(&joining->program->steps[step], word);
    bool codes = is_named && !strcmp(word, quantize_word);

    if (!codes)
        return quantized(joining, group) == DG_XNN_UNQUANTIZED &&
               (!gives_floats_of_codes(joining, group) ||
                (is_named && !strcmp(word, dequantize_word)));
    return quantized(joining, group) == DG_XNN_BY_TENSOR &&
           has_same_grid(
               &joining->program->steps[step],
               joining->lowered->steps[dg_group_last(group)].xnnpack->outputs[0]);
}

uint32_t dg_group_result(const struct dg_joining *joining,
                         const struct dg_handle_group *group, uint32_t step)
{
    unsigned before = DG_TAKES_NOTHING, now;
    uint32_t named = main_of(joining, group, step);
    char word[64];

    for (;;) {
        const struct dg_step *at = &joining->program->steps[step];
        uint32_t slot = at->n_results == 1 ? at->results[0] : DG_NO_STEP, next;

        if (joining->ancestry)
            joining->ancestry->became[step] = named;
        if (slot == DG_NO_STEP || joining->readers.n[slot] != 1)
            return step;
        next = joining->readers.one[slot];
        if (next <= step || joining->is_placed[next] ||
            !dg_step_word(&joining->program->steps[next], word))
            return step;
        now = dg_group_takes(joining, group, word);
        if (!now || before & now)
            return step;
        before |= now;
        step = next;
    }
}

/* Whether one of the nodes is what the step does. */
static bool is_whole(const struct dg_joining *joining,
                     const struct dg_handle_group *group, uint32_t step)
{
    char word[64];

    return dg_step_word(&joining->program->steps[step], word) &&
           group_may_be(joining, group, word);
}

enum {
    PIECES_MOST = 6
}; /* of a product: itself, what is turned before and behind it */

/* What was taken apart is only known where its end and its neighbours are. */
static bool is_known(const struct dg_joining *joining,
                     const struct dg_handle_group *group,
                     const struct dg_handle_place *place)
{
    return is_whole(joining, group, place->step) ||
           (is_end(joining, group) && place->is_sure);
}

static void note_ancestor(const struct dg_joining *joining,
                          const struct dg_handle_group *group, uint32_t step)
{
    for (uint32_t i = 0; joining->ancestry && i < group->n; i++)
        joining->ancestry->came_from[group->steps[i]] = step;
}

static void match_groups(struct dg_joining *joining, struct dg_handle_match *matches,
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

        if (first == DG_NO_STEP ||
            (joining->ancestry && (!is_known(joining, group, &places[i]) ||
                                   (group->n > PIECES_MOST && !places[i].is_sure))))
            continue;
        note_ancestor(joining, group, first);
        result = dg_group_result(joining, group, first);
        if (dg_group_is_of_one_kind(joining, group, result) &&
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
                      struct dg_ancestry *ancestry, struct dg_arena *memory)
{
    struct dg_joining joining = {
        .program = program,
        .lowered = lowered,
        .hosts = hosts,
        .ancestry = ancestry,
        .readers = dg_readers_of(program, memory),
        .goes_on = find_going(lowered, memory),
        .is_placed = dg_alloc(memory, program->n_steps + 1, sizeof(bool))};

    *n = 0;
    match_groups(&joining, matches, n, memory);
    dg_match_unnumbered(&joining, matches, n, memory);
}
