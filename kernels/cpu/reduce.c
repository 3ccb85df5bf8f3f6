/* Reductions: geometry, reading groups, sums in a fixed order. */
#include "kernels/cpu/reduce.h"

#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"

static void add_axis(struct dg_reduce_axes *axes, int64_t size, int64_t stride)
{
    int last = axes->rank - 1;

    if (size == 1)
        return;
    if (last >= 0 && axes->strides[last] == stride * size) {
        axes->sizes[last] *= size;
        axes->strides[last] = stride;
        return;
    }
    axes->sizes[axes->rank] = size;
    axes->strides[axes->rank++] = stride;
}

static int64_t axes_offset(const struct dg_reduce_axes *axes, int64_t i)
{
    int64_t offset = 0;

    for (int axis = axes->rank - 1; axis > 0; axis--) {
        offset += i % axes->sizes[axis] * axes->strides[axis];
        i /= axes->sizes[axis];
    }
    return axes->rank ? offset + i * axes->strides[0] : 0;
}

static enum dg_status mark_reduced(struct dg_call *call, int rank, int n_dims,
                                   const int64_t *dims, bool *reduced)
{
    for (int i = 0; i < n_dims; i++) {
        int dim;

        if (!dg_dimension(call, dims[i], rank, &dim))
            return call->err->status;
        if (reduced[dim])
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "dimension %d is listed more than once", dim);
        reduced[dim] = true;
    }
    return DG_OK;
}

static void split_axes(struct dg_reduction *r, const bool *reduced, bool keepdim)
{
    r->n_groups = r->n_each = 1;
    for (int dim = 0; dim < r->in->rank; dim++) {
        int64_t size = r->in->sizes[dim];

        add_axis(reduced[dim] ? &r->folded : &r->kept, size, r->in->strides[dim]);
        *(reduced[dim] ? &r->n_each : &r->n_groups) *= size;
        if (!reduced[dim] || keepdim)
            r->out_sizes[r->out_rank++] = reduced[dim] ? 1 : size;
    }
}

enum dg_status dg_reduce_over(struct dg_reduction *r, struct dg_call *call,
                              struct dg_tensor *in, int n_dims, const int64_t *dims,
                              bool keepdim)
{
    bool reduced[DG_RANK_MOST] = {false};
    enum dg_status status;

    *r = (struct dg_reduction){.call = call, .in = in};
    if (!in)
        return dg_call_fail(call, DG_ERR_FORMAT, "the input is not a tensor");
    if (in->type >= DG_TYPE_F8E5M2)
        return dg_call_fail(call, DG_ERR_DEVICE, "no arithmetic on %s",
                            dg_type_name(in->type));
    for (int dim = 0; n_dims < 0 && dim < in->rank; dim++)
        reduced[dim] = true;
    status = mark_reduced(call, in->rank, n_dims, dims, reduced);
    if (!status)
        split_axes(r, reduced, keepdim);
    return status;
}

enum dg_status dg_reduce_begin(struct dg_reduction *r, struct dg_call *call,
                               struct dg_reduce_args at)
{
    int64_t dims[DG_RANK_MOST];
    int n_dims = at.dims ? dg_arg_ints(call, at.dims, dims, DG_RANK_MOST) : 0;

    if (n_dims < 0)
        return call->err->status;
    return dg_reduce_over(r, call, dg_arg_tensor(call, 0), n_dims ? n_dims : -1, dims,
                          at.keepdim && dg_arg_bool(call, at.keepdim, false));
}

enum dg_status dg_reduce_result(struct dg_reduction *r, size_t k, enum dg_type type)
{
    r->out[k] = dg_result(r->call, k, type, r->out_rank, r->out_sizes);
    return r->out[k] ? DG_OK : r->call->err->status;
}

struct dg_group dg_group_of(const struct dg_reduction *r, int64_t i)
{
    int64_t bytes = (int64_t)dg_type_bytes(r->in->type);

    return (struct dg_group){
        r, (char *)dg_tensor_data(r->in) + axes_offset(&r->kept, i) * bytes, 0};
}

int64_t dg_group_offset(const struct dg_group *group, int64_t i)
{
    return axes_offset(&group->reduction->folded, i);
}

struct job {
    const struct dg_reduction *reduction;
    dg_group_fn *fn;
};

static void run_groups(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;

    for (int64_t i = from; i < to; i++) {
        struct dg_group group = dg_group_of(job->reduction, i);

        job->fn(job->reduction, &group, i);
    }
}

void dg_reduce_run(struct dg_reduction *r, dg_group_fn *fn)
{
    dg_parallel(r->call->context->n_threads, r->n_groups,
                (1 << 15) / (r->n_each + 16) + 1, run_groups, &(struct job){r, fn});
}

