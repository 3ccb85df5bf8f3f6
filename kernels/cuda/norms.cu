/* Norms of vectors, and logarithms of sums of exponentials. */
#include "kernels/cuda/reduce.cuh"

/* How the elements of a norm go together: by its order. */
enum order { ORDER_COUNT, ORDER_SUM, ORDER_ROOT, ORDER_POWER, ORDER_MOST, ORDER_LEAST };

template <class Out, class C> struct vector_norm {
    typedef C state;
    Out *out;
    C p;
    enum order order;

    __device__ C start() const
    {
        return order == ORDER_LEAST ? C(INFINITY) : C(0);
    }
    /* NaN wins. */
    __device__ C merge(C x, C y) const
    {
        if (order == ORDER_MOST)
            return x > y || x != x ? x : y;
        if (order == ORDER_LEAST)
            return x < y || x != x ? x : y;
        return x + y;
    }
    __device__ C add(C so_far, C x, int64_t) const
    {
        switch (order) {
        case ORDER_COUNT:
            return so_far + (x != 0);
        case ORDER_ROOT:
            return so_far + x * x;
        case ORDER_POWER:
            return so_far + pow(fabs(x), p);
        default:
            return merge(so_far, fabs(x));
        }
    }
    __device__ void give(int64_t row, C norm) const
    {
        if (order == ORDER_ROOT)
            norm = sqrt(norm);
        else if (order == ORDER_POWER)
            norm = pow(norm, 1 / p);
        out[row] = store<Out>::of(norm);
    }
};

static enum order order_of(double p)
{
    if (isinf(p))
        return p > 0 ? ORDER_MOST : ORDER_LEAST;
    return p == 0   ? ORDER_COUNT
           : p == 1 ? ORDER_SUM
           : p == 2 ? ORDER_ROOT
                    : ORDER_POWER;
}

/* Where the schema has what is not the same everywhere; SIZE_MAX: nowhere. */
struct places_of_arguments {
    size_t dims, keeps, dtype;
};

/* The operand as `type`, and result 0. */
static struct dg_tensor *begin(struct dg_call *call, struct reduction *of,
                               struct places_of_arguments at, enum dg_type type)
{
    of->tensor =
        converted(call, dg_arg_tensor(call, 0), dg_kept_type(call->context, type));
    if (!of->tensor || take_dims(call, of, at.dims, dg_arg_bool(call, at.keeps, false)))
        return NULL;
    return dg_result(call, 0, type, of->rank, of->sizes);
}

static enum dg_status norm(struct dg_call *call, struct places_of_arguments at,
                           double p)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct reduction of = {};
    enum dg_status status;
    struct dg_tensor *out;
    enum dg_type type;

    if (!self)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    type = dg_arg_type(call, at.dtype, self->type);
    if (!dg_type_is_float(type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a norm is a floating point number, and %s is not one",
                            dg_type_name(type));
    out = begin(call, &of, at, type);
    status = out ? DG_OK : call->err->status;
    if (!status && !of.length && dg_tensor_count(out) && (p < 0 || isinf(p)))
        status = dg_call_fail(call, DG_ERR_FORMAT,
                              "no elements have no norm of order %g", p);
    if (!status)
        status = with_float(of.tensor->type, [&](auto element) {
            using T = decltype(element);
            struct vector_norm<T, computed<T>> r = {
            };

            r.out = (T *)dg_tensor_data(out);
            r.p = (computed<T>)p;
            r.order = order_of(p);
            return reduce<T>(call, &of, r);
        });
    dg_tensor_drop(of.tensor);
    return status;
}

/* (self, p) */
enum dg_status dg_cuda_norm(struct dg_call *call)
{
    return norm(call, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, dg_arg_real(call, 1, 2));
}

/* (self, p, dtype) */
enum dg_status dg_cuda_norm_dtype(struct dg_call *call)
{
    return norm(call, {SIZE_MAX, SIZE_MAX, 2}, dg_arg_real(call, 1, 2));
}

/* (self, p, dim, keepdim, dtype) */
enum dg_status dg_cuda_vector_norm(struct dg_call *call)
{
    return norm(call, {2, 3, 4}, dg_arg_real(call, 1, 2));
}

/* (self, dim, keepdim) */
enum dg_status dg_cuda_frobenius_norm(struct dg_call *call)
{
    return norm(call, {1, 2, SIZE_MAX}, 2);
}

/* (self, p, dim, keepdim, dtype): without an order all dimensions are one vector; with
 * one, two are a matrix */
enum dg_status dg_cuda_linalg_norm(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t dims[DG_RANK_MOST];
    int n_dims = dg_arg_ints(call, 2, dims, DG_RANK_MOST);

    if (n_dims < 0)
        return call->err->status;
    if (!n_dims && self)
        n_dims = self->rank;
    if (n_dims > 1 && !dg_arg_missing(call, 1))
        return dg_call_fail(call, DG_ERR_DEVICE, "a norm of matrices");
    return dg_cuda_vector_norm(call);
}

/* The sum of exponentials is scale * exp(most). */
template <class C> struct exponentials {
    C most, scale;
};

template <class Out, class C> struct log_of_exponentials {
    typedef exponentials<C> state;
    Out *out;

    __device__ state start() const
    {
        return {C(-INFINITY), 0};
    }
    __device__ state merge(state a, state b) const
    {
        if (a.most == b.most)
            return {a.most, a.scale + b.scale};
        if (a.most > b.most)
            return {a.most, a.scale + b.scale * exp(b.most - a.most)};
        return {b.most, b.scale + a.scale * exp(a.most - b.most)};
    }
    __device__ state add(state so_far, C x, int64_t) const
    {
        return x != x ? state{so_far.most, x} : merge(so_far, {x, 1});
    }
    __device__ void give(int64_t row, state sum) const
    {
        out[row] = store<Out>::of(sum.most + log(sum.scale));
    }
};

/* (self, dim, keepdim) */
enum dg_status dg_cuda_logsumexp(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct reduction of = {};
    enum dg_status status;
    struct dg_tensor *out;

    if (!self)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    out = begin(call, &of, {1, 2, SIZE_MAX},
                dg_type_is_float(self->type) ? self->type : DG_TYPE_F32);
    status = !out ? call->err->status : with_float(of.tensor->type, [&](auto element) {
        using T = decltype(element);
        struct log_of_exponentials<T, computed<T>> r = {
        };

        r.out = (T *)dg_tensor_data(out);
        return reduce<T>(call, &of, r);
    });
    dg_tensor_drop(of.tensor);
    return status;
}
