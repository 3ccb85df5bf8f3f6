/* Factors, equations, values and norms of matrices. */
#include "unit/kernel_case.h"

#define NEAR(op, args, results) case_expect(__LINE__, op, args, results, 1e-6)

START_TEST(cholesky_factors_are_of_one_triangle)
{
    NEAR("aten::linalg_cholesky_ex",
         ARGS(TENSOR(F32, DIMS(2, 2), 4, NAN, 2, 5), TRUTH(0), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(2, 2), 2, 0, 1, 2), TENSOR(I32, DIMS(), 0)));
    NEAR("aten::cholesky", ARGS(TENSOR(F64, DIMS(2, 2), 4, 2, NAN, 5), TRUTH(1)),
         ARGS(TENSOR(F64, DIMS(2, 2), 2, 1, 0, 2)));
    NEAR("aten::cholesky_solve",
         ARGS(TENSOR(F32, DIMS(2, 1), 8, 14),
              TENSOR(F32, DIMS(3, 2, 2), 2, 0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2)),
         ARGS(TENSOR(F32, DIMS(3, 2, 1), 0.75, 2.5, 0.75, 2.5, 0.75, 2.5)));
    NEAR("aten::cholesky_inverse", ARGS(TENSOR(F32, DIMS(2, 2), 2, 0, 0, 4)),
         ARGS(TENSOR(F32, DIMS(2, 2), 0.25, 0, 0, 0.0625)));
}

START_TEST(matrices_that_are_not_definite_are_told_or_refused)
{
    struct case_run run;
    struct case_args args =
        ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 2, 1), TRUTH(0), TRUTH(0));

    run = case_run("aten::linalg_cholesky_ex", args);
    ck_assert_int_eq(run.status, DG_OK);
    ck_assert_int_eq(*(int32_t *)dg_tensor_data(run.results[1].as.tensor), 2);
    case_drop(&run);
    case_drop_args(args);
    EXPECT_REFUSED("aten::linalg_cholesky", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 2, 1)),
                   DG_ERR_FORMAT, "matrix 0 is not positive definite");
    EXPECT_REFUSED("aten::linalg_cholesky", ARGS(TENSOR(F32, DIMS(2, 3), 1)),
                   DG_ERR_FORMAT, "matrices of 2 by 3 are not square");
    EXPECT_REFUSED("aten::linalg_cholesky", ARGS(TENSOR(F32, DIMS(2), 1)),
                   DG_ERR_FORMAT, "fewer than 2 dimensions");
    EXPECT_REFUSED("aten::linalg_cholesky", ARGS(TENSOR(F16, DIMS(1, 1), 1)),
                   DG_ERR_DEVICE, "matrices of f16");
}

START_TEST(lu_factors_swap_rows)
{
    NEAR("aten::linalg_lu_factor_ex",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 4, 4), TRUTH(1), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(2, 2), 4, 4, 0.25, 1), TENSOR(I32, DIMS(2), 2, 2),
              TENSOR(I32, DIMS(), 0)));
    NEAR("aten::linalg_lu", ARGS(TENSOR(F64, DIMS(2, 2), 1, 2, 4, 4), TRUTH(1)),
         ARGS(TENSOR(F64, DIMS(2, 2), 0, 1, 1, 0),
              TENSOR(F64, DIMS(2, 2), 1, 0, 0.25, 1),
              TENSOR(F64, DIMS(2, 2), 4, 4, 0, 1)));
    NEAR("aten::lu_unpack",
         ARGS(TENSOR(F32, DIMS(2, 2), 4, 4, 0.25, 1), TENSOR(I32, DIMS(2), 2, 2),
              TRUTH(0), TRUTH(1)),
         ARGS(TENSOR(F32, DIMS(2, 2), 0, 1, 1, 0), TENSOR(F32, DIMS(0)),
              TENSOR(F32, DIMS(0))));
    EXPECT_REFUSED("aten::linalg_lu_factor",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 2, 4), TRUTH(1)), DG_ERR_FORMAT,
                   "matrix 0 is singular: see its diagonal up to element 2");
    EXPECT_REFUSED("aten::linalg_lu_factor_ex",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), TRUTH(0)), DG_ERR_DEVICE,
                   "without pivots");
}

