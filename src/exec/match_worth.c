/* How well nodes of one debug handle stand at a place of the exported program, and for
 * which of its steps. */
#include <string.h>

#include "base/xnnpack_ops.h"
#include "exec/match_worth.h"
#include "kernels/xnnpack.h"

/* How well a group stands at a place. Equal weights say most, what computes says more
 * than what moves; an operator that no kind stands for was taken apart. */
enum { WEIGHS = 32, COMPUTES = 8, MOVES = 2 };

static int worth_of_node(const struct dg_sides *sides, uint32_t node, uint32_t step,
                         const char *word)
{
    const struct dg_step *lowered = &sides->lowered->steps[node];

    if (!dg_step_may_be(lowered, word))
        return 0;
    if (dg_step_moves(lowered))
        return MOVES;
    return sides->weights[step] && sides->weights[step] == sides->lowered_weights[node]
               ? WEIGHS
               : COMPUTES;
}

/* What brings the codes of a node into floats, or the other way round, stands wherever
 * there is such a step: of a group that has another node it says nothing. */
static bool says_nothing(const struct dg_sides *sides,
                         const struct dg_handle_group *group, uint32_t i)
{
    const struct dg_step *steps = sides->lowered->steps;
    bool others = false;

    for (uint32_t k = 0; k < group->n && !others; k++)
        others = !dg_step_converts(&steps[group->steps[k]]);
    return others && dg_step_converts(&steps[group->steps[i]]);
}

static int worth_of_step(const struct dg_sides *sides,
                         const struct dg_handle_group *group, uint32_t step)
{
    int most = 0;
    char word[64];

    if (!dg_step_word(&sides->program->steps[step], word))
        return 0;
    for (uint32_t i = 0; i < group->n; i++) {
        int one = says_nothing(sides, group, i)
                      ? 0
                      : worth_of_node(sides, group->steps[i], step, word);

        most = one > most ? one : most;
    }
    return most || dg_xnn_has_kind_of(word) ? most : DG_TAKEN_APART;
}

enum { STEPS_MOST = 16 }; /* of one place that are looked at: there are three */

/* Whether the step may give what the group gives at its end: of codes, and of floats of
 * them, the words do not tell. */
static bool may_end(const struct dg_sides *sides, const struct dg_handle_group *group,
                    uint32_t step)
{
    const struct dg_step *last = &sides->lowered->steps[dg_group_last(group)];
    char word[64];

    return !dg_step_converts(last) &&
           dg_step_word(&sides->program->steps[step], word) &&
           dg_step_may_be(last, word);
}

static bool only_brings_to_grid(const struct dg_step *step)
{
    char word[64];

    return dg_step_word(step, word) && strstr(word, "quantize_per_");
}

/* The last step of a place before its result is brought to a grid. */
static uint32_t end_of(const struct dg_sides *sides, const struct dg_numbered *place)
{
    for (uint32_t i = place->n; i-- && place->n - i <= STEPS_MOST;) {
        if (!only_brings_to_grid(&sides->program->steps[place->steps[i]]))
            return place->steps[i];
    }
    return place->steps[place->n - 1];
}

bool dg_place_is_taken_apart(const struct dg_sides *sides,
                             const struct dg_numbered *place)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < place->n && i < STEPS_MOST && n < 2; i++)
        n += !only_brings_to_grid(&sides->program->steps[place->steps[i]]);
    return n > 1;
}

static bool any_sums_products(const struct dg_schedule *schedule, const uint32_t *steps,
                              uint32_t n)
{
    bool any = false;

    for (uint32_t i = 0; i < n && i < STEPS_MOST && !any; i++) {
        const struct dg_kernel *kernel = schedule->steps[steps[i]].kernel;

        any = kernel && kernel->tolerance == DG_TOLERANCE_CONTRACTION;
    }
    return any;
}

/* A linear layer may be a batched product and a sum, between what brings them into
 * shape: each has a kind, and none is that of the layer. */
static bool are_one_layer(const struct dg_sides *sides,
                          const struct dg_handle_group *group,
                          const struct dg_numbered *place)
{
    return place->n > 1 && any_sums_products(sides->lowered, group->steps, group->n) &&
           any_sums_products(sides->program, place->steps, place->n);
}

/* Whether the step that a group is most like is not the one whose result it gives: of
 * what both sides took apart, and of what ends with moves, that is the place's last. */
static bool ends_elsewhere(const struct dg_sides *sides,
                           const struct dg_handle_group *group, int most)
{
    return most == DG_TAKEN_APART ||
           (most && group->n > 1 &&
            dg_step_moves(&sides->lowered->steps[dg_group_last(group)]));
}

/* The best of the steps of a place, and which that is: of equal ones the last that may
 * be the end. */
int dg_worth(const struct dg_sides *sides, const struct dg_handle_group *group,
             const struct dg_numbered *place, uint32_t *step)
{
    int most = 0;

    for (uint32_t i = 0; i < place->n && i < STEPS_MOST; i++) {
        int one = worth_of_step(sides, group, place->steps[i]);

        if (one > most ||
            (one && one == most && may_end(sides, group, place->steps[i]))) {
            most = one;
            *step = place->steps[i];
        }
    }
    if (!most && are_one_layer(sides, group, place))
        most = DG_TAKEN_APART;
    if (ends_elsewhere(sides, group, most))
        *step = end_of(sides, place);
    return most;
}
