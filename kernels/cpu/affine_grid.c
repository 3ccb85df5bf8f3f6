/* Grids of affine maps, to be sampled at. */
#include "kernels/cpu/reduce.h"

/* Element `i` of `n` between -1 and 1: at the ends, or in the middle of equal parts. */
static double spread(int64_t i, int64_t n, bool align_corners)
{
    if (n <= 1)
        return 0;
    return align_corners ? -1 + 2 * (double)i / (double)(n - 1)
                         : -1 + (2 * (double)i + 1) / (double)n;
}

static void fill(struct dg_tensor *out, const double *theta, int n_space,
                 bool align_corners)
{
    const int64_t *sizes = out->sizes; /* N, ..., H, W, n_space */
    int64_t points = 1;

    for (int k = 1; k <= n_space; k++)
        points *= sizes[k];
    for (int64_t i = 0; i < sizes[0] * points; i++) {
        const double *row = theta + i / points * n_space * (n_space + 1);
        double at[4] = {[3] = 1};
        int64_t rest = i % points;

        for (int k = 0; k < n_space; k++) { /* x, y, z */
            at[k] =
                spread(rest % sizes[n_space - k], sizes[n_space - k], align_corners);
            rest /= sizes[n_space - k];
        }
        at[n_space] = 1;
        for (int k = 0; k < n_space; k++, row += n_space + 1) {
            double sum = 0;

            for (int j = 0; j <= n_space; j++)
                sum += row[j] * at[j];
            dg_put_real(out, i * n_space + k, sum);
        }
    }
}

enum dg_status dg_cpu_affine_grid(struct dg_call *call)
{
    struct dg_tensor *theta = dg_arg_tensor(call, 0), *dense, *out;
    int64_t sizes[5];
    int n = dg_arg_ints(call, 1, sizes, 5), n_space = n - 2;
    char text[200];

    if (n < 0)
        return call->err->status;
    if (!theta || (n != 4 && n != 5) || theta->rank != 3 ||
        theta->sizes[0] != sizes[0] || theta->sizes[1] != n_space ||
        theta->sizes[2] != n_space + 1 || !dg_type_is_float(theta->type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a map of shape %s does not fit a grid of %d dimensions",
                            theta ? dg_shape_text(theta, text, sizeof(text)) : "none",
                            n_space);
    for (int k = 1; k <= n_space; k++)
        sizes[k] = sizes[k + 1];
    sizes[n_space + 1] = n_space;
    out = dg_result(call, 0, theta->type, n, sizes);
    dense = out ? dg_as_type(call, theta, DG_TYPE_F64) : NULL;
    if (!dense)
        return call->err->status;
    fill(out, dg_tensor_data(dense), n_space, dg_arg_bool(call, 2, false));
    dg_tensor_drop(dense);
    return DG_OK;
}
