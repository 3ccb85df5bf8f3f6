"""A program whose work is inside of delegates, beside the one that it was lowered from."""
import statistics
import subprocess

import bench_run

INFO_MOST_MS, RUN_MOST = 10, 1.5
PAIRS = 15

LOWER = '''
import sys
import torch, torchvision
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower

torch.manual_seed(0)
net = torchvision.models.mobilenet_v3_small(weights=None).eval()
program = torch.export.export(net, (torch.randn(1, 3, 224, 224),))
torch.export.save(program, sys.argv[1] + ".pt2")
lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
with open(sys.argv[1] + ".pte", "wb") as file:
    file.write(lowered.to_executorch().buffer)
'''


def measure(bench):
    python = bench_run.python_with_torch()
    if not python:
        print("programs for XNNPACK: not measured, there is no torch", flush=True)
        return
    base = bench.out / "mobilenet_v3_small"
    subprocess.run([python, "-c", LOWER, base], check=True, capture_output=True)
    lowered, source = base.with_suffix(".pte"), base.with_suffix(".pt2")
    seconds, _ = bench.median([bench.delegraph, "info", lowered], 20)
    bench.note("info on mobilenet_v3_small for XNNPACK", seconds * 1e3, "ms", INFO_MOST_MS)
    pairs = [[bench.median([bench.delegraph, "run", path], 1)[0] for path in (lowered, source)]
             for _ in range(PAIRS)]
    bench.note("run of it", statistics.median(pair[0] for pair in pairs) * 1e3, "ms")
    bench.note("run of it / run of its .pt2", statistics.median(a / b for a, b in pairs), "x",
               RUN_MOST)
