/* Values of the evaluations of a comparison, made by hand. */
#include "unit/evaluations.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "kernels/cpu/line.h"
#include "unit/suite.h"

uint64_t bits(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double normal(struct random *random)
{
    double u = ((double)(bits(random) >> 11) + 1) * 0x1p-53;
    double v = (double)(bits(random) >> 11) * 0x1p-53;

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

double rounded(enum dg_type type, double value)
{
    unsigned char bytes[8];
    double result;

    dg_store_f64(type, bytes, 1, &value, 1);
    dg_load_f64(&result, type, bytes, 1, 1);
    return result;
}

double as_tf32(double value)
{
    uint32_t word = dg_bits_of_float((float)value);

    return dg_float_of_bits((word + 0xfff + (word >> 13 & 1)) & ~UINT32_C(0x1fff));
}

struct dg_tensor *tensor_of(enum dg_type type, const double *values, int64_t n)
{
    struct dg_error err = {0};
    struct dg_tensor *tensor =
        dg_tensor_new(&dg_host_memory, type, 1, (int64_t[]){n}, &err);

    ck_assert_msg(tensor != NULL, "%s", err.text);
    dg_store_f64(type, dg_tensor_data(tensor), 1, values, n);
    return tensor;
}

static struct dg_arg argument(enum dg_type type, const double *values, int64_t n)
{
    struct dg_arg arg = {0};

    if (!values)
        return arg;
    arg.kind = DG_ARG_TENSOR;
    arg.as.tensor = tensor_of(type, values, n);
    return arg;
}

struct dg_judgement judged(const struct values *values, struct dg_evidence evidence)
{
    int64_t n = values->n;
    bool is_float = dg_type_is_float(values->type);
    struct dg_arg args[] = {
        argument(values->type, values->reference, n),
        argument(values->type, values->tested, n),
        argument(is_float ? DG_TYPE_F64 : values->type, values->wide, n),
        argument(values->type, values->own_sums, n)};
    struct dg_judgement judgement;

    evidence.reference = &args[0];
    evidence.tested = &args[1];
    evidence.wide = values->wide ? &args[2] : NULL;
    evidence.own_sums = values->own_sums ? &args[3] : NULL;
    dg_judge(&judgement, &evidence);
    for (int i = 0; i < 4; i++)
        dg_arg_drop(&args[i]);
    return judgement;
}

enum dg_verdict verdict_of(const struct values *values, enum dg_tolerance tolerance,
                           int64_t longest_sum)
{
    return judged(values, (struct dg_evidence){.tolerance = tolerance,
                                               .n_steps = 1,
                                               .longest_sum = longest_sum})
        .verdict;
}
