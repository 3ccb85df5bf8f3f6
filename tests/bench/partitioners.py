"""ExecuTorch's own partitioners on a Llama of 32 layers, as they are and with install()."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

TIMER = """
import copy, json, logging, sys, time, warnings
warnings.simplefilter("ignore")
logging.disable()
sys.path[:0] = sys.argv[1:2]
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge
import architectures, backends, delegraph.torch

module = architectures.Llama(vocabulary=128, width=32, layers=32, longest=16).eval()
exported = torch.export.export(module, (torch.tensor([[1]]), torch.tensor([3])))
edge = to_edge(exported).exported_program()

def seconds(partitioner):
    program = copy.deepcopy(edge)
    begin = time.perf_counter()
    tags = partitioner.partition(program).partition_tags
    return time.perf_counter() - begin, len(tags)

for name, make in (("XnnpackPartitioner", XnnpackPartitioner), ("AotiPartitioner", backends.aoti)):
    theirs = seconds(make())
    with delegraph.torch.installed():
        ours = seconds(make())
    print(json.dumps([name, theirs, ours]), flush=True)
"""


def measure(bench):
    venv = os.environ.get("DELEGRAPH_ORACLE_VENV")
    if not venv:
        return
    library = bench.load.parents[2] / "libdelegraph.so.0"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "DELEGRAPH_LIBRARY": str(library.resolve())}
    done = subprocess.run([pathlib.Path(venv) / "bin" / "python", "-c", TIMER, ROOT / "tests" / "data"],
                          capture_output=True, text=True, env=env)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    for line in done.stdout.splitlines():
        name, (theirs, n_theirs), (ours, n_ours) = json.loads(line)
        if n_theirs != n_ours:
            raise ValueError(f"{name}: {n_theirs} partitions, with install() {n_ours}")
        bench.note(f"{name} on a Llama of 32 layers, {n_theirs} partitions", theirs, "s")
        bench.note("the same with install()", ours, "s")
