/* The verdict on a value: is what differs rounding, or a mistake? */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/compare.h"
#include "exec/judge_parts.h"
#include "exec/ulp.h"

const char dg_policy_version[] = "2";

void dg_verdict(struct dg_judgement *judgement, enum dg_verdict verdict,
                const char *fmt, ...)
{
    va_list args;

    judgement->verdict = verdict;
    va_start(args, fmt);
    vsnprintf(judgement->why, sizeof(judgement->why), fmt, args);
    va_end(args);
}

static const char *const kinds[] = {
    [DG_ARG_NONE] = "None",         [DG_ARG_TENSOR] = "a tensor",
    [DG_ARG_INT] = "an int",        [DG_ARG_FLOAT] = "a float",
    [DG_ARG_BOOL] = "a bool",       [DG_ARG_STRING] = "a string",
    [DG_ARG_COMPLEX] = "a complex", [DG_ARG_TYPE] = "a dtype",
    [DG_ARG_LIST] = "a list",       [DG_ARG_UNKNOWN] = "not known",
};

static bool near_same_kind(enum dg_arg_kind a, enum dg_arg_kind b)
{
    bool whole =
        (a == DG_ARG_INT || a == DG_ARG_BOOL) && (b == DG_ARG_INT || b == DG_ARG_BOOL);

    return a == b || whole;
}

static void judge_plain(struct dg_judgement *judgement, const struct dg_arg *reference,
                        const struct dg_arg *tested)
{
    bool equal = true;

    if (reference->kind == DG_ARG_STRING)
        equal = !strcmp(reference->as.string, tested->as.string);
    else if (reference->kind == DG_ARG_TYPE)
        equal = reference->as.type == tested->as.type;
    else if (reference->kind == DG_ARG_INT || reference->kind == DG_ARG_BOOL)
        equal = reference->as.integer == tested->as.integer;
    if (equal)
        dg_verdict(judgement, DG_VERDICT_PASS, "%s", "");
    else if (reference->kind == DG_ARG_STRING)
        dg_verdict(judgement, DG_VERDICT_FAIL, "is \"%.80s\", expected \"%.80s\"",
                   tested->as.string, reference->as.string);
    else if (reference->kind == DG_ARG_TYPE)
        dg_verdict(judgement, DG_VERDICT_FAIL, "is %s, expected %s",
                   dg_type_name(tested->as.type), dg_type_name(reference->as.type));
    else
        dg_verdict(judgement, DG_VERDICT_FAIL, "is %lld, expected %lld",
                   (long long)tested->as.integer, (long long)reference->as.integer);
}

/* Whether there is something of which numbers can be told. */
static bool same_form(struct dg_judgement *judgement, const struct dg_tensor *reference,
                      const struct dg_tensor *tested)
{
    char wanted[200], got[200];

    if (reference->type != tested->type) {
        dg_verdict(judgement, DG_VERDICT_FAIL, "dtype is %s, expected %s",
                   dg_type_name(tested->type), dg_type_name(reference->type));
        return false;
    }
    if (dg_tensor_same_shape(reference, tested))
        return true;
    dg_verdict(judgement, DG_VERDICT_FAIL, "shape is %s, expected %s",
               dg_shape_text(tested, got, sizeof(got)),
               dg_shape_text(reference, wanted, sizeof(wanted)));
    return false;
}

/* An evaluation of the same shape, or NULL: sizes that depend on data may differ in
 * another precision. */
static const struct dg_tensor *evaluation(const struct dg_arg *arg,
                                          const struct dg_tensor *like)
{
    return arg && arg->kind == DG_ARG_TENSOR &&
                   dg_tensor_same_shape(arg->as.tensor, like)
               ? arg->as.tensor
               : NULL;
}

static void judge_exact(struct dg_judgement *judgement)
{
    const struct dg_metrics *metrics = &judgement->metrics;

    if (metrics->exact)
        dg_verdict(judgement, DG_VERDICT_PASS, "%s", "");
    else if (metrics->worst >= 0)
        dg_verdict(judgement, DG_VERDICT_FAIL,
                   "must be equal bit for bit: element %lld is %.9g, expected %.9g",
                   (long long)metrics->worst, metrics->worst_got, metrics->worst_ref);
    else
        dg_verdict(judgement, DG_VERDICT_FAIL,
                   "must be equal bit for bit, and has other NaN or infinities");
}

static bool same_items(const struct dg_arg *a, const struct dg_arg *b)
{
    bool same = a->as.list.n_items == b->as.list.n_items;

    for (size_t i = 0; same && i < a->as.list.n_items; i++)
        same = dg_same_bits(&a->as.list.items[i], &b->as.list.items[i]);
    return same;
}

/* Complex numbers as pairs of floats; NULL stays NULL. One share. */
static struct dg_tensor *in_parts(const struct dg_tensor *tensor)
{
    if (tensor && dg_type_is_complex(tensor->type))
        return dg_tensor_parts(tensor);
    return dg_tensor_keep((struct dg_tensor *)tensor);
}

