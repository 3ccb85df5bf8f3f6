/* Steps that may not be the ones that they were held to. */
#include <stdio.h>

#include "exec/run_parts.h"

static bool all_pass(const struct dg_numeric_answer *answer, size_t first)
{
    bool compared = false;

    for (size_t i = first; i < answer->n_results; i++) {
        if (!answer->results[i].counted)
            continue;
        if (answer->results[i].judgement.verdict != DG_VERDICT_PASS)
            return false;
        compared = true;
    }
    return compared;
}

/* The search for the culprit may have ended at a step that is excused: it is the next
 * that fails then, which was not looked at alone. */
static void pass_on_culprit(struct dg_comparison *comparison)
{
    struct dg_numeric_answer *answer = comparison->answer;
    size_t i = answer->culprit;

    while (i < answer->n_steps && answer->steps[i].judgement.verdict != DG_VERDICT_FAIL)
        i++;
    answer->culprit = i < answer->n_steps ? i : SIZE_MAX;
    answer->confirmed = false;
    answer->alone = (struct dg_judgement){.verdict = DG_VERDICT_SKIP};
    answer->n_candidates = 0;
    if (answer->culprit != SIZE_MAX)
        dg_comparison_candidates(comparison, answer->steps[i].step);
}

void dg_comparison_excuse_doubtful(struct dg_comparison *comparison, size_t first)
{
    struct dg_numeric_answer *answer = comparison->answer;

    if (!comparison->request->against || !all_pass(answer, first))
        return;
    for (size_t i = 0; i < answer->n_steps; i++) {
        struct dg_judgement *judgement = &answer->steps[i].judgement;

        if (judgement->verdict != DG_VERDICT_FAIL ||
            !comparison->matching.doubtful[answer->steps[i].step])
            continue;
        judgement->verdict = DG_VERDICT_SKIP;
        snprintf(
            judgement->why, sizeof(judgement->why),
            "which step of the other program it is is not sure, and the outputs pass");
    }
    if (answer->culprit < answer->n_steps &&
        answer->steps[answer->culprit].judgement.verdict == DG_VERDICT_SKIP)
        pass_on_culprit(comparison);
}
