/* Which nodes inside of delegates are which steps of the exported program, and how many
 * of either became one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/match_parts.h"
#include "kernels/xnnpack.h"

uint32_t dg_only_reader(const struct dg_joining *joining, uint32_t step)
{
    const struct dg_step *at = &joining->program->steps[step];
    uint32_t slot = at->n_results == 1 ? at->results[0] : DG_NO_STEP;

    return slot != DG_NO_STEP && joining->readers.n[slot] == 1 &&
                   joining->readers.one[slot] > step
               ? joining->readers.one[slot]
               : DG_NO_STEP;
}

bool dg_step_is_first_item(const struct dg_step *step)
{
    return step->kind == DG_STEP_ITEM && step->n_args == 2 &&
           step->args[1].kind == DG_OPERAND_LITERAL &&
           step->args[1].literal.kind == DG_ARG_INT &&
           !step->args[1].literal.as.integer;
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

static const char activations[] = " relu relu_ relu6 relu6_ hardtanh hardtanh_ clamp ";
/* The bounds of what it gives are those of an activation behind it. */
static bool has_activation(const struct dg_joining *joining,
                           const struct dg_handle_group *group)
{
    for (uint32_t i = 0; i < group->n; i++) {
        const struct dg_step *step = &joining->lowered->steps[group->steps[i]];

        if (!dg_text_is(step->xnnpack->node.op, "Clamp") && is_bounded(step))
            return true;
    }
    return false;
}

unsigned dg_group_takes(const struct dg_joining *joining,
                        const struct dg_handle_group *group, const char *word)
{
    bool of_codes = gives_floats_of_codes(joining, group);
    bool codes = quantized(joining, group) || of_codes;

    if ((codes || has_activation(joining, group)) && strstr(activations, word))
        return DG_TAKES_ACTIVATION;
    if (dg_word_is_norm(word) && (group_may_be(joining, group, " convolution ") ||
                                  group_may_be(joining, group, " linear ")))
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

    if (codes)
        return quantized(joining, group) == DG_XNN_BY_TENSOR &&
               has_same_grid(
                   &joining->program->steps[step],
                   joining->lowered->steps[dg_group_last(group)].xnnpack->outputs[0]);
    if (quantized(joining, group) != DG_XNN_UNQUANTIZED)
        return false;
    if (gives_floats_of_codes(joining, group))
        return is_named && !strcmp(word, dequantize_word);
    return !has_activation(joining, group) || (is_named && strstr(activations, word));
}

/* Whether it only says anew what shape that has which the step gives, where one node of
 * the export became both. */
static bool reshapes(const struct dg_step *next, const struct dg_step *step)
{
    static const char shapes[] =
        " view view_copy _unsafe_view reshape squeeze squeeze_copy unsqueeze "
        "unsqueeze_copy ";
    char word[64];

    return step->origin && next->origin == step->origin && dg_step_word(next, word) &&
           strstr(shapes, word);
}

/* What the group takes up of a step behind it: no norm that nodes behind it stand for.
 */
static unsigned takes_up(const struct dg_joining *joining,
                         const struct dg_handle_group *group, uint32_t step)
{
    char word[64];
    unsigned kind = dg_step_word(&joining->program->steps[step], word)
                        ? dg_group_takes(joining, group, word)
                        : DG_TAKES_NOTHING;

    return kind == DG_TAKES_NORM && dg_norm_is_alone(joining, group, step)
               ? DG_TAKES_NOTHING
               : kind;
}

uint32_t dg_group_result(const struct dg_joining *joining,
                         const struct dg_handle_group *group, uint32_t step)
{
    unsigned last = DG_TAKES_NOTHING, now;
    uint32_t named = main_of(joining, group, step);

    for (;;) {
        const struct dg_step *at = &joining->program->steps[step];
        uint32_t next = dg_only_reader(joining, step);

        if (joining->ancestry)
            joining->ancestry->became[step] = named;
        if (next == DG_NO_STEP || joining->is_placed[next])
            return step;
        if (!dg_step_is_first_item(&joining->program->steps[next]) &&
            !reshapes(&joining->program->steps[next], at)) {
            now = takes_up(joining, group, next);
            if (now <= last)
                return step;
            last = now;
        }
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

/* Of several nodes the last one brings what the others give into shape. */
static bool ends_with_moves(const struct dg_joining *joining,
                            const struct dg_handle_group *group)
{
    return group->n > 1 &&
           dg_step_moves(&joining->lowered->steps[dg_group_last(group)]);
}

/* What was taken apart is only known where its end and its neighbours are. Of several
 * nodes that move elements none is all of it. */
static bool is_known(const struct dg_joining *joining,
                     const struct dg_handle_group *group,
                     const struct dg_handle_place *place)
{
    return (is_whole(joining, group, place->step) &&
            !ends_with_moves(joining, group)) ||
           (is_end(joining, group) && place->is_sure);
}

static void note_ancestor(const struct dg_joining *joining,
                          const struct dg_handle_group *group, uint32_t step)
{
    for (uint32_t i = 0; joining->ancestry && i < group->n; i++)
        joining->ancestry->came_from[group->steps[i]] = step;
}

/* The group up to what gives codes, of which the rest makes floats. */
static struct dg_handle_group up_to_codes(const struct dg_joining *joining,
                                          const struct dg_handle_group *group)
{
    struct dg_handle_group codes = *group;

    while (gives_floats_of_codes(joining, &codes))
        codes.n--;
    return codes;
}

static bool add_match(const struct dg_joining *joining,
                      const struct dg_handle_group *group,
                      const struct dg_handle_place *place,
                      struct dg_handle_match *matches, size_t *n)
{
    uint32_t result = dg_group_result(joining, group, place->step);

    if (!dg_group_is_of_one_kind(joining, group, result) ||
        !is_known(joining, group, place))
        return false;
    matches[(*n)++] = (struct dg_handle_match){
        .first = place->step,
        .program = result,
        .lowered = dg_group_last(group),
        .named = main_of(joining, group, place->step),
        .is_joint = result != place->step || group->n > 1 || place->is_part,
        .is_doubtful = place->is_taken_apart && ends_with_moves(joining, group)};
    return true;
}

/* Codes that a group makes floats of are held to those of the program; then the floats
 * are for themselves. An ancestry has one step for each. */
static void match_group(const struct dg_joining *joining,
                        const struct dg_handle_group *group,
                        const struct dg_handle_place *place,
                        struct dg_handle_match *matches, size_t *n)
{
    struct dg_handle_group codes = up_to_codes(joining, group);
    bool has_codes = codes.n < group->n && !joining->ancestry &&
                     add_match(joining, &codes, place, matches, n);

    if (add_match(joining, group, place, matches, n) && has_codes) {
        struct dg_handle_match *floats = &matches[*n - 1];

        floats->first = floats->program;
        floats->named = floats->lowered;
    }
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

        if (places[i].step == DG_NO_STEP ||
            (joining->ancestry && (!is_known(joining, group, &places[i]) ||
                                   (group->n > PIECES_MOST && !places[i].is_sure))))
            continue;
        note_ancestor(joining, group, places[i].step);
        match_group(joining, group, &places[i], matches, n);
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
        .lowered_readers = dg_readers_of(lowered, memory),
        .goes_on = find_going(lowered, memory),
        .is_placed = dg_alloc(memory, program->n_steps + 1, sizeof(bool))};

    *n = 0;
    match_groups(&joining, matches, n, memory);
    dg_match_unnumbered(&joining, matches, n, memory);
}
