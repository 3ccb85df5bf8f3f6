/* What the parts of a judgement share. */
#ifndef DG_EXEC_JUDGE_PARTS_H
#define DG_EXEC_JUDGE_PARTS_H

#include "exec/compare.h"

/* Tensors of one shape; reference and tested are of one type. */
struct dg_case {
    struct dg_judgement *judgement; /* with the metrics filled in */
    const struct dg_evidence *evidence;
    const struct dg_tensor *reference, *tested;
    const struct dg_tensor *wide, *own_sums; /* NULL: none */
    const struct dg_tensor *grids[DG_GRIDS]; /* likewise */
};

enum { DG_FEW = 64 }; /* elements: of so few an SNR or a share says little */
/* Codes that own code and other may round to other sides. */
bool dg_are_codes(const struct dg_case *judged);
void dg_judge_codes(const struct dg_case *judged, const struct dg_differences *n);
/* Raises what is allowed to floats that were made of codes, and to the largest error.
 */
void dg_allow_steps(const struct dg_case *judged, double *peak);
/* Whether all elements together are off, of codes (`step` 1) or what was made of codes
 * on a grid of that step: then it has failed. */
bool dg_is_shifted(const struct dg_case *judged, double step);
void dg_fail_at_worst(const struct dg_case *judged, int64_t n);

/* How many of `count` codes may be one step apart where nothing says more. */
double dg_steps_apart(double count);
void dg_verdict(struct dg_judgement *judgement, enum dg_verdict verdict,
                const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Pass; infinities that a narrow dtype explains are told of, not hidden. */
void dg_pass_with_note(const struct dg_case *judged);
void dg_judge_floats(const struct dg_case *judged);
/* Fail, as NaN or infinities are not in the same places. */
void dg_judge_special(const struct dg_case *judged);
/* By what evidence->given allows. */
void dg_judge_given(const struct dg_case *judged);
/* Integers and bools that depend on inexact floats. */
void dg_judge_whole(const struct dg_case *judged);
/* Indices by the values that they name. */
void dg_judge_indices(const struct dg_case *judged);

/* RMS error of functions behind it that are further off than an ulp, of a value of 1;
 * 0: there are none. */
double dg_error_of_functions(const struct dg_case *judged);

/* Whether all of `tested` is finite and no further from `wide` than `most`, as far as
 * that was measured. */
bool dg_is_within(const struct dg_off_wide *off, const struct dg_tensor *wide,
                  const struct dg_tensor *tested, double most);

/* judge_rounding.c */
enum {
    DG_UNKNOWN_SUM = 4096, /* terms, where the longest sum is not known */
    /* Among many elements an RMS error hides one that is wrong. Largest errors of right
     * results differ little: by less than 3 in all networks of tests/oracle. */
    DG_PEAK_FACTOR = 4,
};

/* What the evaluations say of an output, each against f64. */
struct dg_evaluations {
    double error, reference_error, rms;
    double own_snr_db; /* of the evaluation that sums in the dtype; NaN */
    double peak;       /* the largest error that rounding explains */
};

struct dg_evaluations dg_measure_evaluations(const struct dg_case *judged);

/* RMS error of values of that RMS which rounding explains though own sums are no guide.
 */
double dg_error_by_chance(const struct dg_case *judged, double rms);

/* SNR against f64 that the loosest operator behind a value has to have; NaN: none. */
double dg_class_limit(const struct dg_case *judged);
/* Whether the evaluations differ by so much that a bound by them says little: then the
 * verdict is given. Judged by itself, a value is that however near f64 it is. */
bool dg_is_unstable(const struct dg_case *judged,
                    const struct dg_evaluations *evaluations);

/* Whether own sums, as they take torch's steps, bound a value however far these lead.
 */
bool dg_steps_lead(const struct dg_case *judged);

/* The narrowest type of floats behind an output. */
enum dg_type dg_narrowest(const struct dg_case *judged);

#endif
