"""Complex numbers: operands of two types, dtypes that are asked for, nothing, infinities."""
import torch

aten = torch.ops.aten
INF, NAN = float("inf"), float("nan")


def record(call):
    numbers = torch.tensor([1 + 2j, -0.5 + 1j, 3 - 1j, 0.25 - 2j])
    reals, whole = torch.tensor([0.5]), torch.tensor([2, 3])
    for n in (1, 2):
        call(aten.diff.default, (numbers, n, 0), {"prepend": reals}, f"corner diff {n} behind reals")
    call(aten.diff.default, (torch.tensor([1.0, 4.0]), 1, 0), {"append": numbers}, "corner diff of reals")
    for other in (whole, reals, reals.double(), torch.tensor([True, False])):
        call(aten.outer.default, (numbers, other), {}, f"corner outer {other.dtype}")
        call(aten.outer.default, (other, torch.tensor([1.5, 2.5])), {}, f"corner outer of {other.dtype}")
    for dtype in (torch.float32, torch.float64, torch.int64, torch.complex128):
        for func, args in ((aten.sum.default, ()), (aten.prod.default, ()), (aten.prod.dim_int, (0, True)),
                           (aten.cumsum.default, (0,)), (aten.cumprod.default, (0,))):
            call(func, (numbers, *args), {"dtype": dtype}, f"corner {func} as {dtype}")
    empty = torch.zeros(0, 3, dtype=torch.complex64)
    for dim in (0, 1):
        call(aten.logsumexp.default, (empty, [dim]), {}, f"corner logsumexp of nothing along {dim}")
        call(aten.prod.dim_int, (empty, dim), {}, f"corner prod of nothing along {dim}")
    ends = torch.tensor([complex(-INF, 1), complex(-INF, -2), complex(1, 3), complex(NAN, 0)])
    call(aten.logaddexp.default, (ends, ends.flip(0)), {}, "corner logaddexp")
    matrix = numbers.reshape(2, 2)
    places = torch.tensor([0, 0, 3, 0])
    for name, keeps in (("sum", True), ("sum", False), ("prod", True), ("prod", False), ("mean", True),
                        ("mean", False)):
        call(aten.scatter_reduce.two, (numbers, 0, places, numbers.flip(0), name),
             {"include_self": keeps}, f"corner scatter {name} {keeps}")
    for alpha in (1, 2.5, 1 - 2j):
        call(aten.index_add.default, (numbers, 0, places, numbers.flip(0)), {"alpha": alpha},
             f"corner index_add {alpha}")
    for dtype in (torch.complex64, torch.complex128):
        for steps in (0, 1, 2, 7):
            for func in (aten.linspace.default, aten.logspace.default):
                call(func, (1 - 2j, 3 + 0.5j, steps), {"dtype": dtype}, f"corner {func} {steps}")
        for eps in (None, 0.1):
            call(aten.rms_norm.default, (matrix.to(dtype), [2], matrix[0].to(dtype), eps), {},
                 f"corner rms_norm {eps}")
    for beta, alpha in ((0j, 2.5), (1, 1), (1j, 2 - 1j), (0, 1j)):
        added = torch.full((2, 2), NAN if beta == 0 else 2, dtype=torch.complex64)
        call(aten.addmm.default, (added, matrix, matrix), {"beta": beta, "alpha": alpha},
             f"corner addmm {beta} {alpha}")
