/* Which elements are among others. */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/reduce.h"

/* Sorted values, f64 or i64, of which NaN is none. */
struct set {
    const double *reals;
    const int64_t *integers; /* NULL: reals */
    int64_t n;
};

static bool contains(const struct set *set, double real, int64_t integer)
{
    int64_t low = 0, high = set->n;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        bool below =
            set->integers ? set->integers[middle] < integer : set->reals[middle] < real;

        if (below)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->n &&
           (set->integers ? set->integers[low] == integer : set->reals[low] == real);
}

static bool is_tensor_or_number(const struct dg_call *call, size_t i)
{
    return dg_arg_tensor(call, i) ||
           (i < call->n_args && dg_number_type(&call->args[i]) != DG_TYPE_NONE);
}

/* Argument `i`, a tensor or a number, in `type`, widened to f64 or i64. */
static struct dg_tensor *widened(struct dg_call *call, size_t i, enum dg_type type)
{
    struct dg_tensor *own = dg_arg_tensor(call, i);
    struct dg_tensor *number = own ? NULL : dg_number_tensor(&call->args[i]);
    struct dg_tensor *as_type = dg_as_type(call, own ? own : number, type);
    struct dg_tensor *wide =
        as_type ? dg_as_type(call, as_type,
                             dg_type_is_float(type) ? DG_TYPE_F64 : DG_TYPE_I64)
                : NULL;

    dg_tensor_drop(as_type);
    dg_tensor_drop(number);
    return wide;
}

static enum dg_status mark(struct dg_call *call, const struct dg_tensor *elements,
                           const struct dg_tensor *sorted)
{
    bool invert = dg_arg_bool(call, 3, false), *to;
    bool reals = elements->type == DG_TYPE_F64;
    struct dg_tensor *out =
        dg_result(call, 0, DG_TYPE_BOOL, elements->rank, elements->sizes);
    struct set set = {dg_tensor_data(sorted), reals ? NULL : dg_tensor_data(sorted),
                      dg_tensor_count(sorted)};

    if (!out)
        return call->err->status;
    while (reals && set.n && set.reals[set.n - 1] != set.reals[set.n - 1])
        set.n--;
    to = dg_tensor_data(out);
    for (int64_t i = 0; i < dg_tensor_count(out); i++) {
        double real = reals ? ((double *)dg_tensor_data(elements))[i] : 0;
        int64_t integer = reals ? 0 : ((int64_t *)dg_tensor_data(elements))[i];

        to[i] = contains(&set, real, integer) != invert;
    }
    return DG_OK;
}

/* elements, test_elements, assume_unique, invert */
enum dg_status dg_cpu_isin(struct dg_call *call)
{
    enum dg_type type = call->n_args > 1 ? dg_common_type(call->args, 2) : DG_TYPE_NONE;
    struct dg_tensor *elements, *wide, *tests;
    enum dg_status status;

    if (!is_tensor_or_number(call, 0) || !is_tensor_or_number(call, 1) ||
        (!dg_type_is_float(type) && !dg_type_is_integer(type)))
        return dg_call_fail(call, DG_ERR_FORMAT, "elements of %s among others",
                            dg_type_name(type));
    elements = widened(call, 0, type);
    wide = elements ? widened(call, 1, type) : NULL;
    tests =
        dg_apply(call, dg_cpu_msort, wide ? dg_flattened(call, wide) : NULL, 0, NULL);
    dg_tensor_drop(wide);
    status = elements && tests ? mark(call, elements, tests) : call->err->status;
    dg_tensor_drop(tests);
    dg_tensor_drop(elements);
    return status;
}

/* Compared in the type of the tensor, as `eq` does it. */
enum dg_status dg_cpu_isin_number(struct dg_call *call)
{
    struct dg_tensor *elements = dg_need_tensor(call, 0);

    if (!elements)
        return call->err->status;
    if (elements->type == DG_TYPE_BOOL)
        return dg_call_fail(call, DG_ERR_FORMAT, "elements of bool among others");
    return dg_arg_bool(call, 3, false) ? dg_cpu_ne(call) : dg_cpu_eq(call);
}
