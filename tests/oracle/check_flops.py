"""Hold FLOPs of matrix products, convolutions and attention to torch.utils.flop_counter.

    check_flops.py --delegraph PROGRAM [--seed N] [--fresh N]

Fresh modules of random shapes, exported, decomposed and lowered to .pte, run under the
real FlopCounterMode.
"""

import argparse
import json
import logging
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode, register_flop_formula, sdpa_flop

DATA = Path(__file__).resolve().parent.parent / "data"

COUNTED = """
SELECT sum(flops), count(*) - count(flops) FROM v_cost
 WHERE op GLOB '*conv*d*' OR op GLOB '*convolution*' OR op GLOB '*mm.*' OR op GLOB '*mm'
    OR op GLOB '*linear*' OR op GLOB '*matmul*' OR op GLOB '*scaled_dot_product*'
"""


# The registry lacks the CPU kernel: give it the formula of its siblings.
register_flop_formula(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu, get_raw=True)(
    sdpa_flop)


class Module(torch.nn.Module):
    """Calls `function`; torch.export wants a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def sizes(rng, n, most=7, least=1):
    return [rng.randint(least, most) for _ in range(n)]


def tensor(*shape):
    return torch.randn(*shape)


def convolution(rng):
    rank = rng.randint(1, 3)
    groups, batch, inner, outer = sizes(rng, 4, 4)
    transposed = rng.random() < 0.5
    kernel = rng.randint(1, 3)
    options = {"stride": rng.randint(1, 2), "padding": rng.randint(0, kernel - 1), "groups": groups}
    if transposed:
        weight = tensor(groups * inner, outer, *[kernel] * rank)
    else:
        weight = tensor(groups * outer, inner, *[kernel] * rank)
    name = f"conv_transpose{rank}d" if transposed else f"conv{rank}d"
    shape = [groups * inner, *(rng.randint(4, 9) for _ in range(rank))]
    x = tensor(*([batch] if rng.random() < 0.8 else []), *shape)
    bias = [tensor(groups * outer)] if rng.random() < 0.5 else []
    return lambda *a: getattr(F, name)(*a, **options), (x, weight, *bias)


def linear(rng):
    inner, outer, *batch = sizes(rng, rng.randint(3, 5))
    bias = [tensor(outer)] if rng.random() < 0.5 else []
    return F.linear, (tensor(*batch, inner), tensor(outer, inner), *bias)


def products(rng):
    b, m, k, n = sizes(rng, 4)
    return rng.choice([
        (torch.mm, (tensor(m, k), tensor(k, n))),
        (torch.bmm, (tensor(b, m, k), tensor(b, k, n))),
        (torch.addmm, (tensor(n), tensor(m, k), tensor(k, n))),
        (torch.baddbmm, (tensor(b, m, n), tensor(b, m, k), tensor(b, k, n))),
        (torch.matmul, (tensor(b, m, k), tensor(k, n))),
        (torch.matmul, (tensor(b, 1, m, k), tensor(3, k, n))),
    ])


def attention(rng):
    # Where a size is 1, torch may turn a matrix product into mul, which it does not count.
    b, length, keys, width, value_width = sizes(rng, 5, 9, 2)
    heads = rng.randint(1, 3)
    queries = heads * rng.choice([1, 2, 3])
    options = {"enable_gqa": queries != heads}
    if rng.random() < 0.3:
        options["attn_mask"] = tensor(length, keys)
    inputs = (tensor(b, queries, length, width), tensor(b, heads, keys, width),
              tensor(b, heads, keys, value_width))
    return lambda *a: F.scaled_dot_product_attention(*a, **options), inputs


def chain(rng):
    """Several of these in one program; their results are no inputs of others."""
    parts = [rng.choice([convolution, linear, products, attention])(rng) for _ in range(3)]
    ends = [0]
    for _, inputs in parts:
        ends.append(ends[-1] + len(inputs))

    def run(*inputs):
        return [f(*inputs[a:b]) for (f, _), a, b in zip(parts, ends, ends[1:], strict=False)]

    return run, tuple(x for _, inputs in parts for x in inputs)


def real_flops(program, inputs, named=None):
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        program.module()(*inputs, **(named or {}))
    return counter.get_total_flops()


def our_flops(delegraph, path):
    done = subprocess.run([delegraph, "query", path, COUNTED, "--format", "json"],
                          capture_output=True, text=True, check=True)
    row = json.loads(done.stdout)["rows"][0]
    total, unknown = row.values() if isinstance(row, dict) else row
    return total or 0, unknown


def lower(program, path):
    from executorch.exir import to_edge

    Path(path).write_bytes(to_edge(program).to_executorch().buffer)


def forms(program, folder, number):
    """The program as exported, decomposed, and as a .pte: (name, path, program to run)."""
    path = f"{folder}/{number}.pt2"
    torch.export.save(program, path)
    yield "exported", path, program
    core = program.run_decompositions()
    path = f"{folder}/{number}_core.pt2"
    torch.export.save(core, path)
    yield "core", path, core
    path = f"{folder}/{number}.pte"
    try:
        lower(core, path)
    except Exception as error:  # noqa: BLE001  (operators without a kernel)
        print(f"{number}: not lowered: {str(error)[:80]}")
        return
    yield "pte", path, core


def check(delegraph, number, recipe, rng, folder):
    function, inputs = recipe(rng)
    program = torch.export.export(Module(function).eval(), inputs, strict=False)
    compared = wrong = 0
    for form, path, runs in forms(program, folder, number):
        wanted, (found, unknown) = real_flops(runs, inputs), our_flops(delegraph, path)
        compared += 1
        if wanted != found or unknown:
            wrong += 1
            print(f"{recipe.__name__} {number} {form}: torch {wanted}, delegraph {found}, "
                  f"{unknown} unknown; {[tuple(x.shape) for x in inputs]}")
    return compared, wrong


def check_shipped(delegraph):
    """The programs of tests/data that run on their example inputs, with fixed shapes."""
    compared = wrong = 0
    for path in sorted(DATA.glob("*.pt2")):
        try:
            program = torch.export.load(path)
            wanted = real_flops(program, *program.example_inputs)
        except Exception:  # noqa: BLE001  (made to be wrong, of other layouts, or custom)
            continue
        found, unknown = our_flops(delegraph, str(path))
        if not wanted or program.range_constraints:
            continue
        compared += 1
        if wanted != found or unknown:
            wrong += 1
            print(f"{path.name}: torch {wanted}, delegraph {found}, {unknown} unknown")
    return compared, wrong


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--delegraph", required=True)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    options.add_argument("--fresh", type=int, default=40)
    given = options.parse_args()
    rng = random.Random(given.seed)
    compared, wrong = check_shipped(given.delegraph)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.fresh):
            recipe = (convolution, linear, products, attention, chain)[number % 5]
            more = check(given.delegraph, number, recipe, rng, folder)
            compared, wrong = compared + more[0], wrong + more[1]
    print(f"seed {given.seed}: FLOPs of {compared} programs, {wrong} differences")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
