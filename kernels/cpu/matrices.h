/* Batches of matrices as LAPACK takes them, and tensors of them. */
#ifndef DG_KERNELS_CPU_MATRICES_H
#define DG_KERNELS_CPU_MATRICES_H

#include "kernels/cpu/lapack.h"

/* What of a matrix the last dimensions of a tensor are. */
enum dg_matrix_form {
    DG_AS_MATRIX,  /* rows, columns */
    DG_AS_ADJOINT, /* columns, rows, conjugated */
    DG_AS_COLUMN,  /* rows: there is one column */
    DG_AS_NUMBER,  /* none: there is one element */
};

/* One behind the other, each column by column; lasts as long as the call. */
struct dg_matrices {
    struct dg_call *call;
    enum dg_type type; /* f32, f64, c64, c128; i32 of pivots */
    int rank;          /* dimensions before those of a matrix, and their sizes */
    int64_t sizes[DG_RANK_MOST];
    int64_t n;
    int rows, columns;
    unsigned char *data;
};

/* f64 or c128, whatever is rounded in the end; where rounding itself is looked for,
 * what the tensors have. DG_TYPE_NONE: torch has no such matrices. */
enum dg_type dg_matrices_type(const struct dg_call *call,
                              const struct dg_tensor *tensor);

/* A copy of what `tensor` holds. Fails where it is missing, has too few dimensions, an
 * element type without matrices, or sizes beyond LAPACK's. */
enum dg_status dg_matrices_load(struct dg_matrices *to, struct dg_call *call,
                                const struct dg_tensor *tensor,
                                enum dg_matrix_form form);
/* Converted to `type`. */
enum dg_status dg_matrices_load_as(struct dg_matrices *to, struct dg_call *call,
                                   const struct dg_tensor *tensor,
                                   enum dg_matrix_form form, enum dg_type type);
enum dg_status dg_matrices_load_pivots(struct dg_matrices *to, struct dg_call *call,
                                       const struct dg_tensor *tensor);
/* A tensor over them that nobody counts, and that `storage` must outlive; the adjoint
 * form is transposed only. */
struct dg_tensor dg_matrices_tensor(const struct dg_matrices *matrices,
                                    enum dg_matrix_form form,
                                    struct dg_storage *storage);
/* Zeros, as many as there are of `like`. */
enum dg_status dg_matrices_new(struct dg_matrices *to, const struct dg_matrices *like,
                               enum dg_type type, int64_t rows, int64_t columns);
enum dg_status dg_matrices_give(const struct dg_matrices *from, size_t result,
                                enum dg_type type, enum dg_matrix_form form);
/* A result that was not asked for: a tensor of no elements, of one dimension. */
enum dg_status dg_matrices_give_none(struct dg_call *call, size_t result,
                                     enum dg_type type);

static inline int dg_lesser(int a, int b)
{
    return a < b ? a : b;
}

/* Two tensors with the dimensions before those of `forms` broadcast to common ones. */
enum dg_status dg_matrices_broadcast(struct dg_call *call,
                                     struct dg_tensor *const tensors[2],
                                     const enum dg_matrix_form forms[2],
                                     struct dg_tensor results[2]);

enum dg_status dg_matrices_need_square(const struct dg_matrices *matrices);
/* Of equations: as many rows, and of one type. */
enum dg_status dg_matrices_need_fit(const struct dg_matrices *a,
                                    const struct dg_matrices *b);
bool dg_matrices_are_finite(const struct dg_matrices *matrices);
/* Where torch refuses what is not finite, and LAPACK might end the process. */
enum dg_status dg_matrices_need_finite(const struct dg_matrices *matrices);

/* Column `i` of pivots and the like. */
int32_t *dg_integers_at(const struct dg_matrices *matrices, int64_t i);
/* DG_OK unless `info` says that LAPACK found no memory. */
enum dg_status dg_lapack_says(struct dg_call *call, int info);
/* Fails where one of `info` is not 0; `what` says what such a matrix is. Rounding alone
 * may lead there: then it is not computed, and no flaw of the program. */
enum dg_status dg_matrices_need_success(const struct dg_matrices *info,
                                        const char *what);

/* Where rounding itself is looked for: elements that are off, to and fro. Right code
 * gives what is exact for such matrices: those of f32 by an ulp, beside what sums in
 * f32 lose; those of f64, of which there is nothing wider, by half an ulp for each of
 * `n` rows. Of other types and runs nothing is. */
void dg_disturb(const struct dg_call *call, enum dg_type type, void *elements,
                int64_t count, int64_t n);

struct dg_columns dg_matrix_at(const struct dg_matrices *matrices, int64_t i);
double _Complex dg_matrix_get(struct dg_columns matrix, int row, int column);
void dg_matrix_set(struct dg_columns matrix, int row, int column,
                   double _Complex value);
bool dg_matrix_is_finite(struct dg_columns matrix);
bool dg_matrix_has_nan(struct dg_columns matrix);
void dg_matrix_make_nan(struct dg_columns matrix);
/* Zeros below the diagonal ('U' is kept), or above it ('L'). */
void dg_matrix_keep(struct dg_columns matrix, char side);
/* The other triangle becomes the adjoint of triangle `side`. */
void dg_matrix_mirror(struct dg_columns matrix, char side);

#endif
