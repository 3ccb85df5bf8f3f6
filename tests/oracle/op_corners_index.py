"""Calls of operators that move or index elements and that torch's samples leave out."""
import torch

aten = torch.ops.aten
NAN, INF = float("nan"), float("inf")
I64 = torch.int64


def numbers(*sizes, dtype=torch.float32):
    count = 1
    for size in sizes:
        count *= size
    return (torch.arange(count) % 23 - 11).to(dtype).reshape(sizes)


def indices(*values):
    return torch.tensor(values, dtype=I64)


def views(call, dtype):
    x = numbers(2, 3, 4, dtype=dtype)
    strided = numbers(4, 3, 2, dtype=dtype).permute(2, 1, 0)
    matrix = numbers(3, 4, dtype=dtype)
    for name in ("conj", "data", "lift", "lift_fresh", "alias", "detach", "mT",
                 "mH", "adjoint", "resolve_conj", "resolve_neg", "ravel", "atleast_3d"):
        call(getattr(aten, name).default, (strided,), {}, f"{name} {dtype}")
    for name in ("matrix_H", "numpy_T", "t"):
        call(getattr(aten, name).default, (matrix,), {}, f"{name} {dtype}")
    call(aten.numpy_T.default, (strided,), {}, f"numpy_T {dtype}")
    call(aten._reshape_alias.default, (x, [6, 4], [4, 1]), {}, f"_reshape_alias {dtype}")
    for name in ("movedim", "moveaxis"):
        call(getattr(aten, name).int, (strided, 0, -1), {}, f"{name} {dtype}")
        call(getattr(aten, name).intlist, (strided, [0, 2], [2, 1]), {}, f"{name} {dtype}")
    for name in ("swapaxes", "swapdims"):
        call(getattr(aten, name).default, (strided, 0, -1), {}, f"{name} {dtype}")
    for end in (None, 2, -1, -9, 9):
        for start, step in ((None, 1), (1, 2), (-1, 3), (-9, 2), (9, 1)):
            call(aten.slice.Tensor, (strided, 2, start, end, step), {},
                 f"slice {start} {end} {step} {dtype}")
    for offset in (-5, -2, -1, 0, 1, 2, 3, 5):
        call(aten.diagonal.default, (strided, offset, 2, 0), {}, f"diagonal {offset} {dtype}")
    for offset in (-2, 0, 1):
        call(aten.diag_embed.default, (strided, offset, 0, -2), {}, f"diag_embed {dtype}")
        call(aten.diag.default, (matrix, offset), {}, f"diag {dtype}")
        call(aten.diag.default, (matrix[1], offset), {}, f"diag {dtype}")
    parts = [matrix, matrix[:1, :1], matrix[0, 0], matrix[0]]
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        call(getattr(aten, name).Sequence, (parts,), {}, f"{name} {dtype}")
    call(aten.broadcast_tensors.default, (parts,), {}, f"broadcast_tensors {dtype}")
    for size, step in ((1, 1), (2, 1), (2, 3), (4, 1), (0, 2), (3, 100)):
        call(aten.unfold.default, (strided, 2, size, step), {}, f"unfold {size} {dtype}")
    call(aten.unfold.default, (numbers(1, dtype=dtype)[0], 0, 1, 1), {}, f"unfold {dtype}")
    call(aten.squeeze.dims, (numbers(1, 3, 1, 2, dtype=dtype), [0, 1, -2]), {},
         f"squeeze {dtype}")
    for name, args in (("split_with_sizes", ([1, 0, 3], 2)), ("chunk", (3, 2)),
                       ("unsafe_chunk", (3, 2)), ("unsafe_split_with_sizes", ([3, 1], 2))):
        call(getattr(aten, name).default, (strided, *args), {}, f"{name} {dtype}")
    call(aten.chunk.default, (numbers(0, 2, dtype=dtype), 3), {}, f"chunk {dtype}")
    call(aten.split.Tensor, (numbers(0, 2, dtype=dtype), 0), {}, f"split {dtype}")
    call(aten.tensor_split.indices, (strided, [3, 1, -1, 9], 2), {}, f"tensor_split {dtype}")
    for sections in (1, 3, 7):
        call(aten.tensor_split.sections, (strided, sections, 2), {}, f"tensor_split {dtype}")
    call(aten.tensor_split.tensor_indices_or_sections, (strided, torch.tensor(3), 2), {},
         f"tensor_split {dtype}")
    call(aten.tensor_split.tensor_indices_or_sections, (strided, indices(1, 2), 2), {},
         f"tensor_split {dtype}")
    call(aten.narrow.Tensor, (strided, 2, torch.tensor(-3), 2), {}, f"narrow {dtype}")


