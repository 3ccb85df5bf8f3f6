/* Linear algebra, through LAPACK. */
KERNEL("aten::linalg_cholesky", cholesky, none, FACTORIZATION, FLOAT,
       "torch.linalg.cholesky")
KERNEL("aten::linalg_cholesky_ex", cholesky_ex, none, FACTORIZATION, FLOAT,
       "torch.linalg.cholesky_ex")
KERNEL("aten::cholesky", cholesky, none, FACTORIZATION, FLOAT, "torch.cholesky")
KERNEL("aten::cholesky_inverse", cholesky_inverse, none, FACTORIZATION, FLOAT,
       "torch.cholesky_inverse")
KERNEL("aten::cholesky_solve", cholesky_solve, none, FACTORIZATION, FLOAT,
       "torch.cholesky_solve")
KERNEL("aten::_cholesky_solve_helper", cholesky_solve, none, FACTORIZATION, FLOAT,
       "torch.cholesky_solve")
KERNEL("aten::linalg_det", det, none, FACTORIZATION, FLOAT, "torch.linalg.det")
KERNEL("aten::_linalg_det", det, none, FACTORIZATION, FLOAT, "torch.linalg.det")
KERNEL("aten::det", det, none, FACTORIZATION, FLOAT, "torch.linalg.det")
KERNEL("aten::linalg_slogdet", slogdet, none, FACTORIZATION, FLOAT,
       "torch.linalg.slogdet")
KERNEL("aten::_linalg_slogdet", slogdet, none, FACTORIZATION, FLOAT,
       "torch.linalg.slogdet")
KERNEL("aten::slogdet", slogdet, none, FACTORIZATION, FLOAT, "torch.linalg.slogdet")
KERNEL("aten::logdet", logdet, none, FACTORIZATION, FLOAT, "torch.logdet")
KERNEL("aten::linalg_inv", linalg_inv, none, FACTORIZATION, FLOAT, "torch.linalg.inv")
KERNEL("aten::linalg_inv_ex", linalg_inv_ex, none, FACTORIZATION, FLOAT,
       "torch.linalg.inv_ex")
KERNEL("aten::inverse", linalg_inv, none, FACTORIZATION, FLOAT, "torch.linalg.inv")
KERNEL("aten::linalg_solve", linalg_solve, none, FACTORIZATION, FLOAT,
       "torch.linalg.solve")
KERNEL("aten::linalg_solve_ex", linalg_solve_ex, none, FACTORIZATION, FLOAT,
       "torch.linalg.solve_ex")
KERNEL("aten::_linalg_solve_ex", linalg_solve_ex, none, FACTORIZATION, FLOAT,
       "torch.linalg.solve_ex")
KERNEL("aten::linalg_solve_triangular", linalg_solve_triangular, none, FACTORIZATION,
       FLOAT, "torch.linalg.solve_triangular")
KERNEL("aten::triangular_solve", triangular_solve, none, FACTORIZATION, FLOAT,
       "torch.triangular_solve")
KERNEL("aten::linalg_lu", linalg_lu, none, FACTORIZATION, FLOAT, "torch.linalg.lu")
KERNEL("aten::linalg_lu_factor", lu_factor, none, FACTORIZATION, FLOAT,
       "torch.linalg.lu_factor")
KERNEL("aten::linalg_lu_factor_ex", lu_factor_ex, none, FACTORIZATION, FLOAT,
       "torch.linalg.lu_factor_ex")
KERNEL("aten::_lu_with_info", lu_with_info, none, FACTORIZATION, FLOAT,
       "torch.linalg.lu_factor_ex")
KERNEL("aten::lu_unpack", lu_unpack, none, FACTORIZATION, FLOAT, "torch.lu_unpack")
KERNEL("aten::linalg_lu_solve", linalg_lu_solve, none, FACTORIZATION, FLOAT,
       "torch.linalg.lu_solve")
KERNEL("aten::lu_solve", lu_solve, none, FACTORIZATION, FLOAT, "torch.lu_solve")
KERNEL("aten::linalg_ldl_factor", ldl_factor, none, FACTORIZATION, FLOAT,
       "torch.linalg.ldl_factor")
KERNEL("aten::linalg_ldl_factor_ex", ldl_factor_ex, none, FACTORIZATION, FLOAT,
       "torch.linalg.ldl_factor_ex")
KERNEL("aten::linalg_ldl_solve", ldl_solve, none, FACTORIZATION, FLOAT,
       "torch.linalg.ldl_solve")
KERNEL("aten::linalg_qr", linalg_qr, none, FACTORIZATION, FLOAT, "torch.linalg.qr")
KERNEL("aten::qr", qr, none, FACTORIZATION, FLOAT, "torch.linalg.qr")
KERNEL("aten::geqrf", geqrf, none, FACTORIZATION, FLOAT, "torch.geqrf")
KERNEL("aten::ormqr", ormqr, none, FACTORIZATION, FLOAT, "torch.ormqr")
KERNEL("aten::linalg_householder_product", householder_product, none, FACTORIZATION,
       FLOAT, "torch.linalg.householder_product")
KERNEL("aten::orgqr", householder_product, none, FACTORIZATION, FLOAT,
       "torch.linalg.householder_product")