/* LAPACK would follow them out of the matrix. */
START_TEST(pivots_outside_of_the_matrix_are_refused)
{
    static const double wrong[] = {0, 3, -1, 2147483647};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        EXPECT_REFUSED("aten::linalg_lu_solve",
                       ARGS(TENSOR(F32, DIMS(2, 2), 4, 4, 0.25, 1),
                            TENSOR(I32, DIMS(2), 1, wrong[i]),
                            TENSOR(F32, DIMS(2, 1), 1)),
                       DG_ERR_FORMAT, "in matrices of 2 rows");
        EXPECT_REFUSED("aten::lu_unpack",
                       ARGS(TENSOR(F32, DIMS(2, 2), 4, 4, 0.25, 1),
                            TENSOR(I32, DIMS(2), wrong[i], 1)),
                       DG_ERR_FORMAT, "in matrices of 2 rows");
        EXPECT_REFUSED("aten::linalg_ldl_solve",
                       ARGS(TENSOR(F32, DIMS(2, 2), 4, 4, 0.25, 1),
                            TENSOR(I32, DIMS(2), 1, wrong[i]),
                            TENSOR(F32, DIMS(2, 1), 1)),
                       DG_ERR_FORMAT, "no LDL factors of 2 rows");
    }
    EXPECT_REFUSED("aten::linalg_lu_solve",
                   ARGS(TENSOR(F32, DIMS(2, 2), 4, 4, 0.25, 1), TENSOR(I32, DIMS(1), 1),
                        TENSOR(F32, DIMS(2, 1), 1)),
                   DG_ERR_FORMAT, "do not fit");
    EXPECT_REFUSED("aten::linalg_lu_solve",
                   ARGS(TENSOR(F32, DIMS(2, 2), 4, 4, 0.25, 1),
                        TENSOR(I64, DIMS(2), 1, 2), TENSOR(F32, DIMS(2, 1), 1)),
                   DG_ERR_FORMAT, "pivots are i32, not i64");
}

START_TEST(indefinite_matrices_are_solved_by_their_blocks)
{
    NEAR("aten::linalg_ldl_factor_ex",
         ARGS(TENSOR(F32, DIMS(2, 2), 0, NAN, 1, 0), TRUTH(0), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(2, 2), 0, 0, 1, 0), TENSOR(I32, DIMS(2), -2, -2),
              TENSOR(I32, DIMS(), 0)));
    NEAR("aten::linalg_ldl_solve",
         ARGS(TENSOR(F32, DIMS(2, 2), 0, 0, 1, 0), TENSOR(I32, DIMS(2), -2, -2),
              TENSOR(F32, DIMS(2, 1), 3, 5)),
         ARGS(TENSOR(F32, DIMS(2, 1), 5, 3)));
}

START_TEST(equations_are_solved_from_both_sides)
{
    NEAR("aten::linalg_solve",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), TENSOR(F32, DIMS(2), 5, 11),
              TRUTH(1)),
         ARGS(TENSOR(F32, DIMS(2), 1, 2)));
    NEAR("aten::linalg_solve_ex",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), TENSOR(F32, DIMS(1, 2), 7, 10),
              TRUTH(0), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(1, 2), 1, 2), TENSOR(I32, DIMS(), 0)));
    NEAR("aten::_linalg_solve_ex",
         ARGS(TENSOR(F32, DIMS(1, 2, 2), 1, 2, 4, 4), TENSOR(F32, DIMS(2, 1), 5, 12)),
         ARGS(TENSOR(F32, DIMS(1, 2, 1), 1, 2),
              TENSOR(F32, DIMS(1, 2, 2), 4, 4, 0.25, 1), TENSOR(I32, DIMS(1, 2), 2, 2),
              TENSOR(I32, DIMS(1), 0)));
    NEAR("aten::linalg_inv", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4)),
         ARGS(TENSOR(F32, DIMS(2, 2), -2, 1, 1.5, -0.5)));
    EXPECT_REFUSED("aten::linalg_solve",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), TENSOR(F32, DIMS(2), 1), TRUTH(1)),
                   DG_ERR_FORMAT, "matrix 0 is singular");
    EXPECT_REFUSED("aten::inverse", ARGS(TENSOR(F64, DIMS(2, 2), 1, 2, 2, 4)),
                   DG_ERR_FORMAT, "matrix 0 is singular");
    EXPECT_REFUSED(
        "aten::linalg_solve",
        ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), TENSOR(F32, DIMS(3, 1), 1), TRUTH(1)),
        DG_ERR_FORMAT, "2 equations of f64 do not fit 3 rows of f64");
    EXPECT_REFUSED(
        "aten::linalg_solve",
        ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), TENSOR(F64, DIMS(2), 1), TRUTH(1)),
        DG_ERR_FORMAT, "one element type");
}

