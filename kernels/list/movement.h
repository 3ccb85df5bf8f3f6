/* Views, copies, cat, pad, flip. */
VIEW("aten::view", view, "torch._refs.view")
VIEW("aten::_unsafe_view", view, "torch._refs.view")
VIEW("aten::reshape", view, "torch._refs.reshape")
VIEW("aten::_reshape_alias", view, "ATen/native/TensorShape.cpp")
VIEW("aten::view_as", view_as, "torch._refs.view_as")
VIEW("aten::reshape_as", view_as, "torch._refs.reshape_as")
VIEW("aten::view.dtype", view_dtype, "ATen/native/TensorConversions.cpp")
VIEW("aten::flatten.using_ints", flatten, "torch._refs.flatten")
VIEW("aten::unflatten.int", unflatten, "torch._refs.unflatten")
VIEW("aten::ravel", ravel, "torch._refs.ravel")
VIEW("executorch_prim::et_view", view, "executorch/kernels/prim_ops/et_view.cpp")

VIEW("aten::alias", alias, "torch._refs.alias")
VIEW("aten::detach", alias, "ATen/native/TensorShape.cpp")
VIEW("aten::lift", alias, "ATen/native/TensorConversions.cpp")
VIEW("aten::lift_fresh", alias, "ATen/native/TensorConversions.cpp")
VIEW("aten::conj", conj, "torch._refs.conj")
VIEW("aten::_conj", conj, "torch._refs.conj")
VIEW("aten::real", real, "torch._refs.real")
VIEW("aten::imag", imag, "torch._refs.imag")
VIEW("aten::view_as_real", view_as_real, "ATen/native/ComplexHelper.h")
VIEW("aten::view_as_complex", view_as_complex, "ATen/native/ComplexHelper.h")
VIEW("aten::conj_physical", conj, "torch._refs.conj_physical")
VIEW("aten::_conj_physical", conj, "torch._refs.conj_physical")
VIEW("aten::resolve_conj", alias, "ATen/native/UnaryOps.cpp")
VIEW("aten::resolve_neg", alias, "ATen/native/UnaryOps.cpp")
VIEW("aten::data", alias, "ATen/native/VariableMethodStubs.cpp")

VIEW("aten::permute", permute, "torch._refs.permute")
VIEW("aten::transpose.int", transpose, "torch._refs.transpose")
VIEW("aten::swapaxes", transpose, "torch._refs.transpose")
VIEW("aten::swapdims", transpose, "torch._refs.transpose")
VIEW("aten::t", t, "torch._refs.t")
VIEW("aten::numpy_T", reverse_dims, "torch._refs.T")
VIEW("aten::mT", matrix_transpose, "ATen/native/TensorShape.cpp")
VIEW("aten::mH", adjoint, "ATen/native/TensorShape.cpp")
VIEW("aten::adjoint", adjoint, "ATen/native/TensorShape.cpp")
VIEW("aten::matrix_H", adjoint, "ATen/native/TensorShape.cpp")
VIEW("aten::movedim.int", movedim, "torch._refs.movedim")
VIEW("aten::movedim.intlist", movedim, "torch._refs.movedim")
VIEW("aten::moveaxis.int", movedim, "torch._refs.movedim")
VIEW("aten::moveaxis.intlist", movedim, "torch._refs.movedim")
VIEW("aten::squeeze", squeeze, "torch._refs.squeeze")
VIEW("aten::squeeze.dim", squeeze_dims, "torch._refs.squeeze")
VIEW("aten::squeeze.dims", squeeze_dims, "torch._refs.squeeze")
VIEW("aten::unsqueeze", unsqueeze, "torch._refs.unsqueeze")
VIEW("aten::expand", expand, "torch._refs.expand")
VIEW("aten::expand_as", expand_as, "torch._refs.expand_as")
VIEW("aten::broadcast_to", expand, "torch._refs.broadcast_to")
VIEW("aten::atleast_1d", atleast_1d, "torch._refs.atleast_1d")
VIEW("aten::atleast_2d", atleast_2d, "torch._refs.atleast_2d")
VIEW("aten::atleast_3d", atleast_3d, "torch._refs.atleast_3d")