/* Whether the bytes are equal in which they lie, in the same way. */
static bool lie_the_same(const struct dg_tensor *a, const struct dg_tensor *b)
{
    int64_t stretch = dg_tensor_reach(a) - a->offset;

    return stretch <= dg_tensor_count(a) && dg_tensor_same_strides(a, b) &&
           !memcmp(dg_tensor_data(a), dg_tensor_data(b),
                   (size_t)stretch * dg_type_bytes(a->type));
}

static bool same_elements(const struct dg_tensor *a, const struct dg_tensor *b)
{
    struct dg_metrics metrics;
    struct dg_tensor *parts[2];

    if (a->type != b->type || !dg_tensor_same_shape(a, b))
        return false;
    if (dg_tensor_contiguous(a) && dg_tensor_contiguous(b))
        return !memcmp(dg_tensor_data(a), dg_tensor_data(b),
                       (size_t)dg_tensor_count(a) * dg_type_bytes(a->type));
    if (lie_the_same(a, b))
        return true;
    if (dg_repeats_endlessly((const struct dg_tensor *[]){a, b}, 2))
        return false;
    if (a->rank == DG_RANK_MOST && dg_type_is_complex(a->type))
        return false; /* there is no room for a dimension of parts */
    parts[0] = in_parts(a);
    parts[1] = in_parts(b);
    dg_measure(&metrics, parts[0], parts[1]);
    dg_tensor_drop(parts[0]);
    dg_tensor_drop(parts[1]);
    return metrics.exact;
}

const struct dg_metrics *dg_off_wide(struct dg_judgement *judgement,
                                     const struct dg_tensor *wide,
                                     const struct dg_tensor *tested)
{
    struct dg_off_wide *off = &judgement->off_wide;

    if (off->wide != wide || off->tested != tested) {
        off->wide = wide;
        off->tested = tested;
        dg_measure(&off->metrics, wide, tested);
    }
    return &off->metrics;
}

bool dg_is_within(const struct dg_off_wide *off, const struct dg_tensor *wide,
                  const struct dg_tensor *tested, double most)
{
    return off->wide == wide && off->tested == tested &&
           off->metrics.compared == off->metrics.count && off->metrics.max_abs <= most;
}

bool dg_same_bits(const struct dg_arg *a, const struct dg_arg *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case DG_ARG_LIST:
        return same_items(a, b);
    case DG_ARG_FLOAT:
        return !memcmp(&a->as.real, &b->as.real, sizeof(a->as.real));
    case DG_ARG_INT:
    case DG_ARG_BOOL:
        return a->as.integer == b->as.integer;
    case DG_ARG_STRING:
        return !strcmp(a->as.string, b->as.string);
    case DG_ARG_TENSOR:
        return same_elements(a->as.tensor, b->as.tensor);
    default:
        return true;
    }
}

/* Whatever the class of an operator can or cannot say. */
static void judge_equal(struct dg_judgement *judgement,
                        const struct dg_evidence *evidence)
{
    const struct dg_tensor *tensor = evidence->tested->as.tensor;

    dg_verdict(judgement, DG_VERDICT_PASS, "%s", "");
    if (evidence->tested->kind != DG_ARG_TENSOR)
        return;
    dg_measure(&judgement->metrics, evidence->reference->as.tensor, tensor);
    dg_close_tolerance(tensor->type, &judgement->rtol, &judgement->atol);
    if (dg_fraction_bits(tensor->type) >= 0)
        dg_pass_with_note(&(struct dg_case){judgement, evidence, tensor, tensor,
                                            evaluation(evidence->wide, tensor), NULL});
}

static void judge_tensors(struct dg_case *judged)
{
    struct dg_judgement *judgement = judged->judgement;
    const struct dg_evidence *evidence = judged->evidence;

    for (int i = 0; i < DG_GRIDS; i++)
        judged->grids[i] = evaluation(evidence->grids[i], judged->tested);
    dg_measure(&judgement->metrics, judged->reference, judged->tested);
    dg_close_tolerance(judged->tested->type, &judgement->rtol, &judgement->atol);
    if (evidence->given)
        dg_judge_given(judged);
    else if (evidence->tolerance == DG_TOLERANCE_EXACT && evidence->keys &&
             evidence->any_of_equal && !judgement->metrics.exact)
        dg_judge_indices(judged);
    else if (evidence->tolerance == DG_TOLERANCE_EXACT)
        judge_exact(judgement);
    else if (dg_fraction_bits(judged->tested->type) < 0)
        dg_judge_whole(judged);
    else
        dg_judge_floats(judged);
}

/* A Python float is a tensor of one f64. */
static void judge_real(struct dg_judgement *judgement,
                       const struct dg_evidence *evidence)
{
    const struct dg_arg *args[] = {evidence->reference, evidence->tested,
                                   evidence->wide, evidence->own_sums};
    struct dg_tensor *tensors[4] = {NULL};

    for (int i = 0; i < 4; i++) {
        if (args[i] && args[i]->kind == DG_ARG_FLOAT)
            tensors[i] = dg_tensor_over(DG_TYPE_F64, 0, NULL, &args[i]->as.real);
    }
    judge_tensors(&(struct dg_case){judgement, evidence, tensors[0], tensors[1],
                                    tensors[2], tensors[3]});
    for (int i = 0; i < 4; i++)
        dg_tensor_drop(tensors[i]);
}