def reinterpreted(call):
    x = numbers(2, 3, 4)
    for dtype in (torch.int32, torch.int16, torch.uint8, torch.float64, torch.bfloat16):
        call(aten.view.dtype, (x, dtype), {}, f"view {dtype}")
        call(aten.view.dtype, (x.permute(1, 0, 2), dtype), {}, f"view {dtype}")


def joined(call, dtype):
    x, empty = numbers(2, 3, dtype=dtype), torch.zeros(0, dtype=dtype)
    for name in ("cat", "concat", "concatenate"):
        call(getattr(aten, name).default, ([empty, x, empty, x.t().contiguous().t()], -1), {},
             f"{name} {dtype}")
    call(aten.cat.default, ([empty, empty],), {}, f"cat {dtype}")
    call(aten.cat.default, ([x, numbers(2, 0, dtype=dtype)], 1), {}, f"cat {dtype}")
    for other in (torch.int8, torch.float16, torch.bfloat16, torch.float64, torch.bool):
        call(aten.cat.default, ([x, x.to(other)],), {}, f"cat {dtype} {other}")
        call(aten.stack.default, ([x, x.to(other)], -1), {}, f"stack {dtype} {other}")
    call(aten._stack.default, ([x, x], 1), {}, f"_stack {dtype}")
    for name in ("row_stack", "column_stack", "hstack", "vstack", "dstack"):
        for part in (x[0, 0], x[0], x, x[None]):
            call(getattr(aten, name).default, ([part, part],), {}, f"{name} {dtype}")


def moved(call, dtype):
    x = numbers(4, 3, 2, dtype=dtype).permute(2, 1, 0)
    for pad in ([1, 2], [-1, 2, 1, -1], [0, -4], [2, 0, 0, 0, 1, 1]):
        call(aten.constant_pad_nd.default, (x, pad, 3), {}, f"constant_pad_nd {pad} {dtype}")
    for pad in ([1, 2], [-1, 2], [3, 3]):
        call(aten._pad_circular.default, (x, pad), {}, f"_pad_circular {pad} {dtype}")
        for mode in ("circular", "constant"):
            call(aten.pad.default, (x, pad, mode), {}, f"pad {mode} {pad} {dtype}")
        if dtype == torch.bool:
            continue
        for mode in ("reflect", "replicate"):
            call(aten.pad.default, (x, pad, mode), {}, f"pad {mode} {pad} {dtype}")
        for name in ("reflection_pad1d", "replication_pad1d"):
            call(getattr(aten, name).default, (x, pad), {}, f"{name} {pad} {dtype}")
    for shifts, dims in (([1], []), ([-7], []), ([1, -2], [0, 2]), ([3, 2], [2, 2]),
                         ([10 ** 12 + 1], [1])):
        call(aten.roll.default, (x, shifts, dims), {}, f"roll {shifts} {dtype}")
    for k in range(-3, 5):
        call(aten.rot90.default, (x, k, [0, 2]), {}, f"rot90 {k} {dtype}")
    call(aten.flip.default, (x, [0, -1]), {}, f"flip {dtype}")
    call(aten.repeat.default, (x, [2, 1, 3, 1]), {}, f"repeat {dtype}")
    call(aten.repeat.default, (x, [0, 1, 3]), {}, f"repeat {dtype}")
    call(aten.tile.default, (x, [3]), {}, f"tile {dtype}")
    image = numbers(2, 8, 4, 6, dtype=dtype).transpose(2, 3)
    call(aten.pixel_shuffle.default, (image, 2), {}, f"pixel_shuffle {dtype}")
    call(aten.pixel_unshuffle.default, (image, 2), {}, f"pixel_unshuffle {dtype}")
    call(aten.channel_shuffle.default, (image, 4), {}, f"channel_shuffle {dtype}")
    call(aten.native_channel_shuffle.default, (image, 4), {}, f"channel_shuffle {dtype}")
    if dtype.is_floating_point:
        grad = numbers(2, 4, dtype=dtype)
        call(aten.select_backward.default, (grad, [2, 3, 4], 1, -1), {}, f"select {dtype}")
        call(aten.slice_backward.default, (grad, [2, 9], 1, 1, 9, 2), {}, f"slice {dtype}")
        call(aten.diagonal_backward.default, (grad, [2, 5, 4], 0, 1, 2), {},
             f"diagonal {dtype}")


