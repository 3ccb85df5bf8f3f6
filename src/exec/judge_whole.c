/* Verdicts on integers and bools that floats decided: indices, masks, quantised. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/judge_parts.h"
#include "exec/ulp.h"
#include "kernels/cpu/line.h"

/* Rounding to a grid differs only where the quotient is within f32's error of a tie:
 * 255 * 2^-24 of all values is the most that this happens to 8-bit numbers; one percent
 * leaves room for 16-bit inputs, and rounding down instead moves half of them. */
static const double one_step_share = 0.01;

double dg_steps_apart(double count)
{
    return fmax(1, one_step_share * count);
}

/* Evaluations of the reference that differ among themselves show how often rounding
 * decides. Another implementation may flip others, and as many. */
static const int64_t flips_factor = 2;

static struct dg_differences count(const struct dg_case *judged)
{
    const struct dg_tensor *evaluations[2] = {judged->wide, judged->own_sums};
    struct dg_differences differences;

    dg_count_differences(&differences, judged->reference, judged->tested, evaluations);
    return differences;
}

void dg_fail_at_worst(const struct dg_case *judged, int64_t n)
{
    const struct dg_metrics *metrics = &judged->judgement->metrics;

    dg_verdict(judged->judgement, DG_VERDICT_FAIL,
               "%lld of %lld elements differ; element %lld is %.17g, expected %.17g",
               (long long)n, (long long)metrics->count, (long long)metrics->worst,
               metrics->worst_got, metrics->worst_ref);
}

static void judge_quantized(const struct dg_case *judged, int64_t n)
{
    const struct dg_metrics *metrics = &judged->judgement->metrics;

    if (metrics->max_abs <= 1 && (double)n <= dg_steps_apart((double)metrics->count))
        dg_verdict(judged->judgement, DG_VERDICT_PASS,
                   "%lld elements are one step apart", (long long)n);
    else
        dg_fail_at_worst(judged, n);
}

void dg_judge_whole(const struct dg_case *judged)
{
    struct dg_judgement *judgement = judged->judgement;
    struct dg_differences n = count(judged);

    if (judged->evidence->keys && n.tested)
        dg_judge_indices(judged);
    else if (!n.tested && n.evaluations)
        dg_verdict(judgement, DG_VERDICT_PASS,
                   "rounding decides %lld elements: f64 has others",
                   (long long)n.evaluations);
    else if (!n.tested)
        dg_verdict(judgement, DG_VERDICT_PASS, "%s", "");
    else if (dg_are_codes(judged))
        dg_judge_codes(judged, &n);
    else if (judged->evidence->tolerance == DG_TOLERANCE_QUANTIZE)
        judge_quantized(judged, n.tested);
    else if (n.tested <= flips_factor * n.evaluations)
        dg_verdict(judgement, DG_VERDICT_SKIP,
                   "decided by rounding: %lld elements differ, and the f64 reference "
                   "disagrees with %s on %lld",
                   (long long)n.tested, dg_type_name(judged->reference->type),
                   (long long)n.evaluations);
    else
        dg_fail_at_worst(judged, n.tested);
}

/* Keys in lines of `length`, `inner` elements apart; indices in lines of `taken`. */
struct order {
    const struct dg_case *judged;
    const struct dg_tensor *keys;
    int64_t length, taken, outer, inner;
    double allowed; /* between keys; NaN: they must be equal */
    int64_t swapped;
    unsigned char *seen; /* `length` flags */
};

/* Where element `flat` lies, in elements from the first one. */
static int64_t offset_of(const struct dg_tensor *tensor, int64_t flat)
{
    int64_t offset = 0;

    for (int dim = tensor->rank - 1; dim >= 0; dim--) {
        offset += flat % tensor->sizes[dim] * tensor->strides[dim];
        flat /= tensor->sizes[dim];
    }
    return offset;
}

static int64_t place_of_key(const struct order *order, int64_t line, int64_t index)
{
    int64_t outer = line / order->inner, inner = line % order->inner;

    return offset_of(order->keys,
                     (outer * order->length + index) * order->inner + inner);
}

/* Of the keys at two places. f64 does not hold all of i64. */
static bool near_keys(const struct order *order, int64_t one, int64_t other)
{
    double a, b;

    if (dg_fraction_bits(order->keys->type) < 0)
        return dg_get_i64(order->keys, one) == dg_get_i64(order->keys, other);
    a = dg_get_f64(order->keys, one);
    b = dg_get_f64(order->keys, other);
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= order->allowed;
}

static bool judge_index(struct order *order, int64_t line, int64_t rank)
{
    const struct dg_case *judged = order->judged;
    int64_t flat = (line / order->inner * order->taken + rank) * order->inner +
                   line % order->inner;
    int64_t wanted = dg_get_i64(judged->reference, offset_of(judged->reference, flat));
    int64_t got = dg_get_i64(judged->tested, offset_of(judged->tested, flat));
    int64_t want_key, got_key;

    if (wanted < 0 || wanted >= order->length || got < 0 || got >= order->length) {
        dg_verdict(judged->judgement, DG_VERDICT_FAIL,
                   "element %lld is index %lld, expected %lld, of %lld",
                   (long long)flat, (long long)got, (long long)wanted,
                   (long long)order->length);
        return false;
    }
    if (order->seen[got]++) {
        dg_verdict(judged->judgement, DG_VERDICT_FAIL,
                   "element %lld is index %lld, which was taken before",
                   (long long)flat, (long long)got);
        return false;
    }
    if (wanted == got)
        return true;
    order->swapped++;
    want_key = place_of_key(order, line, wanted);
    got_key = place_of_key(order, line, got);
    if (!judged->evidence->stable && near_keys(order, want_key, got_key))
        return true;
    dg_verdict(judged->judgement, DG_VERDICT_FAIL,
               "element %lld is index %lld of value %.9g, expected %lld of value %.9g",
               (long long)flat, (long long)got, dg_get_f64(order->keys, got_key),
               (long long)wanted, dg_get_f64(order->keys, want_key));
    return false;
}

static bool order_of(struct order *order, const struct dg_case *judged)
{
    const struct dg_tensor *keys = judged->evidence->keys;
    int dim = judged->evidence->keys_dim;
    int64_t n = dg_tensor_count(judged->tested);

    *order = (struct order){judged, keys, 1, 0, 1, 1, 0, 0, NULL};
    for (int d = 0; d < keys->rank; d++) {
        int64_t *product = d == dim || dim < 0 ? &order->length
                           : d < dim           ? &order->outer
                                               : &order->inner;

        *product *= keys->sizes[d];
    }
    order->allowed = 4 * judged->evidence->keys_error;
    if (!order->outer || !order->inner || n % (order->outer * order->inner))
        return false;
    order->taken = n / (order->outer * order->inner);
    order->seen = calloc((size_t)order->length + 1, 1);
    return order->seen;
}

void dg_judge_indices(const struct dg_case *judged)
{
    struct order order;
    bool good = true;

    if (!order_of(&order, judged)) {
        dg_verdict(judged->judgement, DG_VERDICT_SKIP,
                   "indices differ, and what they name is not known");
        return;
    }
    for (int64_t line = 0; line < order.outer * order.inner && good; line++) {
        memset(order.seen, 0, (size_t)order.length);
        for (int64_t rank = 0; rank < order.taken && good; rank++)
            good = judge_index(&order, line, rank);
    }
    if (good)
        dg_verdict(judged->judgement, DG_VERDICT_PASS,
                   "%lld indices differ among equal values", (long long)order.swapped);
    free(order.seen);
}