VIEW("aten::atleast_1d.Sequence", each_atleast_1d, "torch._refs.atleast_1d")
VIEW("aten::atleast_2d.Sequence", each_atleast_2d, "torch._refs.atleast_2d")
VIEW("aten::atleast_3d.Sequence", each_atleast_3d, "torch._refs.atleast_3d")
VIEW("aten::broadcast_tensors", broadcast_tensors, "torch._refs.broadcast_tensors")

VIEW("aten::select.int", select, "ATen/native/TensorShape.cpp")
VIEW("aten::slice.Tensor", slice, "torch._decomp.decompositions.slice_forward")
VIEW("aten::narrow", narrow, "torch._refs.narrow")
KERNEL("aten::narrow.Tensor", narrow_tensor, none, EXACT, ANY, "torch._refs.narrow")
VIEW("aten::diagonal", diagonal, "torch._refs.diagonal")
VIEW("aten::linalg_diagonal", diagonal, "torch._refs.linalg.diagonal")
VIEW("aten::unfold", unfold, "torch._refs.unfold")
VIEW("aten::as_strided", as_strided, "torch._refs.as_strided")
VIEW("aten::resize", resize, "ATen/native/Resize.cpp")
VIEW("aten::resize_as", resize_as, "ATen/native/TensorShape.cpp")

VIEW("aten::split.Tensor", split, "torch._decomp.decompositions.split")
VIEW("aten::unsafe_split.Tensor", split, "torch._decomp.decompositions.unsafe_split")
VIEW("aten::split.sizes", split_with_sizes, "ATen/native/TensorShape.cpp")
VIEW("aten::split_with_sizes", split_with_sizes, "ATen/native/TensorShape.cpp")
VIEW("aten::unsafe_split_with_sizes", split_with_sizes,
     "torch._decomp.decompositions.unsafe_split_with_sizes")
VIEW("aten::chunk", chunk, "torch._refs.chunk")
VIEW("aten::unsafe_chunk", chunk, "ATen/native/TensorShape.cpp")
VIEW("aten::unbind.int", unbind, "torch._refs.unbind")
VIEW("aten::tensor_split.sections", tensor_split_sections, "torch._refs.tensor_split")
VIEW("aten::tensor_split.indices", tensor_split_indices, "torch._refs.tensor_split")
KERNEL("aten::tensor_split.tensor_indices_or_sections", tensor_split_by_tensor, none,
       EXACT, ANY, "torch._refs.tensor_split")
VIEW("aten::hsplit.int", hsplit, "torch._refs.hsplit")
VIEW("aten::hsplit.array", hsplit, "torch._refs.hsplit")
VIEW("aten::vsplit.int", vsplit, "torch._refs.vsplit")
VIEW("aten::vsplit.array", vsplit, "torch._refs.vsplit")
VIEW("aten::dsplit.int", dsplit, "torch._refs.dsplit")
VIEW("aten::dsplit.array", dsplit, "torch._refs.dsplit")

KERNEL("aten::cat", cat, cat, EXACT, ANY, "torch._refs.cat")
KERNEL("aten::concat", cat, cat, EXACT, ANY, "torch._refs.cat")
KERNEL("aten::concatenate", cat, cat, EXACT, ANY, "torch._refs.cat")
KERNEL("aten::stack", stack, stack, EXACT, ANY, "torch._refs.stack")
KERNEL("aten::_stack", stack, stack, EXACT, ANY, "torch._refs.stack")
KERNEL("aten::hstack", hstack, none, EXACT, ANY, "torch._refs.hstack")
KERNEL("aten::vstack", vstack, none, EXACT, ANY, "torch._refs.vstack")
KERNEL("aten::row_stack", vstack, none, EXACT, ANY, "torch._refs.vstack")
KERNEL("aten::dstack", dstack, none, EXACT, ANY, "torch._refs.dstack")
KERNEL("aten::column_stack", column_stack, none, EXACT, ANY, "torch._refs.column_stack")
KERNEL("aten::block_diag", block_diag, none, EXACT, ANY, "torch._refs.block_diag")
KERNEL("aten::cartesian_prod", cartesian_prod, none, EXACT, ANY, "torch.cartesian_prod")
KERNEL("aten::combinations", combinations, none, EXACT, ANY, "torch.combinations")

KERNEL("aten::constant_pad_nd", constant_pad_nd, constant_pad, EXACT, ANY,
       "torch._refs.constant_pad_nd")
