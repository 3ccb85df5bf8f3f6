/* Whether a result is what torch gave: each element within a bound of its class. */
#include "tests/kernels/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "kernels/cpu/line.h"

/* A bound on one element: units in the last place, or a share of the largest element.
 */
struct bound {
    double ulps, share;
};

static double epsilon(enum dg_type type)
{
    return type == DG_TYPE_F64    ? 0x1p-52
           : type == DG_TYPE_F32  ? 0x1p-23
           : type == DG_TYPE_F16  ? 0x1p-10
           : type == DG_TYPE_BF16 ? 0x1p-7
                                  : 0;
}

static struct bound bound_of(enum dg_tolerance tolerance, enum dg_type type)
{
    double eps = epsilon(type);
    bool narrow = eps > 1e-4;

    switch (tolerance) {
    case DG_TOLERANCE_EXACT:
        return (struct bound){0, 0};
    case DG_TOLERANCE_ROUNDED:
        return (struct bound){1, 0};
    case DG_TOLERANCE_FUNCTION:
    case DG_TOLERANCE_DIFFERENCE:
        return (struct bound){narrow ? 2 : 12, 0};
    case DG_TOLERANCE_POWER:
        return (struct bound){narrow ? 4 : 84, 0};
    case DG_TOLERANCE_ORDER:
    case DG_TOLERANCE_QUANTIZE:
        return (struct bound){1, 0};
    default:
        return (struct bound){narrow ? 4 : 32, (narrow ? 2 : 16) * eps};
    }
}

