/* Whether steps that were matched by name or by their count read what belongs together.
 */
#include <string.h>

#include "exec/match_parts.h"

/* What a step reads of what is computed or given: numbers of steps, and behind those
 * the numbers of inputs. */
struct sources {
    const uint32_t *source; /* of each slot */
    uint32_t *found;        /* room for READS_MOST */
    size_t n;
};

enum { READS_MOST = 64 };

static void add_source(void *data, uint32_t slot)
{
    struct sources *sources = data;

    if (sources->source[slot] == DG_NO_STEP)
        return;
    if (sources->n < READS_MOST)
        sources->found[sources->n] = sources->source[slot];
    sources->n++;
}

/* Steps and inputs of one program by those of the other. */
struct partners {
    uint32_t *of, *back;
};

static struct partners partners_of(const struct dg_matching *matching,
                                   const struct dg_schedule *schedule,
                                   const struct dg_schedule *other,
                                   struct dg_arena *memory)
{
    size_t n = schedule->n_steps + schedule->n_inputs,
           m = other->n_steps + other->n_inputs;
    struct partners partners = {dg_alloc(memory, n + 1, sizeof(uint32_t)),
                                dg_alloc(memory, m + 1, sizeof(uint32_t))};

    memset(partners.of, 0xff, n * sizeof(*partners.of));
    memset(partners.back, 0xff, m * sizeof(*partners.back));
    for (size_t j = 0; j < other->n_inputs; j++) {
        if (matching->inputs[j] == SIZE_MAX)
            continue;
        partners.of[schedule->n_steps + matching->inputs[j]] =
            (uint32_t)(other->n_steps + j);
        partners.back[other->n_steps + j] =
            (uint32_t)(schedule->n_steps + matching->inputs[j]);
    }
    return partners;
}

/* Of two steps that seem to be one, does one read what the other cannot? A .pte also
 * reads the place that it writes, behind all else. */
static bool are_strangers(const struct sources *a, const struct sources *b,
                          const struct partners *partners, bool by_name)
{
    size_t n = a->n < b->n ? a->n : b->n;

    if (by_name && a->n != b->n)
        return true;
    for (size_t k = 0; k < n && k < READS_MOST; k++) {
        uint32_t partner = partners->of[a->found[k]];

        if (partner != DG_NO_STEP ? partner != b->found[k]
                                  : partners->back[b->found[k]] != DG_NO_STEP)
            return true;
    }
    return false;
}

/* Whether two steps read the same, as far as something is computed. */
static bool is_known(const struct dg_matching *matching, const struct sources *a,
                     const struct sources *b, const struct partners *partners,
                     size_t n_steps)
{
    size_t n = a->n < b->n ? a->n : b->n;

    for (size_t k = 0; k < n; k++) {
        if (k >= READS_MOST || partners->of[a->found[k]] != b->found[k] ||
            (a->found[k] < n_steps && matching->doubtful[a->found[k]]))
            return false;
    }
    return n > 0;
}

/* Names and counts are given in order: where one program has more steps, equal ones
 * mean others from there on. Such steps read what does not belong together. */
void dg_drop_strangers(struct dg_matching *matching, const struct dg_schedule *schedule,
                       const struct dg_schedule *other, struct dg_arena *memory)
{
    bool by_name = !schedule->is_pte && !other->is_pte;
    uint32_t ours[READS_MOST], theirs[READS_MOST];
    struct partners partners = partners_of(matching, schedule, other, memory);
    struct sources a = {dg_makers_of(schedule, memory), ours, 0};
    struct sources b = {dg_makers_of(other, memory), theirs, 0};

    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        uint32_t j = matching->steps[i];
        bool is_inside;

        if (j == DG_NO_STEP)
            continue;
        a.n = b.n = 0;
        dg_step_reads(&schedule->steps[i], add_source, &a);
        dg_step_reads(&other->steps[j], add_source, &b);
        is_inside = schedule->steps[i].xnnpack || other->steps[j].xnnpack;
        if (!is_inside && are_strangers(&a, &b, &partners, by_name)) {
            matching->steps[i] = DG_NO_STEP;
            continue;
        }
        if (!is_inside)
            matching->doubtful[i] =
                !by_name && !is_known(matching, &a, &b, &partners, schedule->n_steps) &&
                dg_equal_constants(schedule, &schedule->steps[i], other,
                                   &other->steps[j]) <= 0;
        partners.of[i] = j;
        partners.back[j] = i;
    }
}
