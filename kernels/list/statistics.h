/* histograms, quantiles, integrals, gradients, segments. */
KERNEL("aten::histc", histc, none, REDUCTION, FLOAT, "torch.histc")
KERNEL("aten::histogram.bin_ct", histogram, none, REDUCTION, FLOAT, "torch.histogram")
KERNEL("aten::histogram.bins_tensor", histogram_edges, none, REDUCTION, FLOAT,
       "torch.histogram")
KERNEL("aten::histogramdd", histogramdd, none, REDUCTION, FLOAT, "torch.histogramdd")
KERNEL("aten::histogramdd.int_bins", histogramdd, none, REDUCTION, FLOAT,
       "torch.histogramdd")
KERNEL("aten::histogramdd.TensorList_bins", histogramdd_edges, none, REDUCTION, FLOAT,
       "torch.histogramdd")
KERNEL("aten::_histogramdd_bin_edges", histogramdd_bin_edges, none, FUNCTION, FLOAT,
       "torch.histogramdd")
KERNEL("aten::_histogramdd_from_bin_cts", histogramdd, none, REDUCTION, FLOAT,
       "torch.histogramdd")
KERNEL("aten::_histogramdd_from_bin_tensors", histogramdd_from_edges, none, REDUCTION,
       FLOAT, "torch.histogramdd")

KERNEL("aten::quantile", quantile, none, REDUCTION, FLOAT, "torch.quantile")
KERNEL("aten::quantile.scalar", quantile, none, REDUCTION, FLOAT, "torch.quantile")
KERNEL("aten::nanquantile", nanquantile, none, REDUCTION, FLOAT, "torch.nanquantile")
KERNEL("aten::nanquantile.scalar", nanquantile, none, REDUCTION, FLOAT,
       "torch.nanquantile")

KERNEL("aten::trapezoid.x", trapezoid, none, REDUCTION, NUMBER, "torch.trapezoid")
KERNEL("aten::trapezoid.dx", trapezoid_dx, none, REDUCTION, NUMBER, "torch.trapezoid")
KERNEL("aten::trapz.x", trapezoid, none, REDUCTION, NUMBER, "torch.trapezoid")
KERNEL("aten::trapz.dx", trapezoid_dx, none, REDUCTION, NUMBER, "torch.trapezoid")
KERNEL("aten::cumulative_trapezoid.x", cumulative_trapezoid, none, SCAN, NUMBER,
       "torch.cumulative_trapezoid")
KERNEL("aten::cumulative_trapezoid.dx", cumulative_trapezoid_dx, none, SCAN, NUMBER,
       "torch.cumulative_trapezoid")

KERNEL("aten::gradient.scalarint", gradient, none, FUNCTION, NUMBER, "torch.gradient")
KERNEL("aten::gradient.scalararray", gradient, none, FUNCTION, NUMBER, "torch.gradient")
KERNEL("aten::gradient.array", gradient_dims, none, FUNCTION, NUMBER, "torch.gradient")
KERNEL("aten::gradient.scalarrayint", gradient, none, FUNCTION, NUMBER,
       "torch.gradient")
KERNEL("aten::gradient.scalarrayarray", gradient, none, FUNCTION, NUMBER,
       "torch.gradient")
KERNEL("aten::gradient.tensorarrayint", gradient, none, FUNCTION, NUMBER,
       "torch.gradient")
KERNEL("aten::gradient.tensorarray", gradient, none, FUNCTION, NUMBER, "torch.gradient")

KERNEL("aten::segment_reduce", segment_reduce, none, REDUCTION, FLOAT,
       "torch.segment_reduce")
KERNEL("aten::hash_tensor", hash_tensor, none, EXACT, ANY, "torch.hash_tensor")
