/* sum, mean, var, amax, any. */
KERNEL("aten::sum", sum, sum, REDUCTION, ANY, "torch.sum")
KERNEL("aten::sum.dim_IntList", sum_dims, sum_dims, REDUCTION, ANY, "torch._refs.sum")
KERNEL("aten::nansum", nansum, nansum, REDUCTION, ANY, "torch.nansum")
KERNEL("aten::mean", mean, mean, REDUCTION, ANY, "torch.mean")
KERNEL("aten::mean.dim", mean_dims, mean_dims, REDUCTION, ANY, "torch._refs.mean")
KERNEL("aten::nanmean", nanmean, nanmean, REDUCTION, FLOAT, "torch.nanmean")
KERNEL("aten::prod", prod, prod, REDUCTION, ANY, "torch.prod")
KERNEL("aten::prod.dim_int", prod_dim, prod_dim, REDUCTION, ANY, "torch._refs.prod")
KERNEL("aten::trace", trace, none, REDUCTION, ANY, "torch._refs.trace")
KERNEL("aten::count_nonzero", count_nonzero, count_nonzero, EXACT, ANY,
       "torch.count_nonzero")
KERNEL("aten::count_nonzero.dim_IntList", count_nonzero, count_nonzero, EXACT, ANY,
       "torch.count_nonzero")
KERNEL("aten::any", any, any, EXACT, ANY, "torch.any")
KERNEL("aten::any.dim", any_dims, any_dims, EXACT, ANY, "torch._refs.any")
KERNEL("aten::any.dims", any_dims, any_dims, EXACT, ANY, "torch._refs.any")
KERNEL("aten::all", all, all, EXACT, ANY, "torch.all")
KERNEL("aten::all.dim", all_dims, all_dims, EXACT, ANY, "torch._refs.all")
KERNEL("aten::all.dims", all_dims, all_dims, EXACT, ANY, "torch._refs.all")
KERNEL("aten::_is_any_true", any, any, EXACT, BOOL, "torch.any")
KERNEL("aten::_is_all_true", all, all, EXACT, BOOL, "torch.all")

KERNEL("aten::var", var, var, VARIANCE, FLOAT, "torch.var")
KERNEL("aten::var.dim", var_dim, var_dim, VARIANCE, FLOAT, "torch.var")
KERNEL("aten::var.correction", var_correction, var_correction, VARIANCE, FLOAT,
       "torch._refs.var")
KERNEL("aten::std", std, std, VARIANCE, FLOAT, "torch.std")
KERNEL("aten::std.dim", std_dim, std_dim, VARIANCE, FLOAT, "torch.std")
KERNEL("aten::std.correction", std_correction, std_correction, VARIANCE, FLOAT,
       "torch._refs.std")
KERNEL("aten::var_mean", var_mean, var_mean, VARIANCE, FLOAT, "torch.var_mean")
KERNEL("aten::var_mean.dim", var_mean_dim, var_mean_dim, VARIANCE, FLOAT,
       "torch.var_mean")
KERNEL("aten::var_mean.correction", var_mean_correction, var_mean_correction, VARIANCE,
       FLOAT, "torch._refs.var_mean")
KERNEL("aten::std_mean", std_mean, std_mean, VARIANCE, FLOAT, "torch.std_mean")
KERNEL("aten::std_mean.dim", std_mean_dim, std_mean_dim, VARIANCE, FLOAT,
       "torch.std_mean")
KERNEL("aten::std_mean.correction", std_mean_correction, std_mean_correction, VARIANCE,
       FLOAT, "torch._refs.std_mean")

KERNEL("aten::amax", amax, amax, EXACT, ANY, "torch._refs.amax")
KERNEL("aten::amin", amin, amin, EXACT, ANY, "torch._refs.amin")
KERNEL("aten::aminmax", aminmax, aminmax, EXACT, ANY, "torch.aminmax")
KERNEL("aten::_aminmax", aminmax_all, aminmax_all, EXACT, ANY, "torch.aminmax")
KERNEL("aten::_aminmax.dim", aminmax, aminmax, EXACT, ANY, "torch.aminmax")
KERNEL("aten::max", max, max, EXACT, ANY, "torch.max")
KERNEL("aten::min", min, min, EXACT, ANY, "torch.min")

KERNEL("aten::norm.Scalar", norm, norm, REDUCTION, FLOAT, "torch.norm")
KERNEL("aten::norm.ScalarOpt_dtype", norm_dtype, norm_dtype, REDUCTION, FLOAT,
       "torch.norm")
KERNEL("aten::norm.ScalarOpt_dim", vector_norm, vector_norm, REDUCTION, FLOAT,
       "torch._refs.norm")
KERNEL("aten::norm.ScalarOpt_dim_dtype", vector_norm, vector_norm, REDUCTION, FLOAT,
       "torch._refs.norm")
KERNEL("aten::linalg_vector_norm", vector_norm, vector_norm, REDUCTION, FLOAT,
       "torch._refs.linalg.vector_norm")
KERNEL("aten::frobenius_norm.dim", frobenius_norm, frobenius_norm, REDUCTION, FLOAT,
       "torch.norm")
KERNEL("aten::linalg_norm", linalg_norm, linalg_norm, REDUCTION, FLOAT,
       "torch.linalg.norm")
KERNEL("aten::logsumexp", logsumexp, logsumexp, REDUCTION, ANY, "torch._refs.logsumexp")
KERNEL("aten::sum_to_size", sum_to_size, none, REDUCTION, ANY,
       "torch._refs.sum_to_size")
KERNEL("aten::renorm", renorm, none, REDUCTION, FLOAT, "torch._refs.renorm")

KERNEL("aten::dist", dist, none, REDUCTION, FLOAT, "torch.dist")
KERNEL("aten::pairwise_distance", pairwise_distance, none, REDUCTION, FLOAT,
       "torch.nn.functional.pairwise_distance")
KERNEL("aten::cosine_similarity", cosine_similarity, none, SCAN, FLOAT,
       "torch.nn.functional.cosine_similarity")
KERNEL("aten::cdist", cdist, none, STEPWISE, FLOAT, "torch.cdist")
KERNEL("aten::_cdist_forward", cdist, none, STEPWISE, FLOAT, "torch.cdist")
KERNEL("aten::_euclidean_dist", cdist, none, STEPWISE, FLOAT, "torch.cdist")
KERNEL("aten::pdist", pdist, none, REDUCTION, FLOAT, "torch.nn.functional.pdist")
KERNEL("aten::_pdist_forward", pdist, none, REDUCTION, FLOAT,
       "torch.nn.functional.pdist")
