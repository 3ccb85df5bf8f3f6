/* Pooling and resampling. */
KERNEL("aten::avg_pool1d", avg_pool1d, avg_pool1d, REDUCTION, FLOAT,
       "torch.nn.functional.avg_pool1d")
KERNEL("aten::avg_pool2d", avg_pool2d, avg_pool2d, REDUCTION, FLOAT,
       "torch.nn.functional.avg_pool2d")
KERNEL("aten::avg_pool3d", avg_pool3d, avg_pool3d, REDUCTION, FLOAT,
       "torch.nn.functional.avg_pool3d")
KERNEL("aten::adaptive_avg_pool1d", adaptive_avg_pool1d, adaptive_avg_pool1d, REDUCTION,
       FLOAT, "torch.nn.functional.adaptive_avg_pool1d")
KERNEL("aten::adaptive_avg_pool2d", adaptive_avg_pool2d, adaptive_avg_pool2d, REDUCTION,
       FLOAT, "torch.nn.functional.adaptive_avg_pool2d")
KERNEL("aten::adaptive_avg_pool3d", adaptive_avg_pool3d, adaptive_avg_pool3d, REDUCTION,
       FLOAT, "torch.nn.functional.adaptive_avg_pool3d")
KERNEL("aten::_adaptive_avg_pool2d", adaptive_avg_pool2d, adaptive_avg_pool2d,
       REDUCTION, FLOAT, "torch.nn.functional.adaptive_avg_pool2d")
KERNEL("aten::_adaptive_avg_pool3d", adaptive_avg_pool3d, adaptive_avg_pool3d,
       REDUCTION, FLOAT, "torch.nn.functional.adaptive_avg_pool3d")
KERNEL("aten::max_pool1d", max_pool1d, max_pool1d, EXACT, NUMBER,
       "torch.nn.functional.max_pool1d")
KERNEL("aten::max_pool2d", max_pool2d, max_pool2d, EXACT, NUMBER,
       "torch.nn.functional.max_pool2d")
KERNEL("aten::max_pool3d", max_pool3d, max_pool3d, EXACT, NUMBER,
       "torch.nn.functional.max_pool3d")
KERNEL("aten::max_pool1d_with_indices", max_pool1d_with_indices,
       max_pool1d_with_indices, EXACT, NUMBER, "torch.nn.functional.max_pool1d")
KERNEL("aten::max_pool2d_with_indices", max_pool2d_with_indices,
       max_pool2d_with_indices, EXACT, NUMBER, "torch.nn.functional.max_pool2d")
KERNEL("aten::max_pool3d_with_indices", max_pool3d_with_indices,
       max_pool3d_with_indices, EXACT, NUMBER, "torch.nn.functional.max_pool3d")
KERNEL("aten::adaptive_max_pool1d", adaptive_max_pool1d, adaptive_max_pool1d, EXACT,
       FLOAT, "torch.nn.functional.adaptive_max_pool1d")
KERNEL("aten::adaptive_max_pool2d", adaptive_max_pool2d, adaptive_max_pool2d, EXACT,
       FLOAT, "torch.nn.functional.adaptive_max_pool2d")
KERNEL("aten::adaptive_max_pool3d", adaptive_max_pool3d, adaptive_max_pool3d, EXACT,
       FLOAT, "torch.nn.functional.adaptive_max_pool3d")
KERNEL("aten::fractional_max_pool2d", fractional_max_pool2d, none, EXACT, FLOAT,
       "torch.nn.functional.fractional_max_pool2d")
KERNEL("aten::fractional_max_pool3d", fractional_max_pool3d, none, EXACT, FLOAT,
       "torch.nn.functional.fractional_max_pool3d")
KERNEL("aten::max_unpool2d", max_unpool2d, none, EXACT, FLOAT,
       "torch.nn.functional.max_unpool2d")
KERNEL("aten::max_unpool3d", max_unpool3d, none, EXACT, FLOAT,
       "torch.nn.functional.max_unpool3d")

KERNEL("aten::upsample_nearest1d", upsample_nearest1d, upsample_nearest1d, EXACT, ANY,
       "torch.nn.functional.interpolate")
