/* Variance and standard deviation, alone or with the mean. */
#include <math.h>

#include "kernels/cpu/reduce.h"

static void squared_deviation(double *line, int64_t n, double mean)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = (line[i] - mean) * (line[i] - mean);
}

struct moments {
    bool root, with_mean;
};

static void moments_group(const struct dg_reduction *r, struct dg_group *group,
                          int64_t i)
{
    const struct moments *wanted = r->data;
    double mean = dg_group_sum(group, NULL, 0) / (double)r->n_each;
    double squares = dg_group_sum(group, squared_deviation, mean);
    double variance = squares / fmax(0, (double)r->n_each - r->parameter);

    dg_put_real(r->out[0], i, wanted->root ? sqrt(variance) : variance);
    if (wanted->with_mean)
        dg_put_real(r->out[1], i, mean);
}

static enum dg_status moments(struct dg_call *call, struct dg_reduce_args at,
                              double correction, struct moments wanted)
{
    struct dg_reduction r;
    enum dg_status status = dg_reduce_begin(&r, call, at);

    if (!status && !dg_type_is_float(r.in->type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "moments are floating point numbers, and %s is not one",
                            dg_type_name(r.in->type));
    if (status)
        return status;
    r.parameter = correction;
    r.data = &wanted;
    status = dg_reduce_result(&r, 0, r.in->type);
    if (!status && wanted.with_mean)
        status = dg_reduce_result(&r, 1, r.in->type);
    if (!status)
        dg_reduce_run(&r, moments_group);
    return status;
}

/* (self, unbiased), (self, dim, unbiased, keepdim), (self, dim, correction, keepdim) */
#define MOMENTS(name, root, with_mean)                                                 \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return moments(call, (struct dg_reduce_args){0, 0, 0},                         \
                       dg_arg_bool(call, 1, true), (struct moments){root, with_mean}); \
    }                                                                                  \
    enum dg_status dg_cpu_##name##_dim(struct dg_call *call)                           \
    {                                                                                  \
        return moments(call, (struct dg_reduce_args){1, 3, 0},                         \
                       dg_arg_bool(call, 2, true), (struct moments){root, with_mean}); \
    }                                                                                  \
    enum dg_status dg_cpu_##name##_correction(struct dg_call *call)                    \
    {                                                                                  \
        return moments(call, (struct dg_reduce_args){1, 3, 0},                         \
                       dg_arg_real(call, 2, 1), (struct moments){root, with_mean});    \
    }

MOMENTS(var, false, false)
MOMENTS(std, true, false)
MOMENTS(var_mean, false, true)
MOMENTS(std_mean, true, true)
