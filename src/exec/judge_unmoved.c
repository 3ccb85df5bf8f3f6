/* Verdicts on values whose codes may be others near ties: the elements that these do
 * not move are held to what holds without them. */
#include <stdio.h>
#include <string.h>

#include "exec/judge_parts.h"
#include "kernels/cpu/walk.h"

/* Without gaps, with memory of its own; NULL: it is no tensor of this form. */
static struct dg_tensor *copy_of(const struct dg_arg *arg, const struct dg_tensor *like)
{
    struct dg_error err = {0};

    if (!arg || arg->kind != DG_ARG_TENSOR || arg->as.tensor->type != like->type ||
        !dg_tensor_same_shape(arg->as.tensor, like))
        return NULL;
    return dg_copy_apart(&dg_host_memory, arg->as.tensor, 1, &err);
}

/* What was expected, but for the elements where `moved` is not `still`: these are those
 * of `otherwise`. */
static void put_back(struct dg_tensor *expected, const struct dg_tensor *otherwise,
                     const struct dg_tensor *moved, const struct dg_tensor *still)
{
    size_t size = dg_type_bytes(expected->type);
    char *to = dg_tensor_data(expected);
    const char *from = dg_tensor_data(otherwise), *a = dg_tensor_data(moved),
               *b = dg_tensor_data(still);

    for (size_t i = 0, n = (size_t)dg_tensor_count(expected); i < n; i++) {
        if (memcmp(a + i * size, b + i * size, size) != 0)
            memcpy(to + i * size, from + i * size, size);
    }
}

static void judge_rest(struct dg_judgement *judgement,
                       const struct dg_evidence *evidence, struct dg_tensor *expected)
{
    static const char where[] = "where no code near a tie leads: ";
    struct dg_arg rest = {DG_ARG_TENSOR, {.tensor = expected}};
    struct dg_evidence strict = *evidence;
    struct dg_judgement found;

    strict.reference = &rest;
    dg_judge(&found, &strict);
    if (found.verdict != DG_VERDICT_FAIL)
        return;
    dg_verdict(judgement, DG_VERDICT_FAIL, "%s%.200s", where, found.why);
    judgement->allowed = found.allowed;
    judgement->floor = found.floor;
}

void dg_judge_unmoved(struct dg_judgement *judgement,
                      const struct dg_evidence *evidence, const struct dg_arg *moved,
                      const struct dg_arg *otherwise)
{
    const struct dg_tensor *like =
        otherwise->kind == DG_ARG_TENSOR ? otherwise->as.tensor : NULL;
    const struct dg_arg *args[] = {evidence->reference, otherwise, moved,
                                   evidence->own_sums};
    struct dg_tensor *copies[4] = {NULL};
    bool all = like && !evidence->given && judgement->verdict == DG_VERDICT_PASS;

    for (int i = 0; i < 4 && all; i++) {
        copies[i] = copy_of(args[i], like);
        all = copies[i];
    }
    if (all) {
        put_back(copies[0], copies[1], copies[2], copies[3]);
        judge_rest(judgement, evidence, copies[0]);
    }
    for (int i = 0; i < 4; i++)
        dg_tensor_drop(copies[i]);
}