/* Elements that follow each other in one line of the input from the next one on. */
static int64_t next_run(const struct dg_group *group, int64_t most, const char **at,
                        int64_t *stride)
{
    const struct dg_reduction *r = group->reduction;
    const struct dg_reduce_axes *axes = &r->folded;
    int64_t size = axes->rank ? axes->sizes[axes->rank - 1] : 1;
    int64_t left = axes->rank > 1 ? size - group->next % size : size - group->next;

    *stride = axes->rank ? axes->strides[axes->rank - 1] : 1;
    *at = group->base +
          axes_offset(axes, group->next) * (int64_t)dg_type_bytes(r->in->type);
    return left < most ? left : most;
}

static int64_t line_length(const struct dg_group *group)
{
    int64_t left = group->reduction->n_each - group->next;

    return left < DG_LINE_MOST ? left : DG_LINE_MOST;
}

#define READ(name, ctype, load)                                                        \
    int64_t name(struct dg_group *group, ctype *line)                                  \
    {                                                                                  \
        int64_t n = line_length(group), stride;                                        \
        const char *at;                                                                \
                                                                                       \
        for (int64_t done = 0, run; done < n; done += run) {                           \
            run = next_run(group, n - done, &at, &stride);                             \
            load(line + done, group->reduction->in->type, at, stride, run);            \
            group->next += run;                                                        \
        }                                                                              \
        return n;                                                                      \
    }

READ(dg_read_reals, double, dg_load_f64)
READ(dg_read_integers, int64_t, dg_load_i64)

static void *element(struct dg_tensor *out, int64_t i)
{
    return (char *)dg_tensor_data(out) + i * (int64_t)dg_type_bytes(out->type);
}

void dg_put_reals(struct dg_tensor *out, int64_t i, const double *values, int64_t n)
{
    dg_store_f64(out->type, element(out, i), 1, values, n);
}

void dg_put_integers(struct dg_tensor *out, int64_t i, const int64_t *values, int64_t n)
{
    dg_store_i64(out->type, element(out, i), 1, values, n);
}

void dg_put_real(struct dg_tensor *out, int64_t i, double value)
{
    dg_put_reals(out, i, &value, 1);
}

void dg_put_integer(struct dg_tensor *out, int64_t i, int64_t value)
{
    dg_put_integers(out, i, &value, 1);
}

struct dg_total dg_total_begin(const struct dg_context *context, enum dg_type type)
{
    struct dg_total total = {.kind = DG_TOTAL_EXACT};

    if (context->precision == DG_PRECISION_OWN_SUMS)
        total.kind = type == DG_TYPE_F64 ? DG_TOTAL_F64 : DG_TOTAL_F32;
    return total;
}

static void add_one_by_one(struct dg_total *total, const double *terms, int64_t n)
{
    double sum = total->lanes[0];

    for (int64_t i = 0; i < n && total->kind == DG_TOTAL_F64; i++)
        sum += terms[i];
    for (int64_t i = 0; i < n && total->kind == DG_TOTAL_F32; i++)
        sum = (float)sum + (float)terms[i];
    total->lanes[0] = sum;
}

void dg_total_add(struct dg_total *total, const double *terms, int64_t n)
{
    int64_t whole = n - n % 8;
    double lanes[8]; /* of its own, so that no store can change the terms */

    if (total->kind != DG_TOTAL_EXACT) {
        add_one_by_one(total, terms, n);
        return;
    }
    memcpy(lanes, total->lanes, sizeof(lanes));
    for (int64_t i = 0; i < whole; i += 8) {
        for (int lane = 0; lane < 8; lane++)
            lanes[lane] += terms[i + lane];
    }
    for (int64_t i = whole; i < n; i++)
        lanes[i - whole] += terms[i];
    memcpy(total->lanes, lanes, sizeof(lanes));
}

double dg_total_end(const struct dg_total *total)
{
    const double *lanes = total->lanes;

    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

double dg_group_sum(struct dg_group *group, dg_term_fn *term, double parameter)
{
    struct dg_total total =
        dg_total_begin(group->reduction->call->context, group->reduction->out[0]->type);
    double line[DG_LINE_MOST];
    int64_t n;

    group->next = 0;
    while ((n = dg_read_reals(group, line))) {
        if (term)
            term(line, n, parameter);
        dg_total_add(&total, line, n);
    }
    return dg_total_end(&total);
}

int64_t dg_line_step(const struct dg_tensor *in, int dim)
{
    int64_t step = 1;

    for (int d = dim + 1; d < in->rank; d++)
        step *= in->sizes[d];
    return step;
}

int64_t dg_line_start(const struct dg_tensor *in, int dim, int64_t i)
{
    int64_t step = dg_line_step(in, dim), size = in->rank ? in->sizes[dim] : 1;

    return i / step * step * size + i % step;
}

struct dg_tensor *dg_as_type(struct dg_call *call, struct dg_tensor *tensor,
                             enum dg_type type)
{
    struct dg_tensor *copy;

    if (tensor->type == type)
        return dg_contiguous(call, tensor);
    copy = dg_tensor_new(call->context->memory, type, tensor->rank, tensor->sizes,
                         call->err);
    if (copy)
        dg_copy_elements(copy, tensor, call->context->n_threads);
    return copy;
}