KERNEL("aten::linalg_svd", linalg_svd, none, VECTORS, FLOAT, "torch.linalg.svd",
       KNOWN(1))
KERNEL("aten::_linalg_svd", linalg_svd_maybe, none, VECTORS, FLOAT, "torch.linalg.svd",
       KNOWN(1))
KERNEL("aten::svd", svd, none, VECTORS, FLOAT, "torch.linalg.svd", KNOWN(1))
KERNEL("aten::linalg_svdvals", linalg_svdvals, none, FACTORIZATION, FLOAT,
       "torch.linalg.svdvals")
KERNEL("aten::linalg_eigh", linalg_eigh, none, VECTORS, FLOAT, "torch.linalg.eigh",
       KNOWN(0))
KERNEL("aten::_linalg_eigh", linalg_eigh_maybe, none, VECTORS, FLOAT,
       "torch.linalg.eigh", KNOWN(0))
KERNEL("aten::linalg_eigvalsh", linalg_eigvalsh, none, FACTORIZATION, FLOAT,
       "torch.linalg.eigvalsh")
KERNEL("aten::linalg_eig", linalg_eig, none, VECTORS, FLOAT, "torch.linalg.eig")
KERNEL("aten::linalg_eigvals", linalg_eigvals, none, VECTORS, FLOAT,
       "torch.linalg.eigvals")
KERNEL("aten::_linalg_eigvals", linalg_eigvals, none, VECTORS, FLOAT,
       "torch.linalg.eigvals")
KERNEL("aten::linalg_matrix_norm", matrix_norm, none, FACTORIZATION, FLOAT,
       "torch.linalg.matrix_norm")
KERNEL("aten::linalg_matrix_norm.str_ord", matrix_norm, none, FACTORIZATION, FLOAT,
       "torch.linalg.matrix_norm")
KERNEL("aten::linalg_norm.ord_str", matrix_norm, none, FACTORIZATION, FLOAT,
       "torch.linalg.norm")
KERNEL("aten::nuclear_norm", nuclear_norm, none, FACTORIZATION, FLOAT,
       "torch.linalg.matrix_norm")
KERNEL("aten::nuclear_norm.dim", nuclear_norm_dims, none, FACTORIZATION, FLOAT,
       "torch.linalg.matrix_norm")
KERNEL("aten::linalg_cond", linalg_cond, none, FACTORIZATION, FLOAT,
       "torch.linalg.cond")
KERNEL("aten::linalg_cond.p_str", linalg_cond, none, FACTORIZATION, FLOAT,
       "torch.linalg.cond")
KERNEL("aten::linalg_matrix_rank", matrix_rank_tol, none, FACTORIZATION, FLOAT,
       "torch.linalg.matrix_rank")
KERNEL("aten::linalg_matrix_rank.tol_tensor", matrix_rank_tol, none, FACTORIZATION,
       FLOAT, "torch.linalg.matrix_rank")
KERNEL("aten::linalg_matrix_rank.atol_rtol_tensor", matrix_rank, none, FACTORIZATION,
       FLOAT, "torch.linalg.matrix_rank")
KERNEL("aten::linalg_matrix_rank.atol_rtol_float", matrix_rank, none, FACTORIZATION,
       FLOAT, "torch.linalg.matrix_rank")
KERNEL("aten::linalg_pinv", pinv_rcond, none, FACTORIZATION, FLOAT, "torch.linalg.pinv")
KERNEL("aten::linalg_pinv.rcond_tensor", pinv_rcond, none, FACTORIZATION, FLOAT,
       "torch.linalg.pinv")
KERNEL("aten::linalg_pinv.atol_rtol_tensor", pinv, none, FACTORIZATION, FLOAT,
       "torch.linalg.pinv")
KERNEL("aten::linalg_pinv.atol_rtol_float", pinv, none, FACTORIZATION, FLOAT,
       "torch.linalg.pinv")
KERNEL("aten::pinverse", pinverse, none, FACTORIZATION, FLOAT, "torch.linalg.pinv")
KERNEL("aten::matrix_exp", matrix_exp, none, CONTRACTION, FLOAT,
       "torch.linalg.matrix_exp")
KERNEL("aten::linalg_matrix_exp", matrix_exp, none, CONTRACTION, FLOAT,
       "torch.linalg.matrix_exp")
KERNEL("aten::linalg_matrix_power", matrix_power, none, CONTRACTION, FLOAT,
       "torch.linalg.matrix_power")
KERNEL("aten::matrix_power", matrix_power, none, CONTRACTION, FLOAT,
       "torch.linalg.matrix_power")
KERNEL("aten::linalg_multi_dot", multi_dot, none, CONTRACTION, FLOAT,
       "torch.linalg.multi_dot")
KERNEL("aten::chain_matmul", multi_dot, none, CONTRACTION, FLOAT,
       "torch.linalg.multi_dot")
KERNEL("aten::linalg_tensorinv", tensorinv, none, FACTORIZATION, FLOAT,
       "torch.linalg.tensorinv")
KERNEL("aten::linalg_tensorsolve", tensorsolve, none, FACTORIZATION, FLOAT,
       "torch.linalg.tensorsolve")
