/* How far two tensors are apart, and whether that is rounding: policy "2" of
 * doc/numerics.md. */
#ifndef DG_EXEC_COMPARE_H
#define DG_EXEC_COMPARE_H

#include <stdbool.h>

#include "base/tensor.h"
#include "kernels/kernel.h"

/* Statistics are made in f64 over the positions where both are finite. What is not
 * defined is NaN: SNR and cosine where an error or a norm is 0. */
struct dg_metrics {
    int64_t count, compared; /* elements; those finite on both sides */
    double snr_db, max_abs, max_rel, cosine, rmse, rms; /* rms: of the reference */
    double mean_error;      /* with its sign: of `compared` elements; 0 of none */
    int64_t max_ulp;        /* of the tested type; -1: not defined */
    int64_t mismatches;     /* beyond rtol and atol of assert_close */
    int64_t nan[2], inf[2]; /* reference, tested */
    bool same_special;      /* NaN and signed infinity at the same places */
    bool exact;
    int64_t worst; /* flat index of the largest error; -1: none */
    double worst_ref, worst_got;
    double pass_rtol,
        pass_atol; /* the smallest tolerance that would pass, the other 0 */
};

/* Both of one shape, on the host. Mismatches are those beyond the defaults of torch.
 * What both repeat (dimensions of stride 0) is read once, and counts as often as it is
 * repeated. */
void dg_measure(struct dg_metrics *metrics, const struct dg_tensor *reference,
                const struct dg_tensor *tested);
void dg_measure_within(struct dg_metrics *metrics, const struct dg_tensor *reference,
                       const struct dg_tensor *tested, double rtol, double atol);

/* Whether reading all elements, without what all repeat, would take far longer than
 * their memory explains: a view may show the same bytes any number of times. Of `n`
 * tensors of one shape; all but the first may be NULL. */
bool dg_repeats_endlessly(const struct dg_tensor *const *tensors, int n);

/* Whether two values are equal bit for bit. */
bool dg_same_bits(const struct dg_arg *a, const struct dg_arg *b);

/* Over the positions where both are finite: root mean squares of the reference and of
 * the difference, and the largest difference; 0 where there are none. */
struct dg_deviation {
    double rms, rmse, max_abs;
    double snr_db; /* NAN: there is no difference, or nothing to tell it by */
};
struct dg_deviation dg_deviation_of(const struct dg_tensor *reference,
                                    const struct dg_tensor *tested);

/* Whether there are finite elements, and all of them are 0. */
bool dg_is_zero(const struct dg_tensor *tensor);

/* Elements beyond a bound, and the one of them with the largest error. */
struct dg_beyond {
    int64_t count, worst;
    double worst_ref, worst_got;
};

/* What is more than `ulp` apart, and also more than rel * |reference| and more than
 * `absolute`, is beyond it. */
struct dg_nearness {
    int64_t ulp;
    double rel, absolute;
    /* Values by two ways of rounding: where these are beyond it, one of the two tensors
     * may be near the one, and the other near the other. Both NULL: there is one way.
     */
    const struct dg_tensor *ways[2];
};
struct dg_beyond dg_find_beyond(const struct dg_tensor *reference,
                                const struct dg_tensor *tested,
                                const struct dg_nearness *bound);

/* Positions where integers or bools differ, as they do in `tested`; also_* count those
 * where another evaluation differs from the reference, too. */
struct dg_differences {
    int64_t tested, evaluations, both;
};
/* `evaluations`: two tensors; each may be NULL. */
void dg_count_differences(struct dg_differences *count,
                          const struct dg_tensor *reference,
                          const struct dg_tensor *tested,
                          const struct dg_tensor *const *evaluations);

/* Defaults of torch.testing.assert_close. */
void dg_close_tolerance(enum dg_type type, double *rtol, double *atol);
/* Distance of neighbours at `value`; 0: not a float type. */
double dg_ulp_at(enum dg_type type, double value);

enum dg_verdict { DG_VERDICT_PASS, DG_VERDICT_FAIL, DG_VERDICT_SKIP };

/* What the user allows instead of the policy; below 0: not given. */
struct dg_limits {
    double rtol, atol, min_snr;
};
#define DG_NO_LIMITS                                                                   \
    {                                                                                  \
        -1, -1, -1                                                                     \
    }

enum { DG_GRIDS = 3 }; /* other ones, beside that of own_sums */

/* What is judged. Tensors are on the host. */
struct dg_evidence {
    const struct dg_arg *reference; /* what should be: expected, or the reference run */
    const struct dg_arg *tested;
    const struct dg_arg *wide; /* the f64 evaluation; NULL: none */
    const struct dg_arg
        *own_sums;               /* the evaluation that sums in the dtype; NULL: none */
    enum dg_tolerance tolerance; /* the loosest of the steps that made it */
    size_t n_steps;              /* inexact steps behind it, one after the other (depth
                                    of a slice); above 1: a program */
    int64_t longest_sum;         /* terms of its longest sum; 0: not known */
    enum dg_type narrowest;      /* float type behind it; no float: its own */
    bool exponential;            /* exp is among the steps */
    int64_t half_sum;            /* terms of the longest sum in f16; 0: there is none */
    const struct dg_limits *given; /* NULL: the policy decides */
    bool tf32;                     /* products may round their inputs to TF32 */
    bool other_grid; /* own_sums rounds to grids as other code may: kernels/kernel.h */
    const struct dg_arg *grids[DG_GRIDS]; /* so do these, to others; NULL: none */
    double grid_step;  /* of codes that became these floats; 0: none is known */
    bool grid_softmax; /* these are a softmax of those floats */
    /* Of results of sort, topk, argmax: what was put in order. NULL: not known. */
    const struct dg_tensor *keys;
    int keys_dim;      /* -1: all of it */
    double keys_error; /* RMSE that rounding explains in them; 0: they are exact */
    bool stable;       /* equal keys keep their order */
    bool any_of_equal; /* which of equal keys an index names is left open */
    bool alone;   /* the run is judged by itself: that bits are equal says nothing */
    bool expects; /* something else gave the reference, not what is tested */
};

/* How far a value is off its f64 evaluation, once that was asked for. */
struct dg_off_wide {
    const struct dg_tensor *wide, *tested; /* of which it tells; NULL: of none yet */
    struct dg_metrics metrics;
};

struct dg_judgement {
    enum dg_verdict verdict;
    char why[240]; /* of fail and skip: in words; of pass: a note or "" */
    struct dg_metrics metrics;
    double error, floor,
        allowed;       /* RMSE against the f64 evaluation: tested, own sums, bound */
    double snr_limit;  /* dB; NaN: none */
    int64_t ulp_limit; /* -1: none */
    double rtol, atol; /* of the mismatch count */
    bool unstable;     /* why it is a skip: rounding alone leads too far */
    struct dg_off_wide off_wide;
};

void dg_judge(struct dg_judgement *judgement, const struct dg_evidence *evidence);

/* The metrics of dg_measure(), which are made once for each pair of tensors. */
const struct dg_metrics *dg_off_wide(struct dg_judgement *judgement,
                                     const struct dg_tensor *wide,
                                     const struct dg_tensor *tested);

/* Of what passed although codes may be others near ties: fail where elements are off
 * that these do not move. `moved`: own sums with those codes; evidence->own_sums has
 * those of the program. `otherwise`: what would be expected of elements that move. */
void dg_judge_unmoved(struct dg_judgement *judgement,
                      const struct dg_evidence *evidence, const struct dg_arg *moved,
                      const struct dg_arg *otherwise);

extern const char dg_policy_version[];

#endif