/* The other triangle is not looked at. */
START_TEST(triangular_equations_are_solved)
{
    NEAR("aten::linalg_solve_triangular",
         ARGS(TENSOR(F32, DIMS(2, 2), 2, 1, NAN, 4), TENSOR(F32, DIMS(2, 1), 4, 8),
              TRUTH(1), TRUTH(1), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(2, 1), 1, 2)));
    NEAR("aten::linalg_solve_triangular",
         ARGS(TENSOR(F32, DIMS(2, 2), 2, NAN, 1, 4), TENSOR(F32, DIMS(1, 2), 4, 8),
              TRUTH(0), TRUTH(0), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(1, 2), 1, 2)));
    NEAR("aten::linalg_solve_triangular",
         ARGS(TENSOR(F32, DIMS(2, 2), NAN, 3, NAN, NAN), TENSOR(F32, DIMS(2, 1), 7, 2),
              TRUTH(1), TRUTH(1), TRUTH(1)),
         ARGS(TENSOR(F32, DIMS(2, 1), 1, 2)));
    NEAR("aten::triangular_solve",
         ARGS(TENSOR(F32, DIMS(2, 1), 2, 9), TENSOR(F32, DIMS(2, 2), 2, 1, 0, 4),
              TRUTH(1), TRUTH(1), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(2, 1), 1, 2), TENSOR(F32, DIMS(2, 2), 2, 1, 0, 4)));
}

/* What is not finite goes on only to what depends on it. */
START_TEST(triangular_equations_keep_what_is_not_finite_where_it_is)
{
    NEAR("aten::linalg_solve_triangular",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 1, 0, 1),
              TENSOR(F32, DIMS(2, 2), INFINITY, 3, 2, 4), TRUTH(1), TRUTH(1), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(2, 2), INFINITY, -1, 2, 4)));
    NEAR("aten::linalg_solve_triangular",
         ARGS(TENSOR(F64, DIMS(2, 2), 2, 0, 1, 0), TENSOR(F64, DIMS(2, 1), 2, 0),
              TRUTH(0), TRUTH(1), TRUTH(0)),
         ARGS(TENSOR(F64, DIMS(2, 1), 1, -INFINITY)));
    NEAR("aten::linalg_solve_triangular",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 1, 0, 1), TENSOR(F32, DIMS(1, 2), 3, NAN),
              TRUTH(1), TRUTH(0), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(1, 2), 3, NAN)));
    NEAR("aten::triangular_solve",
         ARGS(TENSOR(F32, DIMS(2, 1), 2, NAN), TENSOR(F32, DIMS(2, 2), 2, 1, 0, 4),
              TRUTH(1), TRUTH(1), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(2, 1), 1, NAN), TENSOR(F32, DIMS(2, 2), 2, 1, 0, 4)));
}

