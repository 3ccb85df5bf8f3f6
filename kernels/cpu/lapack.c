/* LAPACK by its C interface, LAPACKE: loaded, not linked, as most programs need none.
 */
#include "kernels/cpu/lapack.h"

#include <complex.h>
#include <lapacke.h>
#include <pthread.h>
#include <stdio.h>

#include "base/symbols.h"

/* Of each routine those of f32, f64, c64 and c128, which has another name where a
 * transposed matrix is an adjoint one. */
#define ROUTINE(EACH, real, complex)                                                   \
    EACH(LAPACKE_s##real)                                                              \
    EACH(LAPACKE_d##real)                                                              \
    EACH(LAPACKE_c##complex)                                                           \
    EACH(LAPACKE_z##complex)
#define ROUTINES(EACH)                                                                 \
    ROUTINE(EACH, getrf, getrf)                                                        \
    ROUTINE(EACH, getrs, getrs)                                                        \
    ROUTINE(EACH, potrf, potrf)                                                        \
    ROUTINE(EACH, potrs, potrs)                                                        \
    ROUTINE(EACH, potri, potri)                                                        \
    ROUTINE(EACH, sytrf, sytrf)                                                        \
    ROUTINE(EACH, sytrs, sytrs)                                                        \
    ROUTINE(EACH, geqrf, geqrf)                                                        \
    ROUTINE(EACH, orgqr, ungqr)                                                        \
    ROUTINE(EACH, ormqr, unmqr)                                                        \
    ROUTINE(EACH, gesdd, gesdd)                                                        \
    ROUTINE(EACH, syevd, heevd)                                                        \
    EACH(LAPACKE_chetrf)                                                               \
    EACH(LAPACKE_zhetrf)                                                               \
    EACH(LAPACKE_chetrs)                                                               \
    EACH(LAPACKE_zhetrs)                                                               \
    EACH(LAPACKE_cgeev)                                                                \
    EACH(LAPACKE_zgeev)                                                                \
    EACH(LAPACKE_set_nancheck)                                                         \
    EACH(LAPACKE_ilaver)

static struct {
    ROUTINES(DG_SYMBOL_POINTER)
} lapack;

static enum dg_status loaded;
static struct dg_error why_not;
static char version[48];

static void load(void)
{
    static const struct dg_symbol symbols[] = {
#define SYMBOL(name) DG_SYMBOL(name, &lapack),
        ROUTINES(SYMBOL)
#undef SYMBOL
    };
    int major, minor, patch;

    loaded = dg_load_symbols("liblapacke.so.3", "LAPACK (Debian: liblapacke)", symbols,
                             sizeof(symbols) / sizeof(*symbols), &why_not);
    if (loaded)
        return;
    /* Programs may compute with NaN. */
    lapack.LAPACKE_set_nancheck(0);
    lapack.LAPACKE_ilaver(&major, &minor, &patch);
    snprintf(version, sizeof(version), "%d.%d.%d", major, minor, patch);
}

const char *dg_lapack_version(struct dg_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!loaded)
        return version;
    *err = why_not;
    return NULL;
}

enum dg_status dg_lapack_load(struct dg_call *call)
{
    if (!dg_lapack_version(&(struct dg_error){0}))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "LAPACK is not there (Debian: liblapacke)");
    call->context->used_lapack = true;
    return DG_OK;
}

/* The routine for the elements of `matrix`; it takes them as `void *`. */
#define RUN(matrix, real, complex, ...)                                                \
    ((matrix).type == DG_TYPE_F32   ? lapack.LAPACKE_s##real(__VA_ARGS__)              \
     : (matrix).type == DG_TYPE_F64 ? lapack.LAPACKE_d##real(__VA_ARGS__)              \
     : (matrix).type == DG_TYPE_C64 ? lapack.LAPACKE_c##complex(__VA_ARGS__)           \
                                    : lapack.LAPACKE_z##complex(__VA_ARGS__))

int dg_lapack_lu(struct dg_columns a, int32_t *pivots)
{
    return RUN(a, getrf, getrf, LAPACK_COL_MAJOR, a.rows, a.columns, a.data, a.rows,
               pivots);
}

int dg_lapack_lu_solve(struct dg_columns lu, const int32_t *pivots, char way,
                       struct dg_columns b)
{
    return RUN(lu, getrs, getrs, LAPACK_COL_MAJOR, way, lu.rows, b.columns, lu.data,
               lu.rows, pivots, b.data, b.rows);
}

int dg_lapack_cholesky(struct dg_columns a, char side)
{
    return RUN(a, potrf, potrf, LAPACK_COL_MAJOR, side, a.rows, a.data, a.rows);
}

int dg_lapack_cholesky_solve(struct dg_columns factor, char side, struct dg_columns b)
{
    return RUN(factor, potrs, potrs, LAPACK_COL_MAJOR, side, factor.rows, b.columns,
               factor.data, factor.rows, b.data, b.rows);
}

int dg_lapack_cholesky_invert(struct dg_columns factor, char side)
{
    return RUN(factor, potri, potri, LAPACK_COL_MAJOR, side, factor.rows, factor.data,
               factor.rows);
}

int dg_lapack_ldl(struct dg_columns a, bool hermitian, int32_t *pivots)
{
    return hermitian ? RUN(a, sytrf, hetrf, LAPACK_COL_MAJOR, 'L', a.rows, a.data,
                           a.rows, pivots)
                     : RUN(a, sytrf, sytrf, LAPACK_COL_MAJOR, 'L', a.rows, a.data,
                           a.rows, pivots);
}

int dg_lapack_ldl_solve(struct dg_columns factor, bool hermitian, const int32_t *pivots,
                        struct dg_columns b)
{
    return hermitian ? RUN(b, sytrs, hetrs, LAPACK_COL_MAJOR, 'L', b.rows, b.columns,
                           factor.data, b.rows, pivots, b.data, b.rows)
                     : RUN(b, sytrs, sytrs, LAPACK_COL_MAJOR, 'L', b.rows, b.columns,
                           factor.data, b.rows, pivots, b.data, b.rows);
}

int dg_lapack_qr(struct dg_columns a, void *scales)
{
    return RUN(a, geqrf, geqrf, LAPACK_COL_MAJOR, a.rows, a.columns, a.data, a.rows,
               scales);
}

int dg_lapack_reflect(struct dg_columns reflectors, int n, const void *scales)
{
    return RUN(reflectors, orgqr, ungqr, LAPACK_COL_MAJOR, reflectors.rows,
               reflectors.columns, n, reflectors.data, reflectors.rows, scales);
}

int dg_lapack_reflect_other(struct dg_columns reflectors, int n, const void *scales,
                            char side, char way, struct dg_columns c)
{
    bool is_complex = dg_type_is_complex(c.type);

    return RUN(c, ormqr, unmqr, LAPACK_COL_MAJOR, side,
               way == 'C' && !is_complex ? 'T' : way, c.rows, c.columns, n,
               reflectors.data, reflectors.rows, scales, c.data, c.rows);
}

int dg_lapack_svd(struct dg_columns a, char job, void *values, struct dg_columns u,
                  struct dg_columns vh)
{
    return RUN(a, gesdd, gesdd, LAPACK_COL_MAJOR, job, a.rows, a.columns, a.data,
               a.rows, values, u.data, u.rows, vh.data, vh.rows);
}

int dg_lapack_eigh(struct dg_columns a, char job, char side, void *values)
{
    return RUN(a, syevd, heevd, LAPACK_COL_MAJOR, job, side, a.rows, a.data, a.rows,
               values);
}

int dg_lapack_eig(struct dg_columns a, void *values, struct dg_columns vectors)
{
    char job = vectors.data ? 'V' : 'N';

    return a.type == DG_TYPE_C64
               ? lapack.LAPACKE_cgeev(LAPACK_COL_MAJOR, 'N', job, a.rows, a.data,
                                      a.rows, values, NULL, 1, vectors.data, a.rows)
               : lapack.LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', job, a.rows, a.data,
                                      a.rows, values, NULL, 1, vectors.data, a.rows);
}
