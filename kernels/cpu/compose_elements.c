/* Operators of elements, norms and shapes that torch composes of others. */
#include <math.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/create.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/walk.h"

static enum dg_status times(struct dg_call *call, double factor)
{
    return dg_finish(call, dg_apply(call, dg_cpu_mul, dg_arg_share(call, 0),
                                    DG_REST(dg_real_arg(factor))));
}

enum dg_status dg_cpu_deg2rad(struct dg_call *call)
{
    return times(call, M_PI / 180);
}

enum dg_status dg_cpu_rad2deg(struct dg_call *call)
{
    return times(call, 180 / M_PI);
}

/* Real numbers all are; complex ones where the imaginary part is 0. */
enum dg_status dg_cpu_isreal(struct dg_call *call)
{
    const struct dg_arg real = {DG_ARG_BOOL, .as.integer = true};
    struct dg_tensor *self = dg_need_tensor(call, 0), *result;

    if (!self)
        return call->err->status;
    if (dg_type_is_complex(self->type))
        return dg_finish(call, dg_apply(call, dg_cpu_eq, dg_complex_part(self, 1),
                                        DG_REST(dg_integer_arg(0))));
    result = dg_result(call, 0, DG_TYPE_BOOL, self->rank, self->sizes);
    if (!result)
        return call->err->status;
    dg_fill(result, &real, call->context->n_threads);
    return DG_OK;
}

/* grad_output, mask, scale */
enum dg_status dg_cpu_native_dropout_backward(struct dg_call *call)
{
    struct dg_tensor *kept =
        dg_apply_two(call, dg_cpu_mul, dg_arg_share(call, 0), dg_arg_share(call, 1));

    return dg_finish(call, dg_apply(call, dg_cpu_mul, kept,
                                    DG_REST(dg_real_arg(dg_arg_real(call, 2, 1)))));
}

/* Without training a leaky_relu whose slope is the middle of the bounds: arguments `i`
 * and the one behind; then comes `training`. */
static enum dg_status leaky(struct dg_call *call, size_t i)
{
    double slope =
        (dg_arg_real(call, i, 1.0 / 8) + dg_arg_real(call, i + 1, 1.0 / 3)) / 2;

    if (dg_arg_bool(call, i + 2, false))
        return dg_call_fail(call, DG_ERR_DEVICE, "draws random numbers");
    return dg_finish(call, dg_apply(call, dg_cpu_leaky_relu, dg_arg_share(call, 0),
                                    DG_REST(dg_real_arg(slope))));
}

/* self, lower, upper, training */
enum dg_status dg_cpu_rrelu(struct dg_call *call)
{
    return leaky(call, 1);
}

/* self, noise, lower, upper, training; the noise, if asked for, is as it was */
enum dg_status dg_cpu_rrelu_with_noise(struct dg_call *call)
{
    enum dg_status status = leaky(call, 2);

    if (status == DG_OK && call->n_results > 1 &&
        !dg_give(call, 1, dg_arg_share(call, 1)))
        status = call->err->status;
    return status;
}

/* maxnorm / (norm + 1e-7) where the norm of a slice is greater, else 1; of the type of
 * norms. */
static struct dg_tensor *factors(struct dg_call *call, struct dg_tensor *norms)
{
    struct dg_arg most = dg_real_arg(dg_arg_real(call, 3, 0)), one = dg_integer_arg(1);
    struct dg_tensor *factor,
        *greater = dg_apply(call, dg_cpu_gt, dg_tensor_keep(norms), DG_REST(most));

    norms = dg_apply(call, dg_cpu_add, norms, DG_REST(dg_real_arg(1e-7)));
    factor = dg_apply_two(call, dg_cpu_div, dg_number_tensor(&most), norms);
    if (!factor) {
        dg_tensor_drop(greater);
        return NULL;
    }
    greater =
        dg_apply(call, dg_cpu_where, greater, DG_REST(dg_tensor_arg(factor), one));
    dg_tensor_drop(factor);
    return greater;
}

