"""Programs as torchao quantizes linear layers, run by `delegraph run` and held to torch.

Weights of 4 and 8 bits and of f8, alone or with activations that are quantized as they come,
written out in the operators that such programs have once they are exported. Each must pass;
the same program with each row scaled as its neighbour must fail. Fails where that is not so.
"""
import argparse
import subprocess
import sys
import warnings
from pathlib import Path

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  registers quantized_decomposed
import torch.nn.functional as F

from check_run import save

aten, decomposed = torch.ops.aten, torch.ops.quantized_decomposed
ROWS, N, K, GROUP = 17, 96, 128, 32
FLOATS = torch.float32, torch.bfloat16, torch.float16
F8 = torch.float8_e4m3fn


class Layer(torch.nn.Module):
    """A linear layer of `dtype`, with one scale, or several, for each row of its weight."""

    def __init__(self, dtype, scales_of_row=1):
        super().__init__()
        self.dtype = dtype
        self.register_buffer("scales", torch.rand(N, scales_of_row) * 0.02 + 0.001)

    def spoil(self):
        self.scales.copy_(self.scales.roll(1, 0))


class Int4(Layer):
    def __init__(self, dtype):
        super().__init__(dtype, K // GROUP)
        codes = torch.randint(0, 16, (N, K), dtype=torch.int32)
        self.register_buffer("weight", aten._convert_weight_to_int4pack_for_cpu(codes, 1))
        self.register_buffer("zeros", torch.rand(N, K // GROUP) * 0.05)

    def forward(self, x):
        pairs = torch.stack((self.scales, self.zeros), -1).transpose(0, 1).contiguous()
        return aten._weight_int4pack_mm_for_cpu(x, self.weight, GROUP, pairs.to(self.dtype))


class Int8(Layer):
    def __init__(self, dtype):
        super().__init__(dtype)
        self.register_buffer("weight", torch.randint(-128, 128, (N, K), dtype=torch.int8))

    def forward(self, x):
        return aten._weight_int8pack_mm(x, self.weight, self.scales.squeeze(1).to(self.dtype))


class Int8Dynamic(Int8):
    """Activations get a scale for each row."""

    def forward(self, x):
        scale = x.abs().amax(1, keepdim=True).clamp(min=1e-5) / 127
        codes = torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)
        sums = torch._int_mm(codes, self.weight.t())
        return (sums * scale.float() * self.scales.t()).to(self.dtype)


class Int4Dynamic(Layer):
    """Activations of 8 bits with a scale and zero for each row, weights of 4 in groups."""

    def __init__(self, dtype):
        super().__init__(dtype, K // GROUP)
        self.register_buffer("weight", torch.randint(-8, 8, (N, K), dtype=torch.int8))
        self.register_buffer("zeros", torch.zeros(N, K // GROUP, dtype=torch.int32))

    def forward(self, x):
        scale, zero = decomposed.choose_qparams_per_token_asymmetric(x, torch.int8)
        codes = decomposed.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
        x = decomposed.dequantize_per_token(codes, scale, zero, -128, 127, torch.int8, self.dtype)
        return F.linear(x, decomposed.dequantize_per_channel_group(
            self.weight, self.scales, self.zeros, -8, 7, torch.int8, GROUP, self.dtype))


class TensorDynamic(Int8):
    """Activations of one scale and zero, weights of a scale for each row."""

    def forward(self, x):
        plan = -128, 127, torch.int8
        scale, zero = decomposed.choose_qparams.tensor(x, -128, 127, 1e-7, torch.int8)
        codes = decomposed.quantize_per_tensor.tensor(x, scale, zero, *plan)
        zeros = torch.zeros(N, dtype=torch.int64)
        return F.linear(decomposed.dequantize_per_tensor.tensor(codes, scale, zero, *plan),
                        decomposed.dequantize_per_channel(
                            self.weight, self.scales.squeeze(1), zeros, 0, *plan))


class Float8(Layer):
    def __init__(self, dtype):
        super().__init__(dtype)
        self.register_buffer("weight", torch.randn(N, K).to(F8))

    def forward(self, x):
        return F.linear(x, (self.weight.float() * self.scales).to(self.dtype))


class Float8Dynamic(Float8):
    def forward(self, x):
        scale = x.abs().amax(1, keepdim=True).float().clamp(min=1e-12) / 448
        codes = (x.float() / scale).clamp(-448, 448).to(F8)
        return torch._scaled_mm(codes, self.weight.t(), scale, self.scales.t(),
                                out_dtype=self.dtype)


def run(delegraph, work, layer, x, expected):
    """The exit status of `run`, and what it prints."""
    with torch.no_grad():
        program = torch.export.export(layer, (x,), strict=False)
    paths = [str(work / name) for name in ("p.pt2", "x.npz", "y.npz")]
    torch.export.save(program, paths[0])
    save(paths[1], "in", (x,))
    save(paths[2], "out", (expected,))
    done = subprocess.run([delegraph, "run", paths[0], "--inputs", paths[1], "--expected",
                           paths[2]], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def check(delegraph, work, kind, dtype):
    """What is wrong, in words."""
    layer, x = kind(dtype), torch.randn(ROWS, K).to(dtype)
    with torch.no_grad():
        expected = layer(x)
    status, text = run(delegraph, work, layer, x, expected)
    if status:
        return f"does not pass: {text}"
    layer.spoil()
    status, text = run(delegraph, work, layer, x, expected)
    return "" if status == 1 and " fail " in text else f"wrong scales do not fail: {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    given.work.mkdir(parents=True, exist_ok=True)
    kinds = [(kind, dtype) for kind in (Int4, Int8, Int8Dynamic, Float8, Float8Dynamic)
             for dtype in FLOATS]
    kinds += [(Int4Dynamic, torch.float32), (TensorDynamic, torch.float32)]
    wrong = 0
    for kind, dtype in kinds:
        why = check(given.delegraph, given.work, kind, dtype)
        if why:
            wrong += 1
            print(f"{kind.__name__} {dtype}: {why}", flush=True)
    print(f"{len(kinds)} quantized layers: {len(kinds) - wrong} pass, and fail with wrong scales")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
