/* Values of the evaluations of a comparison, made by hand. */
#ifndef DG_TESTS_LEGS_H
#define DG_TESTS_LEGS_H

#include "exec/compare.h"

/* Normal numbers that a seed determines. */
struct random {
    uint64_t state;
};
double normal(struct random *random);
uint64_t bits(struct random *random);

/* `value` as `type` holds it. */
double rounded(enum dg_type type, double value);
/* As a TF32 product reads it: 10 bits of fraction. */
double as_tf32(double value);

/* A tensor of one dimension with these values, rounded to `type`. */
struct dg_tensor *tensor_of(enum dg_type type, const double *values, int64_t n);

/* All are of `n` values; NULL: that evaluation is missing. */
struct values {
    enum dg_type type;
    int64_t n;
    const double *reference, *tested, *wide, *own_sums;
};
struct dg_judgement judged(const struct values *values, struct dg_evidence evidence);
enum dg_verdict verdict_of(const struct values *values, enum dg_tolerance tolerance,
                           int64_t longest_sum);

#endif