START_TEST(determinants_have_a_sign_and_a_logarithm)
{
    NEAR("aten::det", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4)),
         ARGS(TENSOR(F32, DIMS(), -2)));
    NEAR("aten::linalg_slogdet", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4)),
         ARGS(TENSOR(F32, DIMS(), -1), TENSOR(F32, DIMS(), 0.6931471805599453)));
    NEAR("aten::linalg_slogdet", ARGS(TENSOR(F32, DIMS(2, 2), 1)),
         ARGS(TENSOR(F32, DIMS(), 0), TENSOR(F32, DIMS(), -INFINITY)));
    NEAR("aten::logdet", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4)),
         ARGS(TENSOR(F32, DIMS(), NAN)));
    NEAR("aten::_linalg_det", ARGS(TENSOR(F64, DIMS(2, 2), 1, 4, 2, 4)),
         ARGS(TENSOR(F64, DIMS(), -4), TENSOR(F64, DIMS(2, 2), 4, 4, 0.25, 1),
              TENSOR(I32, DIMS(2), 2, 2)));
    NEAR("aten::det", ARGS(TENSOR(F32, DIMS(2, 0, 0))),
         ARGS(TENSOR(F32, DIMS(2), 1, 1)));
    NEAR("aten::linalg_slogdet", ARGS(TENSOR(F32, DIMS(2, 1, 1), NAN, -INFINITY)),
         ARGS(TENSOR(F32, DIMS(2), 0, -1), TENSOR(F32, DIMS(2), NAN, INFINITY)));
    /* Beyond the range of f64. */
    NEAR("aten::linalg_slogdet", ARGS(TENSOR(F64, DIMS(2, 2), 1e300, 0, 0, 1e300)),
         ARGS(TENSOR(F64, DIMS(), 1), TENSOR(F64, DIMS(), 1381.5510557964274)));
}

START_TEST(q_and_r_have_the_signs_of_lapack)
{
    NEAR("aten::linalg_qr", ARGS(TENSOR(F32, DIMS(2, 1), 3, 4), TEXT("reduced")),
         ARGS(TENSOR(F32, DIMS(2, 1), -0.6, -0.8), TENSOR(F32, DIMS(1, 1), -5)));
    NEAR("aten::linalg_qr", ARGS(TENSOR(F32, DIMS(2, 1), 3, 4), TEXT("complete")),
         ARGS(TENSOR(F32, DIMS(2, 2), -0.6, -0.8, -0.8, 0.6),
              TENSOR(F32, DIMS(2, 1), -5, 0)));
    NEAR("aten::linalg_qr", ARGS(TENSOR(F32, DIMS(2, 1), 3, 4), TEXT("r")),
         ARGS(TENSOR(F32, DIMS(0)), TENSOR(F32, DIMS(1, 1), -5)));
    NEAR("aten::geqrf", ARGS(TENSOR(F32, DIMS(2, 1), 3, 4)),
         ARGS(TENSOR(F32, DIMS(2, 1), -5, 0.5), TENSOR(F32, DIMS(1), 1.6)));
    NEAR("aten::linalg_householder_product",
         ARGS(TENSOR(F32, DIMS(2, 1), -5, 0.5), TENSOR(F32, DIMS(1), 1.6)),
         ARGS(TENSOR(F32, DIMS(2, 1), -0.6, -0.8)));
    NEAR("aten::ormqr",
         ARGS(TENSOR(F32, DIMS(2, 1), -5, 0.5), TENSOR(F32, DIMS(1), 1.6),
              TENSOR(F32, DIMS(2, 1), 3, 4), TRUTH(1), TRUTH(1)),
         ARGS(TENSOR(F32, DIMS(2, 1), -5, 0)));
    EXPECT_REFUSED("aten::linalg_qr",
                   ARGS(TENSOR(F32, DIMS(2, 1), 1), TEXT("economic")), DG_ERR_FORMAT,
                   "\"economic\"");
    EXPECT_REFUSED("aten::linalg_householder_product",
                   ARGS(TENSOR(F32, DIMS(1, 2), 1), TENSOR(F32, DIMS(1), 1)),
                   DG_ERR_FORMAT, "2 columns of 1 rows");
    EXPECT_REFUSED("aten::ormqr",
                   ARGS(TENSOR(F32, DIMS(2, 1), 1), TENSOR(F32, DIMS(2), 1),
                        TENSOR(F32, DIMS(2, 1), 1), TRUTH(1), TRUTH(0)),
                   DG_ERR_FORMAT, "do not fit");
    EXPECT_REFUSED("aten::ormqr",
                   ARGS(TENSOR(F32, DIMS(2, 1), 1), TENSOR(F32, DIMS(1), 1),
                        TENSOR(F32, DIMS(1, 2), 1), TRUTH(1), TRUTH(0)),
                   DG_ERR_FORMAT, "do not fit");
}

