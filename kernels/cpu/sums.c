/* Sums of lines of f64, made as the run asks for. */
#include "kernels/cpu/sums.h"

#include "kernels/cpu/line.h"
#include "kernels/cpu/walk.h"

bool dg_sums_are_narrow(const struct dg_context *context, enum dg_type type)
{
    return context->precision == DG_PRECISION_OWN_SUMS && type != DG_TYPE_F64;
}

static double narrow_sum(const double *x, int64_t n)
{
    float sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (float)x[i];
    return (double)sum;
}

double dg_sum_line(const double *x, int64_t n, bool narrow)
{
    double sum = 0;

    if (narrow)
        return narrow_sum(x, n);
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static bool are_equal(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (x[i] - x[0] != 0) /* of infinities that is NaN */
            return false;
    }
    return n > 0;
}

/* As ExecuTorch's kernels and others do in one pass: the mean of squares less the
 * square of the mean, which cancels where the mean is large. */
static double narrow_variance(const double *x, int64_t n, double mean)
{
    float sum = 0, count = (float)n, middle = (float)mean, variance;

    for (int64_t i = 0; i < n; i++)
        sum += (float)x[i] * (float)x[i];
    variance = sum / count - middle * middle;
    return variance < 0 ? 0 : (double)variance;
}

static double squares(const double *x, int64_t n, double mean)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

void dg_moments(const double *x, int64_t n, bool narrow, double *mean, double *variance)
{
    if (narrow && are_equal(x, n)) { /* two passes lead furthest: to a deviation of 0 */
        *mean = x[0];
        *variance = 0;
        return;
    }
    *mean = dg_sum_line(x, n, narrow) / (double)n;
    *variance =
        narrow ? narrow_variance(x, n, *mean) : squares(x, n, *mean) / (double)n;
}

double *dg_load_all(struct dg_call *call, struct dg_tensor *tensor)
{
    struct dg_tensor *line = tensor ? dg_contiguous(call, tensor) : NULL;
    int64_t n = line ? dg_tensor_count(line) : 0;
    double *values;

    if (!line)
        return NULL;
    values = dg_scratch(call, n, sizeof(*values));
    if (values)
        dg_load_f64(values, line->type, dg_tensor_data(line), 1, n);
    dg_tensor_drop(line);
    return values;
}
