/* gather, scatter, index, embedding, nonzero. */
KERNEL("aten::gather", gather, gather, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::take", take, none, EXACT, ANY, "torch._decomp.decompositions.take")
KERNEL("aten::take_along_dim", take_along_dim, none, EXACT, ANY,
       "torch._refs.take_along_dim")
KERNEL("aten::index_select", index_select, index_select, EXACT, ANY,
       "torch._refs.index_select")
KERNEL("aten::embedding", embedding, embedding, EXACT, ANY,
       "torch._decomp.decompositions.embedding", WIDENS(0))
KERNEL("aten::repeat_interleave.Tensor", repeat_interleave, none, EXACT, INTEGER,
       "ATen/native/Repeat.cpp")
KERNEL("aten::repeat_interleave.self_Tensor", repeat_interleave_each, none, EXACT, ANY,
       "ATen/native/Repeat.cpp")
KERNEL("aten::repeat_interleave.self_int", repeat_interleave_all, none, EXACT, ANY,
       "ATen/native/Repeat.cpp")

KERNEL("aten::index.Tensor", index, index, EXACT, ANY,
       "torch._meta_registrations.meta_index_Tensor")
KERNEL("aten::_unsafe_index.Tensor", index, index, EXACT, ANY,
       "torch._decomp.decompositions._unsafe_index")
KERNEL("aten::index_put", index_put, index_put, REDUCTION, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::_unsafe_index_put", index_put, index_put, REDUCTION, ANY,
       "torch._decomp.decompositions._unsafe_index_put")
KERNEL("aten::_index_put_impl", index_put, index_put, REDUCTION, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")

KERNEL("aten::scatter.src", scatter, scatter, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::scatter.value", scatter_value, scatter_value, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::scatter.reduce", scatter_merge, scatter_merge, REDUCTION, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::scatter.value_reduce", scatter_value_merge, scatter_value_merge,
       REDUCTION, ANY, "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::scatter_add", scatter_add, scatter_add, REDUCTION, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::scatter_reduce.two", scatter_reduce, scatter_reduce, REDUCTION, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::index_copy", index_copy, index_copy, EXACT, ANY, "torch._refs.index_copy")
KERNEL("aten::index_add", index_add, index_add, REDUCTION, ANY, "torch._refs.index_add")
KERNEL("aten::index_reduce", index_reduce, index_reduce, REDUCTION, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::index_fill.int_Scalar", index_fill, index_fill, EXACT, ANY,
       "torch._refs.index_fill")
KERNEL("aten::index_fill.int_Tensor", index_fill, index_fill, EXACT, ANY,
       "torch._refs.index_fill")
KERNEL("aten::put", put, none, REDUCTION, ANY, "ATen/native/TensorAdvancedIndexing.cpp")

KERNEL("aten::nonzero", nonzero, nonzero, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::argwhere", nonzero, nonzero, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::nonzero_static", nonzero_static, nonzero_static, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::nonzero_numpy", where_true, where_true, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::where", where_true, where_true, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::masked_select", masked_select, masked_select, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")
KERNEL("aten::masked_scatter", masked_scatter, masked_scatter, EXACT, ANY,
       "ATen/native/TensorAdvancedIndexing.cpp")

KERNEL("aten::embedding_bag", embedding_bag, none, REDUCTION, FLOAT,
       "ATen/native/EmbeddingBag.cpp")
KERNEL("aten::embedding_bag.padding_idx", embedding_bag_padded, none, REDUCTION, FLOAT,
       "ATen/native/EmbeddingBag.cpp")
KERNEL("aten::_embedding_bag", embedding_bag, none, REDUCTION, FLOAT,
       "ATen/native/EmbeddingBag.cpp")
KERNEL("aten::_embedding_bag_forward_only", embedding_bag_forward_only, none, REDUCTION,
       FLOAT, "ATen/native/EmbeddingBag.cpp")
KERNEL("aten::embedding_dense_backward", embedding_dense_backward, none, REDUCTION,
       FLOAT, "torch._decomp.decompositions.embedding_dense_backward")

KERNEL("aten::searchsorted.Tensor", searchsorted, none, EXACT, NUMBER,
       "ATen/native/Bucketization.cpp")
KERNEL("aten::searchsorted.Scalar", searchsorted, none, EXACT, NUMBER,
       "ATen/native/Bucketization.cpp")
KERNEL("aten::bucketize.Tensor", bucketize, none, EXACT, NUMBER,
       "ATen/native/Bucketization.cpp")
KERNEL("aten::bucketize.Scalar", bucketize, none, EXACT, NUMBER,
       "ATen/native/Bucketization.cpp")
KERNEL("aten::bincount", bincount, none, REDUCTION, INTEGER,
       "ATen/native/SummaryOps.cpp")
KERNEL("aten::_unique", unique, none, EXACT, ANY, "ATen/native/Unique.cpp")
KERNEL("aten::_unique2", unique, none, EXACT, ANY, "ATen/native/Unique.cpp")
KERNEL("aten::unique_dim", unique_dim, none, EXACT, ANY, "ATen/native/Unique.cpp")
KERNEL("aten::unique_dim_consecutive", unique_dim_consecutive, none, EXACT, ANY,
       "ATen/native/Unique.cpp")
KERNEL("aten::unique_consecutive", unique_consecutive, none, EXACT, ANY,
       "ATen/native/Unique.cpp")

KERNEL("aten::im2col", im2col, none, EXACT, ANY, "torch._decomp.decompositions.im2col")
KERNEL("aten::col2im", col2im, none, REDUCTION, FLOAT,
       "torch._decomp.decompositions.col2im")

KERNEL("aten::_unsafe_masked_index", masked_index, none, EXACT, ANY,
       "torch._decomp.decompositions._unsafe_masked_index")
KERNEL("aten::_unsafe_masked_index_put_accumulate", masked_index_put, none, REDUCTION,
       ANY, "torch._decomp.decompositions._unsafe_masked_index_put_accumulate")
KERNEL("aten::isin.Tensor_Tensor", isin, none, EXACT, NUMBER, "torch.isin")
KERNEL("aten::isin.Tensor_Scalar", isin_number, none, EXACT, NUMBER, "torch.isin")
KERNEL("aten::isin.Scalar_Tensor", isin, none, EXACT, NUMBER, "torch.isin")