START_TEST(singular_values_come_largest_first)
{
    NEAR("aten::linalg_svdvals", ARGS(TENSOR(F32, DIMS(2, 2), 3, 0, 0, -4), NOTHING),
         ARGS(TENSOR(F32, DIMS(2), 4, 3)));
    NEAR("aten::_linalg_svd",
         ARGS(TENSOR(F32, DIMS(2, 2), 3, 0, 0, -4), TRUTH(0), TRUTH(0), NOTHING),
         ARGS(TENSOR(F32, DIMS(0)), TENSOR(F32, DIMS(2), 4, 3), TENSOR(F32, DIMS(0))));
    NEAR("aten::svd", ARGS(TENSOR(F32, DIMS(1, 2), 3, 4), TRUTH(1), TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(1, 1), 0), TENSOR(F32, DIMS(1), 5),
              TENSOR(F32, DIMS(2, 2), 0)));
    NEAR("aten::linalg_eigvalsh",
         ARGS(TENSOR(F32, DIMS(2, 2), 0, NAN, 2, 3), TEXT("L")),
         ARGS(TENSOR(F32, DIMS(2), -1, 4)));
    EXPECT_REFUSED("aten::linalg_eigh", ARGS(TENSOR(F32, DIMS(2, 2), 1), TEXT("X")),
                   DG_ERR_FORMAT, "no triangle is named \"X\"");
}

START_TEST(what_is_not_finite_has_no_values_or_is_refused)
{
    EXPECT_REFUSED("aten::linalg_svdvals", ARGS(TENSOR(F32, DIMS(2, 2), NAN), NOTHING),
                   DG_ERR_FORMAT, "matrix 0 has an element that is NaN");
    NEAR("aten::linalg_svdvals",
         ARGS(TENSOR(F32, DIMS(2, 1, 1), INFINITY, -2), NOTHING),
         ARGS(TENSOR(F32, DIMS(2, 1), NAN, 2)));
    NEAR("aten::linalg_eigvalsh",
         ARGS(TENSOR(F32, DIMS(2, 2, 2), 1, NAN, 0, 2, 1, 0, INFINITY, 1), TEXT("L")),
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, NAN, NAN)));
    NEAR("aten::linalg_eigvalsh",
         ARGS(TENSOR(F32, DIMS(3, 1, 1), INFINITY, NAN, -2), TEXT("L")),
         ARGS(TENSOR(F32, DIMS(3, 1), INFINITY, NAN, -2)));
    EXPECT_REFUSED("aten::linalg_eigvalsh",
                   ARGS(TENSOR(F32, DIMS(2, 2), NAN, 0, 0, 1), TEXT("L")),
                   DG_ERR_DEVICE, "matrix 0 has an element that is NaN");
    EXPECT_REFUSED("aten::linalg_pinv.atol_rtol_tensor",
                   ARGS(TENSOR(F32, DIMS(2, 2), INFINITY, 0, 0, 1)), DG_ERR_FORMAT,
                   "not finite");
    EXPECT_REFUSED("aten::linalg_eigvals", ARGS(TENSOR(F32, DIMS(2, 2), NAN)),
                   DG_ERR_FORMAT, "matrix 0 has an element that is not finite");
}

START_TEST(what_is_singular_but_for_rounding_has_no_sign)
{
    EXPECT_REFUSED("aten::linalg_slogdet",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1, 3, 1.0 / 3, 1.0000001)),
                   DG_ERR_DEVICE, "matrix 0 is singular but for rounding");
    EXPECT_REFUSED("aten::linalg_inv_ex",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1, 3, 1.0 / 3, 1.0000001)),
                   DG_ERR_DEVICE, "singular but for rounding");
    EXPECT_REFUSED("aten::linalg_inv_ex", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 2, 4)),
                   DG_ERR_DEVICE, "matrix 0 is singular");
    NEAR("aten::linalg_slogdet", ARGS(TENSOR(F32, DIMS(2, 2), 1, 0, 0, 0x1p-40)),
         ARGS(TENSOR(F32, DIMS(), 1), TENSOR(F32, DIMS(), -40 * 0.6931471805599453)));
    NEAR("aten::linalg_slogdet", ARGS(TENSOR(F32, DIMS(2, 2), 1)),
         ARGS(TENSOR(F32, DIMS(), 0), TENSOR(F32, DIMS(), -INFINITY)));
    NEAR("aten::linalg_slogdet", ARGS(TENSOR(F32, DIMS(2, 2), 1, 3, 1.0 / 3, 1.0001)),
         ARGS(TENSOR(F32, DIMS(), 1), TENSOR(F32, DIMS(), -9.2104721)));
}

