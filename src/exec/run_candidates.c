/* Where the cause of a wrong value may lie, when the step that shows it is right. */
#include "exec/run_parts.h"

/* Steps whose values were held to something. */
static bool *compared_steps(struct dg_comparison *comparison)
{
    const struct dg_numeric_answer *answer = comparison->answer;
    bool *compared = dg_alloc(&comparison->memory, comparison->schedule->n_steps + 1,
                              sizeof(*compared));

    for (size_t i = 0; i < answer->n_steps; i++) {
        if (answer->steps[i].judgement.verdict != DG_VERDICT_SKIP)
            compared[answer->steps[i].step] = true;
    }
    return compared;
}

struct search {
    const struct dg_comparison *comparison;
    bool *seen;      /* by step */
    uint32_t *found; /* by the order in which they were met */
    size_t n_found;
};

static void note_maker(void *data, uint32_t slot)
{
    struct search *search = data;
    uint32_t maker = search->comparison->made_by[slot];

    if (maker == DG_NO_STEP || search->seen[maker])
        return;
    search->seen[maker] = true;
    search->found[search->n_found++] = maker;
}

static void follow(struct search *search)
{
    const struct dg_schedule *schedule = search->comparison->schedule;
    struct dg_numeric_answer *answer = search->comparison->answer;

    answer->candidates =
        dg_alloc(&answer->memory, schedule->n_steps + 1, sizeof(*answer->candidates));
    answer->n_candidates = 0;
    for (size_t k = 0; k < search->n_found; k++) {
        const struct dg_step *step = &schedule->steps[search->found[k]];

        if (dg_step_computes(step))
            answer->candidates[answer->n_candidates++] = search->found[k];
        dg_step_reads(step, note_maker, search);
    }
}

static struct search start(struct dg_comparison *comparison, bool *seen)
{
    return (struct search){comparison, seen,
                           dg_alloc(&comparison->memory,
                                    comparison->schedule->n_steps + 1,
                                    sizeof(uint32_t)),
                           0};
}

/* The step before `at` of those that one node of the other program stands for. */
static uint32_t joint_before(const struct dg_comparison *comparison, uint32_t at,
                             uint32_t first)
{
    const struct dg_step *step = &comparison->schedule->steps[at];
    uint32_t maker = step->n_args && step->args[0].kind == DG_OPERAND_SLOT
                         ? comparison->made_by[step->args[0].slot]
                         : DG_NO_STEP;

    return at > first && maker < at && maker >= first ? maker : DG_NO_STEP;
}

/* Who makes what `i` reads, and what is one with it in the other program. */
static void note_makers(struct search *search, uint32_t i)
{
    const struct dg_comparison *comparison = search->comparison;
    const uint32_t *firsts = comparison->matching.firsts;
    uint32_t first = firsts && firsts[i] != DG_NO_STEP ? firsts[i] : i;

    for (uint32_t at = i; at != DG_NO_STEP; at = joint_before(comparison, at, first))
        search->seen[at] = true;
    for (uint32_t at = i; at != DG_NO_STEP; at = joint_before(comparison, at, first))
        dg_step_reads(&comparison->schedule->steps[at], note_maker, search);
}

/* Where all was compared before it: what it reads, which is off by less than is told
 * from rounding. */
static void add_those_that_pass(struct dg_comparison *comparison, uint32_t i)
{
    const struct dg_schedule *schedule = comparison->schedule;
    struct dg_numeric_answer *answer = comparison->answer;
    struct search search = start(
        comparison, dg_alloc(&comparison->memory, schedule->n_steps + 1, sizeof(bool)));

    note_makers(&search, i);
    for (size_t k = 0; k < search.n_found; k++) {
        if (dg_step_computes(&schedule->steps[search.found[k]]))
            answer->candidates[answer->n_candidates++] = search.found[k];
    }
    answer->candidates_pass = answer->n_candidates > 0;
}

void dg_comparison_candidates(struct dg_comparison *comparison, uint32_t i)
{
    struct search search = start(comparison, compared_steps(comparison));

    comparison->answer->candidates_pass = false;
    note_makers(&search, i);
    follow(&search);
    if (!comparison->answer->n_candidates)
        add_those_that_pass(comparison, i);
}

void dg_comparison_candidates_of_outputs(struct dg_comparison *comparison, size_t from)
{
    const struct dg_numeric_answer *answer = comparison->answer;
    struct search search = start(comparison, compared_steps(comparison));

    for (size_t i = from; i < answer->n_results; i++) {
        size_t output = answer->results[i].output;

        if (answer->results[i].judgement.verdict == DG_VERDICT_FAIL &&
            comparison->schedule->outputs[output].slot != DG_IO_LITERAL)
            note_maker(&search, comparison->schedule->outputs[output].slot);
    }
    follow(&search);
}