def indexed(call, dtype):
    x = numbers(4, 5, 3, 2, dtype=dtype)
    mask = torch.tensor([True, False, True, True])
    plane = numbers(5, 3) > 0
    row, column = indices(0, -1, 2), indices(-3, 1, 4)
    cases = (
        [row], [None, row], [row, column], [row, None, indices(0, 1, 2)],
        [None, column, None, indices(1, 0, -1)], [None, column, indices(0, 1, 2)],
        [mask], [None, plane], [mask, column], [indices([0, 1], [2, 3]), indices(1, 2)],
        [None, indices([0], [1]), indices([2, 0, 1])], [indices(0, 1).int()], [row[:0]],
        [torch.tensor(2), None, torch.tensor(-1)], [None, None, None, indices(1, 1, 0)],
    )
    for i, index in enumerate(cases):
        masked = any(t is not None and t.dtype == torch.bool for t in index)
        for name in ("index",) if masked else ("index", "_unsafe_index"):
            call(getattr(aten, name).Tensor, (x, index), {}, f"{name} {i} {dtype}")
        strided = x.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2)
        call(aten.index.Tensor, (strided, index), {}, f"index strided {i} {dtype}")
        shape = aten.index.Tensor(x, index).shape
        values = numbers(*shape, dtype=dtype)
        for name in ("index_put", "_unsafe_index_put", "_index_put_impl"):
            for accumulate in (False, True):
                call(getattr(aten, name).default, (x, index, values, accumulate), {},
                     f"{name} {i} {dtype}")
                call(getattr(aten, name).default, (x, index, values[..., :1], accumulate), {},
                     f"{name} {i} {dtype}")
    twice = indices(1, 1, 0, 1)
    call(aten.index_put.default, (x, [twice], numbers(4, 5, 3, 2, dtype=dtype)), {},
         f"index_put twice {dtype}")
    call(aten.take_along_dim.default, (numbers(3, 5, dtype=dtype), indices([-7, 12]), 1), {},
         f"take_along_dim {dtype}")
    call(aten.scatter.value_reduce, (numbers(3, 5, dtype=dtype), 1, indices([0, 0], [4, 1]), 2),
         {"reduce": "multiply"}, f"scatter {dtype}")
    call(aten.scatter.src, (numbers(3, 5, dtype=dtype), 1, indices([0, 0], [4, 1]),
                            numbers(3, 5, dtype=dtype)), {}, f"scatter {dtype}")
    for value in (numbers(3, dtype=dtype), numbers(1, dtype=dtype)[0]):
        call(aten.nonzero_numpy.default, (value,), {}, f"nonzero {dtype}")
        call(aten.nonzero.default, (value,), {}, f"nonzero {dtype}")
        call(aten.where.default, (value,), {}, f"where {dtype}")


def merged(call, dtype):
    x, src = numbers(4, 5, dtype=dtype), numbers(5, 5, dtype=dtype)
    where = (numbers(3, 5) * 7).to(I64) % 4
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            call(aten.scatter_reduce.two, (x, 0, where, src, reduce),
                 {"include_self": include_self}, f"scatter_reduce {reduce} {dtype}")
    for reduce in ("prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            call(aten.index_reduce.default, (x, 0, indices(1, 3, 1, 0, 1), src, reduce),
                 {"include_self": include_self}, f"index_reduce {reduce} {dtype}")
    call(aten.index_add.default, (x, 0, indices(1, 3, 1, 0, 1), src), {"alpha": 3},
         f"index_add {dtype}")
    if dtype.is_floating_point:
        bad = torch.tensor([[NAN, 1, INF, -0.0, 0.0]], dtype=dtype).repeat(5, 1)
        for reduce in ("sum", "amax", "amin"):
            call(aten.scatter_reduce.two, (x, 0, where, bad, reduce), {}, f"NaN {reduce} {dtype}")