static bool is_endless(const struct dg_evidence *evidence)
{
    const struct dg_arg *reference = evidence->reference, *tested = evidence->tested;
    const struct dg_tensor *tensors[4];

    if (reference->kind != DG_ARG_TENSOR || tested->kind != DG_ARG_TENSOR ||
        !dg_tensor_same_shape(reference->as.tensor, tested->as.tensor))
        return false;
    tensors[0] = reference->as.tensor;
    tensors[1] = tested->as.tensor;
    tensors[2] = evaluation(evidence->wide, tensors[1]);
    tensors[3] = evaluation(evidence->own_sums, tensors[1]);
    return dg_repeats_endlessly(tensors, 4);
}

static void judge_real_ones(struct dg_judgement *judgement,
                            const struct dg_evidence *evidence)
{
    const struct dg_arg *reference = evidence->reference, *tested = evidence->tested;

    *judgement = (struct dg_judgement){
        .metrics = {.snr_db = NAN, .cosine = NAN, .max_ulp = -1, .worst = -1},
        .error = NAN,
        .floor = NAN,
        .allowed = NAN,
        .snr_limit = NAN,
        .ulp_limit = -1};
    if (reference->kind == DG_ARG_UNKNOWN || tested->kind == DG_ARG_UNKNOWN)
        dg_verdict(judgement, DG_VERDICT_SKIP, "rests on a step that could not run");
    else if (is_endless(evidence))
        dg_verdict(judgement, DG_VERDICT_SKIP,
                   "%lld elements show the same memory over and over, in overlapping"
                   " windows",
                   (long long)dg_tensor_count(tested->as.tensor));
    else if (!evidence->alone && dg_same_bits(reference, tested))
        judge_equal(judgement, evidence);
    else if (evidence->tolerance == DG_TOLERANCE_RANDOM && !evidence->given)
        dg_verdict(judgement, DG_VERDICT_SKIP, "depends on random numbers");
    else if (evidence->tolerance == DG_TOLERANCE_VECTORS && !evidence->given)
        dg_verdict(judgement, DG_VERDICT_SKIP,
                   "depends on vectors known up to a sign, or on values known up to "
                   "their order");
    else if (!near_same_kind(reference->kind, tested->kind))
        dg_verdict(judgement, DG_VERDICT_FAIL, "is %s, expected %s",
                   kinds[tested->kind], kinds[reference->kind]);
    else if (reference->kind == DG_ARG_FLOAT)
        judge_real(judgement, evidence);
    else if (reference->kind == DG_ARG_LIST)
        dg_verdict(judgement, DG_VERDICT_SKIP, "is a list, which is not compared");
    else if (reference->kind != DG_ARG_TENSOR)
        judge_plain(judgement, reference, tested);
    else if (same_form(judgement, reference->as.tensor, tested->as.tensor))
        judge_tensors(&(struct dg_case){
            judgement, evidence, reference->as.tensor, tested->as.tensor,
            evaluation(evidence->wide, tested->as.tensor),
            evaluation(evidence->own_sums, tested->as.tensor)});
}

static bool is_complex(const struct dg_arg *arg)
{
    return arg && arg->kind == DG_ARG_TENSOR &&
           dg_type_is_complex(arg->as.tensor->type);
}

/* Complex numbers are pairs of floats, each a sum that may cancel: no rounding of
 * theirs is a single one. */
void dg_judge(struct dg_judgement *judgement, const struct dg_evidence *evidence)
{
    struct dg_evidence pairs = *evidence;
    const struct dg_arg **args[] = {&pairs.reference, &pairs.tested, &pairs.wide,
                                    &pairs.own_sums};
    struct dg_arg parts[4] = {{0}};

    if (!is_complex(evidence->reference) || !is_complex(evidence->tested)) {
        judge_real_ones(judgement, evidence);
        return;
    }
    if (evidence->tested->as.tensor->rank == DG_RANK_MOST ||
        evidence->reference->as.tensor->rank == DG_RANK_MOST) {
        *judgement = (struct dg_judgement){.metrics = {.max_ulp = -1, .worst = -1},
                                           .ulp_limit = -1};
        dg_verdict(judgement, DG_VERDICT_SKIP, "complex numbers of rank %d",
                   DG_RANK_MOST);
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (!is_complex(*args[i]) || (*args[i])->as.tensor->rank == DG_RANK_MOST)
            continue;
        parts[i] = (struct dg_arg){DG_ARG_TENSOR,
                                   {.tensor = dg_tensor_parts((*args[i])->as.tensor)}};
        *args[i] = &parts[i];
    }
    if (pairs.tolerance == DG_TOLERANCE_ROUNDED)
        pairs.tolerance = DG_TOLERANCE_FUNCTION;
    judge_real_ones(judgement, &pairs);
    for (int i = 0; i < 4; i++)
        dg_arg_drop(&parts[i]);
}