/* Whatever the signs of the vectors: u * s * vh is the matrix. */
START_TEST(vectors_make_the_matrix_again)
{
    struct case_args args =
        ARGS(TENSOR(F64, DIMS(2, 3), 1, 2, 3, 4, 5, 7), TRUTH(0), NOTHING);
    struct case_run run = case_run("aten::linalg_svd", args);
    const double *a, *u, *s, *vh;

    ck_assert_int_eq(run.status, DG_OK);
    a = dg_tensor_data(args.items[0].as.tensor);
    u = dg_tensor_data(run.results[0].as.tensor);
    s = dg_tensor_data(run.results[1].as.tensor);
    vh = dg_tensor_data(run.results[2].as.tensor);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(u[2 * i] * s[0] * vh[k] +
                                        u[2 * i + 1] * s[1] * vh[3 + k],
                                    a[3 * i + k], 1e-13);
    }
    case_drop(&run);
    case_drop_args(args);
}

START_TEST(norms_of_matrices_have_orders)
{
    static const double orders[] = {1, -1, INFINITY, -INFINITY, 2, -2};
    static const double norms[] = {6, 4, 7, 3, 5.1166727303, 1.9543951};

    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        NEAR("aten::linalg_matrix_norm",
             ARGS(TENSOR(F32, DIMS(2, 2), 1, -2, 3, 4), FLOAT(orders[i]), INTS(-2, -1),
                  TRUTH(0)),
             ARGS(TENSOR(F32, DIMS(), norms[i])));
    NEAR("aten::linalg_matrix_norm.str_ord",
         ARGS(TENSOR(F32, DIMS(2, 2), 3, 0, 0, 4), TEXT("nuc"), INTS(0, 1), TRUTH(1)),
         ARGS(TENSOR(F32, DIMS(1, 1), 7)));
    NEAR("aten::linalg_norm",
         ARGS(TENSOR(F32, DIMS(2, 2), 3, 0, 0, 4), INT(2), NOTHING, TRUTH(0)),
         ARGS(TENSOR(F32, DIMS(), 4)));
    NEAR("aten::nuclear_norm.dim",
         ARGS(TENSOR(F32, DIMS(2, 1, 2), 3, 0, 0, 4), INTS(0, 2), TRUTH(1)),
         ARGS(TENSOR(F32, DIMS(1, 1, 1), 7)));
    NEAR("aten::linalg_cond", ARGS(TENSOR(F32, DIMS(2, 2), 3, 0, 0, 4)),
         ARGS(TENSOR(F32, DIMS(), 4.0 / 3)));
    NEAR("aten::linalg_cond", ARGS(TENSOR(F32, DIMS(2, 2), 1), INT(1)),
         ARGS(TENSOR(F32, DIMS(), INFINITY)));
    EXPECT_REFUSED("aten::linalg_matrix_norm",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), FLOAT(3)), DG_ERR_FORMAT,
                   "no norm of matrices has order 3");
    EXPECT_REFUSED("aten::linalg_matrix_norm",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), FLOAT(1), INTS(1, 1)),
                   DG_ERR_FORMAT, "appears twice");
    EXPECT_REFUSED("aten::linalg_matrix_norm", ARGS(TENSOR(F32, DIMS(0, 2)), FLOAT(-2)),
                   DG_ERR_FORMAT, "matrices of 0 by 2 have no such norm");
}