KERNEL("aten::pad", pad, pad, EXACT, ANY, "ATen/native/PadNd.cpp")
KERNEL("aten::_pad_circular", circular_pad, circular_pad, EXACT, ANY,
       "ATen/native/PadNd.cpp")
KERNEL("aten::reflection_pad1d", reflection_pad, reflection_pad, EXACT, ANY,
       "torch._decomp.decompositions._reflection_pad")
KERNEL("aten::reflection_pad2d", reflection_pad, reflection_pad, EXACT, ANY,
       "torch._decomp.decompositions._reflection_pad")
KERNEL("aten::reflection_pad3d", reflection_pad, reflection_pad, EXACT, ANY,
       "torch._decomp.decompositions._reflection_pad")
KERNEL("aten::replication_pad1d", replication_pad, replication_pad, EXACT, ANY,
       "torch._decomp.decompositions._replication_pad")
KERNEL("aten::replication_pad2d", replication_pad, replication_pad, EXACT, ANY,
       "torch._decomp.decompositions._replication_pad")
KERNEL("aten::replication_pad3d", replication_pad, replication_pad, EXACT, ANY,
       "torch._decomp.decompositions._replication_pad")

KERNEL("aten::flip", flip, flip, EXACT, ANY, "torch._refs.flip")
KERNEL("aten::fliplr", fliplr, fliplr, EXACT, ANY, "torch._refs.fliplr")
KERNEL("aten::flipud", flipud, flipud, EXACT, ANY, "torch._refs.flipud")
KERNEL("aten::roll", roll, roll, EXACT, ANY, "torch._refs.roll")
KERNEL("aten::rot90", rot90, rot90, EXACT, ANY, "torch._refs.rot90")
KERNEL("aten::repeat", repeat, repeat, EXACT, ANY, "torch._refs.repeat")
KERNEL("aten::tile", tile, tile, EXACT, ANY, "ATen/native/TensorShape.cpp")
KERNEL("aten::pixel_shuffle", pixel_shuffle, pixel_shuffle, EXACT, ANY,
       "ATen/native/PixelShuffle.cpp")
KERNEL("aten::pixel_unshuffle", pixel_unshuffle, pixel_unshuffle, EXACT, ANY,
       "ATen/native/PixelShuffle.cpp")
KERNEL("aten::channel_shuffle", channel_shuffle, channel_shuffle, EXACT, ANY,
       "ATen/native/ChanelShuffle.cpp")
KERNEL("aten::native_channel_shuffle", channel_shuffle, channel_shuffle, EXACT, ANY,
       "ATen/native/ChanelShuffle.cpp")

KERNEL("aten::select_scatter", select_scatter, select_scatter, EXACT, ANY,
       "torch._refs.select_scatter")
KERNEL("aten::slice_scatter", slice_scatter, slice_scatter, EXACT, ANY,
       "torch._decomp.decompositions.slice_scatter")
KERNEL("aten::diagonal_scatter", diagonal_scatter, none, EXACT, ANY,
       "torch._refs.diagonal_scatter")
KERNEL("aten::as_strided_scatter", as_strided_scatter, none, EXACT, ANY,
       "torch._refs.as_strided_scatter")
KERNEL("aten::diag_embed", diag_embed, none, EXACT, ANY, "torch._refs.diag_embed")
KERNEL("aten::diag", diag, none, EXACT, ANY, "torch._refs.diag")
KERNEL("aten::diagflat", diagflat, none, EXACT, ANY, "torch.diagflat")
KERNEL("aten::select_backward", select_backward, none, EXACT, ANY,
       "torch._decomp.decompositions.select_backward")
KERNEL("aten::slice_backward", slice_backward, none, EXACT, ANY,
       "torch._decomp.decompositions.slice_backward")
KERNEL("aten::diagonal_backward", diagonal_backward, none, EXACT, ANY,
       "torch._decomp.decompositions.diagonal_backward")
KERNEL("executorch_prim::et_copy_index.tensor", et_copy_index, none, EXACT, ANY,
       "executorch/kernels/prim_ops/et_copy_index.cpp")
KERNEL("aten::_chunk_cat", chunk_cat, none, EXACT, ANY,
       "torch._decomp.decompositions._chunk_cat")
