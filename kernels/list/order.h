/* sort, topk, argmax, cumsum. */
KERNEL("aten::argmax", argmax, argmax, ORDER, ANY, "torch.argmax")
KERNEL("aten::argmin", argmin, argmin, ORDER, ANY, "torch.argmin")
KERNEL("aten::max.dim", max_dim, max_dim, ORDER, ANY, "torch.max")
KERNEL("aten::min.dim", min_dim, min_dim, ORDER, ANY, "torch.min")
KERNEL("aten::sort", sort, sort, ORDER, ANY, "torch.sort")
KERNEL("aten::sort.stable", sort_stable, sort_stable, ORDER, ANY, "torch.sort")
KERNEL("aten::argsort", argsort, argsort, ORDER, ANY, "torch.argsort")
KERNEL("aten::argsort.stable", argsort_stable, argsort_stable, ORDER, ANY,
       "torch.argsort")
KERNEL("aten::msort", msort, msort, EXACT, ANY, "torch.msort")
KERNEL("aten::topk", topk, topk, ORDER, ANY, "torch.topk")
KERNEL("aten::kthvalue", kthvalue, kthvalue, ORDER, ANY, "torch.kthvalue")
KERNEL("aten::median", median, median, EXACT, ANY, "torch.median")
KERNEL("aten::median.dim", median_dim, median_dim, ORDER, ANY, "torch.median")
KERNEL("aten::nanmedian", nanmedian, nanmedian, EXACT, ANY, "torch.nanmedian")
KERNEL("aten::nanmedian.dim", nanmedian_dim, nanmedian_dim, ORDER, ANY,
       "torch.nanmedian")
KERNEL("aten::mode", mode, none, ORDER, ANY, "torch.mode")

KERNEL("aten::cumsum", cumsum, cumsum, SCAN, ANY, "torch._refs.cumsum")
KERNEL("aten::cumprod", cumprod, cumprod, SCAN, ANY, "torch._refs.cumprod")
KERNEL("aten::logcumsumexp", logcumsumexp, logcumsumexp, SCAN, FLOAT,
       "torch.logcumsumexp")
KERNEL("aten::_logcumsumexp", logcumsumexp, logcumsumexp, SCAN, FLOAT,
       "torch.logcumsumexp")
KERNEL("aten::cummax", cummax, cummax, EXACT, ANY, "torch.cummax")
KERNEL("aten::cummin", cummin, cummin, EXACT, ANY, "torch.cummin")