/* The norm of each slice along argument 2, in f32 of halves. */
static struct dg_tensor *norms_of_slices(struct dg_call *call, struct dg_tensor *self,
                                         int dim)
{
    const struct dg_arg keep = {DG_ARG_BOOL, .as.integer = true};
    bool half = dg_type_is_float(self->type) && dg_type_bytes(self->type) == 2;
    struct dg_arg items[DG_RANK_MOST];
    struct dg_arg dims = {DG_ARG_LIST, .as.list = {items, 0}};

    for (int other = 0; other < self->rank; other++) {
        if (other != dim)
            items[dims.as.list.n_items++] = dg_integer_arg(other);
    }
    return dg_apply(call, dg_cpu_vector_norm, dg_tensor_keep(self),
                    DG_REST(dg_real_arg(dg_arg_real(call, 1, 2)), dims, keep,
                            half ? dg_type_arg(DG_TYPE_F32) : (struct dg_arg){0}));
}

/* self, p, dim, maxnorm: slices with a greater norm are scaled down to it */
enum dg_status dg_cpu_renorm(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *factor;
    int dim;

    if (!self || !dg_dimension(call, dg_arg_int(call, 2, 0), self->rank, &dim))
        return call->err->status;
    if (self->rank < 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "slices of a tensor of rank %d",
                            self->rank);
    factor = factors(call, norms_of_slices(call, self, dim));
    factor = dg_apply(call, dg_cpu_to, factor,
                      DG_REST(dg_type_arg(dg_type_part(self->type))));
    return dg_finish(call,
                     dg_apply_two(call, dg_cpu_mul, dg_tensor_keep(self), factor));
}

/* self, size: summed where the size is 1, or a dimension is not there */
enum dg_status dg_cpu_sum_to_size(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_share(call, 0);
    int64_t sizes[DG_RANK_MOST], dims[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST), n = 0;
    int more = self && rank >= 0 ? self->rank - rank : -1;
    bool fits = more >= 0;

    for (int dim = 0; fits && dim < self->rank; dim++) {
        int64_t size = dim < more ? 1 : sizes[dim - more];

        fits = size == 1 || size == self->sizes[dim];
        if (dim < more || size != self->sizes[dim])
            dims[n++] = dim;
    }
    if (!fits && self)
        dg_call_fail(call, DG_ERR_FORMAT, "sizes of rank %d do not expand to rank %d",
                     rank, self->rank);
    if (!fits) {
        dg_tensor_drop(self);
        return call->err->status;
    }
    if (n || !rank) /* a sum of bools is an integer even of one */
        self = dg_apply_ints(call, dg_cpu_sum_dims, self, n, dims);
    return dg_finish(call, dg_apply_ints(call, dg_cpu_view, self, rank, sizes));
}

/* The first elements of the storage in another shape, where it has as many. */
static enum dg_status resize(struct dg_call *call, const struct dg_tensor *self,
                             int rank, const int64_t *sizes)
{
    struct dg_tensor wanted = dg_shaped(self, rank, sizes, NULL);
    int64_t room = (int64_t)(self->storage->size / dg_type_bytes(self->type));
    int64_t count;

    if (!dg_shape_count(rank, sizes, self->type, &count))
        return dg_call_fail(call, DG_ERR_FORMAT, "the shape is too large");
    if (dg_tensor_same_shape(self, &wanted))
        return dg_cpu_alias(call);
    if (count > room - self->offset)
        return dg_call_fail(call, DG_ERR_DEVICE, "elements that torch leaves unset");
    return dg_give_view(call, self, rank, sizes, wanted.strides, self->offset);
}

/* self, size */
enum dg_status dg_cpu_resize(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);

    return self && rank >= 0 ? resize(call, self, rank, sizes) : call->err->status;
}

/* self, the_template */
enum dg_status dg_cpu_resize_as(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *like = dg_need_tensor(call, 1);

    return self && like ? resize(call, self, like->rank, like->sizes)
                        : call->err->status;
}