static double distance(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

/* Flat index to the element's offset from the first. */
static int64_t offset_of(const struct dg_tensor *tensor, int64_t index)
{
    int64_t offset = 0;

    for (int dim = tensor->rank - 1; dim >= 0; dim--) {
        offset += index % tensor->sizes[dim] * tensor->strides[dim];
        index /= tensor->sizes[dim];
    }
    return offset;
}

static double largest(const struct dg_tensor *tensor, int64_t count)
{
    double most = 0;

    for (int64_t i = 0; i < count; i++) {
        double value = fabs(dg_get_f64(tensor, offset_of(tensor, i)));

        if (isfinite(value) && value > most)
            most = value;
    }
    return most;
}

static bool same_integers(const struct dg_tensor *want, const struct dg_tensor *got,
                          int64_t i, char *why, size_t room)
{
    int64_t a = dg_get_i64(want, offset_of(want, i));
    int64_t b = dg_get_i64(got, offset_of(got, i));

    if (a != b)
        snprintf(why, room, "element %lld is %lld; torch gives %lld", (long long)i,
                 (long long)b, (long long)a);
    return a == b;
}

static bool near(const struct dg_tensor *want, const struct dg_tensor *got, int64_t i,
                 const struct bound *bound, double most, char *why, size_t room)
{
    double a = dg_get_f64(want, offset_of(want, i));
    double b = dg_get_f64(got, offset_of(got, i));
    double eps = epsilon(want->type),
           least = want->type == DG_TYPE_F16 ? 0x1p-14 : 0x1p-126;
    double unit = eps * fmax(fabs(a), least);

    if (distance(a, b) <= bound->ulps * unit || distance(a, b) <= bound->share * most)
        return true;
    snprintf(why, room, "element %lld is %.9g; torch gives %.9g (%.1f ulp)",
             (long long)i, b, a, distance(a, b) / unit);
    return false;
}

static int tensors_agree(const struct dg_kernel *kernel, const struct dg_tensor *want,
                         const struct dg_tensor *got, char *why, size_t room)
{
    struct bound bound = bound_of(kernel->tolerance, want->type);
    int64_t count = dg_tensor_count(want);
    char a[200], b[200];
    double most;

    if (want->type != got->type || !dg_tensor_same_shape(want, got)) {
        snprintf(why, room, "gives %s %s; torch gives %s %s", dg_type_name(got->type),
                 dg_shape_text(got, a, sizeof(a)), dg_type_name(want->type),
                 dg_shape_text(want, b, sizeof(b)));
        return 0;
    }
    if (kernel->tolerance == DG_TOLERANCE_VECTORS)
        return 1; /* elements are known up to a sign or an order */
    most = largest(want, count);
    for (int64_t i = 0; i < count; i++) {
        if (epsilon(want->type) == 0 ? !same_integers(want, got, i, why, room)
                                     : !near(want, got, i, &bound, most, why, room))
            return 0;
    }
    return 1;
}

/* Complex numbers as pairs of floats, which sums of two products make. */
static int pairs_agree(const struct dg_kernel *kernel, const struct dg_tensor *want,
                       const struct dg_tensor *got, char *why, size_t room)
{
    struct dg_tensor *parts[2];
    struct dg_kernel judged = *kernel;
    int verdict;

    if (!dg_type_is_complex(want->type) || !dg_type_is_complex(got->type))
        return tensors_agree(kernel, want, got, why, room);
    if (judged.tolerance != DG_TOLERANCE_EXACT &&
        judged.tolerance != DG_TOLERANCE_VECTORS)
        judged.tolerance = DG_TOLERANCE_REDUCTION;
    parts[0] = dg_tensor_parts(want);
    parts[1] = dg_tensor_parts(got);
    verdict = tensors_agree(&judged, parts[0], parts[1], why, room);
    dg_tensor_drop(parts[0]);
    dg_tensor_drop(parts[1]);
    return verdict;
}

static int args_agree(const struct dg_kernel *kernel, const struct dg_arg *want,
                      const struct dg_arg *got, char *why, size_t room)
{
    snprintf(why, room, "gives another kind of result (%d; torch %d)", got->kind,
             want->kind);
    if (want->kind == DG_ARG_NONE)
        return 1;
    if (want->kind != got->kind)
        return 0;
    switch (want->kind) {
    case DG_ARG_TENSOR:
        return pairs_agree(kernel, want->as.tensor, got->as.tensor, why, room);
    case DG_ARG_INT:
    case DG_ARG_BOOL:
        return want->as.integer == got->as.integer;
    case DG_ARG_FLOAT:
        return distance(want->as.real, got->as.real) <= 1e-6 * fabs(want->as.real);
    case DG_ARG_LIST:
        if (want->as.list.n_items != got->as.list.n_items)
            return 0;
        for (size_t i = 0; i < want->as.list.n_items; i++) {
            if (!args_agree(kernel, &want->as.list.items[i], &got->as.list.items[i],
                            why, room))
                return 0;
        }
        return 1;
    default:
        return 0;
    }
}

/* The dimension that the call orders; -1: all elements as one line. */
static int ordered_dimension(const struct op_case *one, int rank)
{
    const struct dg_op *op = dg_op_find(one->op, strlen(one->op));
    const char *cursor = op ? op->args : NULL;
    struct dg_op_arg arg = {0};

    for (size_t i = 0; op && i < one->n_args && dg_op_next_arg(&cursor, &arg); i++) {
        if (arg.name_length == 3 && !memcmp(arg.name, "dim", 3) &&
            one->args[i].kind == DG_ARG_INT)
            return (int)(one->args[i].as.integer +
                         (one->args[i].as.integer < 0) * rank);
    }
    return -1;
}

/* The element that index `named` of line `flat` is: results lie along `inner`. */
static double key_at(const struct dg_tensor *keys, int64_t length, int64_t inner,
                     int64_t line, int64_t named)
{
    int64_t flat = (line / inner * length + named) * inner + line % inner;

    return named < 0 || named >= length ? NAN : dg_get_f64(keys, offset_of(keys, flat));
}

/* Whether indices name equal elements. */
static int same_keys(const struct op_case *one, const struct dg_tensor *want,
                     const struct dg_tensor *got)
{
    const struct dg_tensor *keys = one->args[0].as.tensor;
    int dim = ordered_dimension(one, keys->rank);
    int64_t count = dg_tensor_count(want), length = 1, inner = 1, taken;

    for (int d = 0; d < keys->rank; d++) {
        if (d == dim || dim < 0)
            length *= keys->sizes[d];
        else if (d > dim)
            inner *= keys->sizes[d];
    }
    taken = count * length / dg_tensor_count(keys);
    for (int64_t i = 0; i < count; i++) {
        int64_t line = i / inner / taken * inner + i % inner;
        double a =
            key_at(keys, length, inner, line, dg_get_i64(want, offset_of(want, i)));
        double b =
            key_at(keys, length, inner, line, dg_get_i64(got, offset_of(got, i)));

        if (distance(a, b) > 0)
            return 0;
    }
    return 1;
}

static int indices_agree(const struct dg_kernel *kernel, const struct op_case *one,
                         const struct dg_arg *want, const struct dg_arg *got)
{
    return kernel->tolerance == DG_TOLERANCE_ORDER && want->kind == DG_ARG_TENSOR &&
           got->kind == DG_ARG_TENSOR && want->as.tensor->type == DG_TYPE_I64 &&
           got->as.tensor->type == DG_TYPE_I64 &&
           dg_tensor_same_shape(want->as.tensor, got->as.tensor) &&
           one->args[0].kind == DG_ARG_TENSOR &&
           dg_tensor_count(one->args[0].as.tensor) &&
           same_keys(one, want->as.tensor, got->as.tensor);
}

int agree(const struct dg_kernel *kernel, const struct op_case *one, size_t result,
          const struct dg_arg *got, char *why, size_t room)
{
    bool has_complex = dg_call_has_complex(
        &(struct dg_call){.args = one->args, .n_args = one->n_args});
    struct dg_kernel judged = *kernel;
    size_t used;
    int verdict;

    if (has_complex)
        judged.tolerance = dg_complex_tolerance(kernel);
    if (judged.tolerance == DG_TOLERANCE_VECTORS)
        judged.tolerance = dg_result_tolerance(kernel, result);
    verdict = args_agree(&judged, &one->results[result], got, why, room) ||
              indices_agree(kernel, one, &one->results[result], got);
    used = strlen(why);
    if (!verdict && one->n_results > 1)
        snprintf(why + used, room - used, ", of result %zu", result);
    return verdict;
}