def bags(call, dtype):
    weight = numbers(6, 3, dtype=dtype) / 8
    rows, starts = indices(0, 1, 1, 5, 2), indices(0, 2, 2)
    for name in ("_embedding_bag", "_embedding_bag_forward_only"):
        for mode in (0, 1, 2):
            for last in (False, True):
                for padding in (-1, 1):
                    ends = indices(0, 2, 2, 5) if last else starts
                    call(getattr(aten, name).default, (weight, rows, ends, False, mode, False,
                                                       None, last, padding), {},
                         f"{name} {mode} {dtype}")
        factors = torch.tensor([1, 2, 3, 4, 0.5], dtype=dtype)
        call(getattr(aten, name).default, (weight, rows, starts, False, 0, False, factors), {},
             f"{name} factors {dtype}")
    call(aten.embedding_bag.default, (weight, rows, starts, False, 1), {}, f"bag {dtype}")
    call(aten.embedding_bag.padding_idx, (weight, rows, starts, False, 0, False, None, False, -5),
         {}, f"bag {dtype}")
    call(aten.embedding_dense_backward.default,
         (numbers(2, 3, 4, dtype=dtype), indices([0, 1, 1], [5, 2, 1]), 6, 2, False), {},
         f"embedding_dense_backward {dtype}")


def searched(call):
    edges = torch.tensor([-2.0, 0.0, 0.0, 1.5, INF])
    values = torch.tensor([[-3.0, -2.0, -0.0], [0.1, INF, NAN]])
    for right in (False, True):
        for as_i32 in (False, True):
            options = {"out_int32": as_i32, "right": right}
            call(aten.searchsorted.Tensor, (edges, values), options, "searchsorted")
            call(aten.searchsorted.Scalar, (edges, 1.5), options, "searchsorted")
            call(aten.searchsorted.Scalar, (edges, 0), options, "searchsorted")
            call(aten.bucketize.Tensor, (values, edges), options, "bucketize")
            call(aten.bucketize.Scalar, (1.5, edges), options, "bucketize")
            call(aten.bucketize.Tensor, (values.bfloat16(), edges.bfloat16()), options,
                 "bucketize")
            call(aten.bucketize.Tensor, (indices(3, -7), indices(-7, 0, 3)), options, "bucketize")
    order = indices(2, 0, 1)
    call(aten.searchsorted.Tensor, (torch.tensor([2, 3, 1]), indices(1, 2, 9)),
         {"sorter": order, "side": "right"}, "searchsorted sorter")
    for dtype in (torch.float32, torch.float64, torch.bfloat16, I64):
        call(aten.bincount.default, (indices(3, 1, 2, 1), numbers(4, dtype=dtype), 6), {},
             f"bincount {dtype}")
    repeated = torch.tensor([NAN, 1.0, NAN, -0.0, 0.0, 1.0])
    for inverse in (False, True):
        for counts in (False, True):
            call(aten._unique2.default, (repeated, True, inverse, counts), {}, "unique")
            call(aten.unique_consecutive.default, (repeated, inverse, counts), {}, "unique")
            slices = torch.tensor([[2, 2, 0], [1, 1, 5]])
            call(aten.unique_dim.default, (slices, 1, True, inverse, counts), {}, "unique")
            call(aten.unique_dim_consecutive.default, (slices, 1, inverse, counts), {}, "unique")
    call(aten._unique.default, (repeated, True, True), {}, "unique")


def columns(call, dtype):
    image = numbers(2, 3, 7, 6, dtype=dtype).transpose(2, 3)
    for kernel, dilation, padding, stride in (([2, 3], [1, 1], [0, 0], [1, 1]),
                                              ([3, 2], [2, 1], [1, 2], [2, 3])):
        for x in (image, image[0]):
            made = aten.im2col.default(x, kernel, dilation, padding, stride)
            call(aten.im2col.default, (x, kernel, dilation, padding, stride), {}, f"im2col {dtype}")
            call(aten.col2im.default, (made, [6, 7], kernel, dilation, padding, stride), {},
                 f"col2im {dtype}")


def record(call):
    for dtype in (torch.float32, torch.bfloat16, I64, torch.bool):
        views(call, dtype)
        joined(call, dtype)
        moved(call, dtype)
        indexed(call, dtype)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, I64, torch.int8):
        merged(call, dtype)
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        bags(call, dtype)
        columns(call, dtype)
    reinterpreted(call)
    searched(call)
