/* QR factors, and products of Householder reflectors. */
#include <string.h>

#include "kernels/cpu/linalg.h"
#include "kernels/cpu/movement.h"

/* R above, reflectors below; `scales` of these. */
static enum dg_status factor(struct dg_matrices *matrices, struct dg_matrices *scales,
                             struct dg_call *call, const struct dg_tensor *tensor)
{
    enum dg_status status = dg_matrices_load(matrices, call, tensor, DG_AS_MATRIX);

    if (!status)
        status = dg_matrices_new(scales, matrices, matrices->type,
                                 dg_lesser(matrices->rows, matrices->columns), 1);
    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < matrices->n && scales->rows; i++)
        status = dg_lapack_says(call, dg_lapack_qr(dg_matrix_at(matrices, i),
                                                   dg_matrix_at(scales, i).data));
    return status;
}

enum dg_status dg_cpu_geqrf(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices matrices, scales;
    enum dg_status status =
        self ? factor(&matrices, &scales, call, self) : call->err->status;

    if (!status)
        status = dg_matrices_give(&matrices, 0, self->type, DG_AS_MATRIX);
    return status ? status : dg_matrices_give(&scales, 1, self->type, DG_AS_COLUMN);
}

/* The first rows and columns of `from`. */
static enum dg_status resized(struct dg_matrices *to, const struct dg_matrices *from,
                              int rows, int columns)
{
    size_t bytes = dg_type_bytes(from->type);
    size_t length = (size_t)dg_lesser(rows, from->rows) * bytes;
    enum dg_status status = dg_matrices_new(to, from, from->type, rows, columns);

    for (int64_t i = 0; !status && i < from->n && length && columns; i++) {
        char *target = dg_matrix_at(to, i).data;
        const char *source = dg_matrix_at(from, i).data;

        for (int k = 0; k < columns && k < from->columns; k++)
            memcpy(target + (size_t)k * (size_t)rows * bytes,
                   source + (size_t)k * (size_t)from->rows * bytes, length);
    }
    return status;
}

static enum dg_status give_r(const struct dg_matrices *factors, bool complete,
                             enum dg_type type)
{
    int rows = complete ? factors->rows : dg_lesser(factors->rows, factors->columns);
    struct dg_matrices r;
    enum dg_status status = resized(&r, factors, rows, factors->columns);

    for (int64_t i = 0; !status && i < r.n && r.rows && r.columns; i++)
        dg_matrix_keep(dg_matrix_at(&r, i), 'U');
    return status ? status : dg_matrices_give(&r, 1, type, DG_AS_MATRIX);
}

/* In the place of reflectors, whose columns are as many as Q's: those that there are
 * no reflectors for are anything. */
static enum dg_status reflect(const struct dg_matrices *q,
                              const struct dg_matrices *scales)
{
    enum dg_status status = DG_OK;

    for (int64_t i = 0; !status && i < q->n && q->rows && q->columns; i++)
        status =
            dg_lapack_says(q->call, dg_lapack_reflect(dg_matrix_at(q, i), scales->rows,
                                                      dg_matrix_at(scales, i).data));
    return status;
}

static enum dg_status give_q(const struct dg_matrices *factors,
                             const struct dg_matrices *scales, bool complete,
                             enum dg_type type)
{
    int columns = complete ? factors->rows : dg_lesser(factors->rows, factors->columns);
    struct dg_matrices q;
    enum dg_status status = resized(&q, factors, factors->rows, columns);

    if (!status)
        status = reflect(&q, scales);
    return status ? status : dg_matrices_give(&q, 0, type, DG_AS_MATRIX);
}

static enum dg_status qr(struct dg_call *call, bool complete, bool has_q)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices factors, scales;
    enum dg_status status =
        self ? factor(&factors, &scales, call, self) : call->err->status;

    if (!status)
        status = has_q ? give_q(&factors, &scales, complete, self->type)
                       : dg_matrices_give_none(call, 0, self->type);
    return status ? status : give_r(&factors, complete, self->type);
}

enum dg_status dg_cpu_qr(struct dg_call *call)
{
    return qr(call, !dg_arg_bool(call, 1, true), true);
}

enum dg_status dg_cpu_linalg_qr(struct dg_call *call)
{
    const char *mode = call->n_args > 1 && call->args[1].kind == DG_ARG_STRING
                           ? call->args[1].as.string
                           : "reduced";

    if (strcmp(mode, "reduced") && strcmp(mode, "complete") && strcmp(mode, "r"))
        return dg_call_fail(call, DG_ERR_FORMAT, "no QR mode is named \"%.40s\"", mode);
    return qr(call, !strcmp(mode, "complete"), strcmp(mode, "r") != 0);
}

/* Reflectors and scales that are arguments. */
static enum dg_status load_reflectors(struct dg_matrices *reflectors,
                                      struct dg_matrices *scales, struct dg_call *call,
                                      const struct dg_tensor *tensor)
{
    enum dg_status status = dg_matrices_load(reflectors, call, tensor, DG_AS_MATRIX);

    if (!status)
        status = dg_matrices_load(scales, call, dg_arg_tensor(call, 1), DG_AS_COLUMN);
    if (status)
        return status;
    if (scales->n != reflectors->n || scales->type != reflectors->type ||
        scales->rows > dg_lesser(reflectors->rows, reflectors->columns))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld columns of %d scales do not fit %lld matrices of %d "
                            "by %d reflectors",
                            (long long)scales->n, scales->rows,
                            (long long)reflectors->n, reflectors->rows,
                            reflectors->columns);
    return dg_lapack_load(call);
}

enum dg_status dg_cpu_householder_product(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices q, scales;
    enum dg_status status =
        self ? load_reflectors(&q, &scales, call, self) : call->err->status;

    if (!status && q.columns > q.rows)
        status = dg_call_fail(call, DG_ERR_FORMAT, "%d columns of %d rows", q.columns,
                              q.rows);
    if (!status)
        status = reflect(&q, &scales);
    return status ? status : dg_matrices_give(&q, 0, self->type, DG_AS_MATRIX);
}

enum dg_status dg_cpu_ormqr(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *other = dg_arg_tensor(call, 2);
    char side = dg_arg_bool(call, 3, true) ? 'L' : 'R';
    char way = dg_arg_bool(call, 4, false) ? 'C' : 'N';
    struct dg_matrices reflectors, scales, c;
    enum dg_status status =
        self ? load_reflectors(&reflectors, &scales, call, self) : call->err->status;

    if (!status)
        status = dg_matrices_load(&c, call, other, DG_AS_MATRIX);
    if (!status && (c.n != reflectors.n || c.type != reflectors.type ||
                    (side == 'L' ? c.rows : c.columns) != reflectors.rows))
        status = dg_call_fail(call, DG_ERR_FORMAT,
                              "%lld matrices of %d by %d do not fit %lld of %d "
                              "rows of reflectors",
                              (long long)c.n, c.rows, c.columns,
                              (long long)reflectors.n, reflectors.rows);
    for (int64_t i = 0; !status && i < c.n && c.rows && c.columns && scales.rows; i++)
        status = dg_lapack_says(
            call, dg_lapack_reflect_other(dg_matrix_at(&reflectors, i), scales.rows,
                                          dg_matrix_at(&scales, i).data, side, way,
                                          dg_matrix_at(&c, i)));
    return status ? status : dg_matrices_give(&c, 0, other->type, DG_AS_MATRIX);
}