START_TEST(ranks_and_pseudoinverses_leave_out_small_values)
{
    NEAR("aten::linalg_matrix_rank.atol_rtol_float",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 0, 0, 1e-8)), ARGS(TENSOR(I64, DIMS(), 1)));
    NEAR("aten::linalg_matrix_rank.atol_rtol_float",
         ARGS(TENSOR(F64, DIMS(2, 2), 1, 0, 0, 1e-8)), ARGS(TENSOR(I64, DIMS(), 2)));
    NEAR("aten::linalg_matrix_rank.atol_rtol_tensor",
         ARGS(TENSOR(F32, DIMS(2, 2), 3, 0, 0, 1), TENSOR(F32, DIMS(2), 0.5, 2)),
         ARGS(TENSOR(I64, DIMS(2), 2, 1)));
    NEAR("aten::linalg_matrix_rank",
         ARGS(TENSOR(F32, DIMS(2, 2), -3, 0, 0, 1), FLOAT(2), TRUTH(1)),
         ARGS(TENSOR(I64, DIMS(), 1)));
    NEAR("aten::linalg_pinv.atol_rtol_float",
         ARGS(TENSOR(F32, DIMS(2, 3), 2, 0, 0, 0, 1e-9, 0)),
         ARGS(TENSOR(F32, DIMS(3, 2), 0.5, 0, 0, 0, 0, 0)));
    NEAR("aten::linalg_pinv",
         ARGS(TENSOR(F32, DIMS(2, 2), -2, 0, 0, 4), FLOAT(0), TRUTH(1)),
         ARGS(TENSOR(F32, DIMS(2, 2), -0.5, 0, 0, 0.25)));
    NEAR("aten::linalg_pinv.rcond_tensor",
         ARGS(TENSOR(F32, DIMS(1, 1), 2), TENSOR(F32, DIMS(2), NAN, 0)),
         ARGS(TENSOR(F32, DIMS(2, 1, 1), 0, 0.5)));
    NEAR("aten::pinverse", ARGS(TENSOR(F32, DIMS(0, 3))),
         ARGS(TENSOR(F32, DIMS(3, 0))));
}

START_TEST(powers_and_exponentials_are_products)
{
    NEAR("aten::linalg_matrix_power",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 1, 0, 1), INT(10)),
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 10, 0, 1)));
    NEAR("aten::linalg_matrix_power",
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 1, 0, 1), INT(-3)),
         ARGS(TENSOR(F32, DIMS(2, 2), 1, -3, 0, 1)));
    NEAR("aten::linalg_matrix_power", ARGS(TENSOR(F32, DIMS(2, 2), 1, 1, 0, 1), INT(0)),
         ARGS(TENSOR(F32, DIMS(2, 2), 1, 0, 0, 1)));
    NEAR("aten::linalg_matrix_power", ARGS(TENSOR(F32, DIMS(1, 1), -1), INT(INT64_MIN)),
         ARGS(TENSOR(F32, DIMS(1, 1), 1)));
    NEAR("aten::matrix_exp", ARGS(TENSOR(F64, DIMS(2, 2), 0, 1, -1, 0)),
         ARGS(TENSOR(F64, DIMS(2, 2), 0.5403023058681398, 0.8414709848078965,
                     -0.8414709848078965, 0.5403023058681398)));
    NEAR("aten::matrix_exp", ARGS(TENSOR(F32, DIMS(2, 1, 1), -20, 20)),
         ARGS(TENSOR(F32, DIMS(2, 1, 1), 2.061153622438558e-09, 485165195.40979028)));
    NEAR("aten::matrix_exp", ARGS(TENSOR(F32, DIMS(2, 1, 1), INFINITY, -INFINITY)),
         ARGS(TENSOR(F32, DIMS(2, 1, 1), INFINITY, 0)));
    NEAR("aten::matrix_exp", ARGS(TENSOR(F32, DIMS(2, 2), INFINITY)),
         ARGS(TENSOR(F32, DIMS(2, 2), NAN)));
    NEAR("aten::linalg_multi_dot",
         ARGS(LIST(TENSOR(F32, DIMS(2), 1, 2), TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4),
                   TENSOR(F32, DIMS(2), 1, 1))),
         ARGS(TENSOR(F32, DIMS(), 17)));
    EXPECT_REFUSED("aten::matrix_exp", ARGS(TENSOR(F32, DIMS(1, 2), 1)), DG_ERR_FORMAT,
                   "not square");
    EXPECT_REFUSED("aten::linalg_matrix_power",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), INT(-1)), DG_ERR_FORMAT,
                   "singular");
}