KERNEL("aten::upsample_nearest1d.vec", upsample_nearest1d_vec, upsample_nearest1d_vec,
       EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_nearest2d", upsample_nearest2d, upsample_nearest2d, EXACT, ANY,
       "torch.nn.functional.interpolate")
KERNEL("aten::upsample_nearest2d.vec", upsample_nearest2d_vec, upsample_nearest2d_vec,
       EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_nearest3d", upsample_nearest3d, upsample_nearest3d, EXACT, ANY,
       "torch.nn.functional.interpolate")
KERNEL("aten::upsample_nearest3d.vec", upsample_nearest3d_vec, upsample_nearest3d_vec,
       EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_nearest_exact1d", upsample_nearest_exact1d,
       upsample_nearest_exact1d, EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_nearest_exact1d.vec", upsample_nearest_exact1d_vec,
       upsample_nearest_exact1d_vec, EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_nearest_exact2d", upsample_nearest_exact2d,
       upsample_nearest_exact2d, EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_nearest_exact2d.vec", upsample_nearest_exact2d_vec,
       upsample_nearest_exact2d_vec, EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_nearest_exact3d", upsample_nearest_exact3d,
       upsample_nearest_exact3d, EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_nearest_exact3d.vec", upsample_nearest_exact3d_vec,
       upsample_nearest_exact3d_vec, EXACT, ANY, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_linear1d", upsample_linear1d, upsample_linear1d, SCAN, FLOAT,
       "torch.nn.functional.interpolate")
KERNEL("aten::upsample_linear1d.vec", upsample_linear1d_vec, upsample_linear1d_vec,
       SCAN, FLOAT, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_bilinear2d", upsample_bilinear2d, upsample_bilinear2d, SCAN,
       FLOAT, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_bilinear2d.vec", upsample_bilinear2d_vec,
       upsample_bilinear2d_vec, SCAN, FLOAT, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_trilinear3d", upsample_trilinear3d, upsample_trilinear3d, SCAN,
       FLOAT, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_trilinear3d.vec", upsample_trilinear3d_vec,
       upsample_trilinear3d_vec, SCAN, FLOAT, "torch.nn.functional.interpolate")
KERNEL("aten::upsample_bicubic2d", upsample_bicubic2d, upsample_bicubic2d, SCAN, FLOAT,
       "torch.nn.functional.interpolate")
KERNEL("aten::upsample_bicubic2d.vec", upsample_bicubic2d_vec, upsample_bicubic2d_vec,
       SCAN, FLOAT, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_bilinear2d_aa", upsample_bilinear2d_aa, none, SCAN, FLOAT,
       "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_bilinear2d_aa.vec", upsample_bilinear2d_aa_vec, none, SCAN,
       FLOAT, "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_bicubic2d_aa", upsample_bicubic2d_aa, none, SCAN, FLOAT,
       "torch.nn.functional.interpolate")
KERNEL("aten::_upsample_bicubic2d_aa.vec", upsample_bicubic2d_aa_vec, none, SCAN, FLOAT,
       "torch.nn.functional.interpolate")

KERNEL("aten::grid_sampler", grid_sampler, grid_sampler, SCAN, FLOAT,
       "torch.nn.functional.grid_sample")
KERNEL("aten::grid_sampler_2d", grid_sampler_2d, grid_sampler_2d, SCAN, FLOAT,
       "torch.nn.functional.grid_sample")
KERNEL("aten::grid_sampler_3d", grid_sampler_3d, grid_sampler_3d, SCAN, FLOAT,
       "torch.nn.functional.grid_sample")
KERNEL("aten::affine_grid_generator", affine_grid, none, CONTRACTION, FLOAT,
       "torch.nn.functional.affine_grid")

KERNEL("aten::avg_pool2d_backward", avg_pool2d_backward, none, REDUCTION, FLOAT,
       "torch.nn.functional.avg_pool2d")
KERNEL("aten::_adaptive_avg_pool2d_backward", adaptive_avg_pool2d_backward, none,
       REDUCTION, FLOAT, "torch.nn.functional.adaptive_avg_pool2d")
KERNEL("aten::max_pool2d_with_indices_backward", max_pool2d_backward, none, REDUCTION,
       FLOAT, "torch.nn.functional.max_pool2d")