START_TEST(tensors_are_matrices_of_more_dimensions)
{
    NEAR("aten::linalg_tensorinv", ARGS(TENSOR(F32, DIMS(1, 2, 2), 0, 2, 4, 0), INT(2)),
         ARGS(TENSOR(F32, DIMS(2, 1, 2), 0, 0.25, 0.5, 0)));
    NEAR("aten::linalg_tensorsolve",
         ARGS(TENSOR(F32, DIMS(2, 1, 2), 0, 2, 4, 0), TENSOR(F32, DIMS(2), 2, 4)),
         ARGS(TENSOR(F32, DIMS(1, 2), 1, 1)));
    EXPECT_REFUSED("aten::linalg_tensorinv", ARGS(TENSOR(F32, DIMS(2, 2), 1), INT(3)),
                   DG_ERR_FORMAT, "3 of 2 dimensions");
    EXPECT_REFUSED(
        "aten::linalg_tensorsolve",
        ARGS(TENSOR(F32, DIMS(2, 2), 1), TENSOR(F32, DIMS(2), 1), INTS(0, 0)),
        DG_ERR_FORMAT, "appears twice");
    EXPECT_REFUSED("aten::linalg_tensorsolve",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), TENSOR(F32, DIMS(3), 1)),
                   DG_ERR_FORMAT, "3 equations of 4 elements");
}

/* Elements that are off by an ulp are of matrices alone, and of their own type. */
START_TEST(own_sums_are_near_and_not_the_same)
{
    struct case_args args =
        ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), TENSOR(F32, DIMS(2), 5, 11));
    struct case_run exact = case_run("aten::linalg_solve", args), own;

    case_precision = DG_PRECISION_OWN_SUMS;
    own = case_run("aten::linalg_solve", args);
    EXPECT_NEAR("aten::linalg_inv", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4)), 1e-5,
                TENSOR(F32, DIMS(2, 2), -2, 1, 1.5, -0.5));
    EXPECT_NEAR("aten::linalg_inv", ARGS(TENSOR(F64, DIMS(2, 2), 1, 2, 3, 4)), 1e-14,
                TENSOR(F64, DIMS(2, 2), -2, 1, 1.5, -0.5));
    EXPECT("aten::linalg_multi_dot",
           ARGS(LIST(TENSOR(F16, DIMS(1, 2), 1, 2), TENSOR(F16, DIMS(2, 1), 3, 4))),
           TENSOR(F16, DIMS(1, 1), 11));
    case_precision = DG_PRECISION_EXACT_SUMS;
    ck_assert_mem_ne(dg_tensor_data(exact.results[0].as.tensor),
                     dg_tensor_data(own.results[0].as.tensor), 2 * sizeof(float));
    case_drop(&exact);
    case_drop(&own);
    case_drop_args(args);
}

Suite *kernels_linalg_suite(void)
{
    Suite *suite = suite_create("kernels_linalg");
    TCase *all = tcase_create("all");

    tcase_add_test(all, cholesky_factors_are_of_one_triangle);
    tcase_add_test(all, matrices_that_are_not_definite_are_told_or_refused);
    tcase_add_test(all, lu_factors_swap_rows);
    tcase_add_test(all, pivots_outside_of_the_matrix_are_refused);
    tcase_add_test(all, indefinite_matrices_are_solved_by_their_blocks);
    tcase_add_test(all, equations_are_solved_from_both_sides);
    tcase_add_test(all, triangular_equations_are_solved);
    tcase_add_test(all, triangular_equations_keep_what_is_not_finite_where_it_is);
    tcase_add_test(all, determinants_have_a_sign_and_a_logarithm);
    tcase_add_test(all, q_and_r_have_the_signs_of_lapack);
    tcase_add_test(all, singular_values_come_largest_first);
    tcase_add_test(all, what_is_not_finite_has_no_values_or_is_refused);
    tcase_add_test(all, what_is_singular_but_for_rounding_has_no_sign);
    tcase_add_test(all, vectors_make_the_matrix_again);
    tcase_add_test(all, norms_of_matrices_have_orders);
    tcase_add_test(all, ranks_and_pseudoinverses_leave_out_small_values);
    tcase_add_test(all, powers_and_exponentials_are_products);
    tcase_add_test(all, tensors_are_matrices_of_more_dimensions);
    tcase_add_test(all, own_sums_are_near_and_not_the_same);
    suite_add_tcase(suite, all);
    return suite;
}
