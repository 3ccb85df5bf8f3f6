"""The partitioner alone, on synthetic graphs, beside PyTorch's own on the same graphs."""
import json
import os
import pathlib
import subprocess

import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAP = 60  # seconds for PyTorch on one graph
START = 90  # seconds until PyTorch is loaded and the graph is built

TORCH = """
import operator, signal, sys, time
import torch
from torch.fx import Graph, GraphModule
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase
from delegraph.torch import FastCapabilityBasedPartitioner

class Support(OperatorSupportBase):
    def is_node_supported(self, modules, node):
        return node in supported

graph, nodes, supported = Graph(), [], set()
for line in sys.stdin:
    flag, *inputs = map(int, line.split())
    nodes.append(graph.call_function(torch.add, tuple(nodes[i] for i in inputs)))
    if flag:
        supported.add(nodes[-1])
graph.output(tuple(nodes[-8:]))
module = GraphModule(torch.nn.Module(), graph)
supported = {n for n, old in zip(module.graph.nodes, nodes) if old in supported}

def propose(kind):
    begin = time.perf_counter()
    found = kind(module, Support(), allows_single_node_partition=True).propose_partitions()
    return time.perf_counter() - begin, found

def stop(*_):
    print(cap, "null", flush=True)
    sys.exit(0)

cap = int(sys.argv[1])
propose(FastCapabilityBasedPartitioner)
print(propose(FastCapabilityBasedPartitioner)[0])
partitioner = CapabilityBasedPartitioner(module, Support(), allows_single_node_partition=True)
signal.signal(signal.SIGALRM, stop)
signal.alarm(cap)
begin = time.perf_counter()
found = partitioner.propose_partitions()
seconds = time.perf_counter() - begin
signal.alarm(0)
print(seconds, len(found))
"""


class Synthetic:
    def __init__(self, program):
        self.program = program

    def ask(self, verb, family, nodes):
        done = subprocess.run([str(self.program), verb, family, str(nodes)], check=True,
                              capture_output=True, text=True, timeout=CAP)
        return done.stdout

    def ours(self, family, nodes):
        return json.loads(self.ask("time", family, nodes))

    def torch(self, venv, family, nodes):
        """Seconds of the drop-in, of torch, and the partitions: None where it was stopped."""
        build = self.program.parents[2]
        env = {**os.environ, "PYTHONPATH": str(ROOT / "python"),
               "DELEGRAPH_LIBRARY": str(build.resolve() / "libdelegraph.so.0")}
        done = subprocess.run([str(pathlib.Path(venv) / "bin" / "python"), "-c", TORCH,
                               str(CAP)], check=True, capture_output=True, text=True, env=env,
                              input=self.ask("print", family, nodes), timeout=CAP + START)
        drop_in, seconds, partitions = done.stdout.split()
        return float(drop_in), float(seconds), None if partitions == "null" else int(partitions)


def against_torch(bench, synthetic, venv, family, nodes, ours):
    """Seconds of PyTorch; it may have been stopped then."""
    drop_in, seconds, partitions = synthetic.torch(venv, family, nodes)
    if partitions not in (None, ours["partitions"]):
        raise ValueError(f"{family} {nodes}: torch has {partitions} partitions, "
                         f"delegraph {ours['partitions']}")
    more = ", >" if partitions is None else ""
    bench.note(f"torch on {family}, {nodes} nodes{more}", seconds, "s")
    bench.note(f"torch / partitioner, {family}, {nodes} nodes{more}",
               seconds / ours["seconds"], "x", 500_000 if nodes == 5000 else None, False)
    bench.note(f"torch / drop-in in Python, {family}, {nodes} nodes{more}", seconds / drop_in,
               "x", 500 if nodes == 5000 else None, False)
    return seconds


def whole_commands(bench, synthetic, family, nodes, torch_seconds):
    model = bench.out / f"{family}.pt2"
    lines = synthetic.ask("print", family, nodes).splitlines()
    programs.synthetic(bench.data / "mlp.pt2", model, lines)
    options = ["--unsupported-ops", programs.UNSUPPORTED, model]
    seconds, _ = bench.median([bench.delegraph, "partition", *options], 5)
    bench.note(f"partition on {family}.pt2, {nodes} nodes", seconds, "s")
    if torch_seconds:
        bench.note(f"torch's propose_partitions / partition, {family}.pt2",
                   torch_seconds / seconds, "x", 500, False)
    explained, _ = bench.median([bench.delegraph, "explain", *options], 5)
    bench.note(f"explain / partition, {family}.pt2", explained / seconds, "x", 2)


def million(bench):
    """Partition, explain and check a plan of the store that large_store() left."""
    store, plan = bench.out / "million.db", bench.out / "million.plan.json"
    if not store.exists():
        return
    options = ["--unsupported-ops", programs.UNSUPPORTED, store]
    seconds, peak = bench.median([bench.delegraph, "partition", *options, "-o", plan], 1)
    bench.note("partition on a store of 1M nodes, start to exit", seconds, "s")
    bench.note("partition on it, peak memory", peak, "MB")
    explained, _ = bench.median([bench.delegraph, "explain", *options], 1)
    bench.note("explain / partition on it", explained / seconds, "x", 2)
    for what, flags in (("min", ["--mode", "min"]),
                        ("multi", ["--mode", "multi", "--backend", "xnnpack,vulkan"])):
        several, _ = bench.median([bench.delegraph, "partition", *flags, *options[-1:]], 1)
        bench.note(f"partition --mode {what} on it", several, "s", 5 if what == "min" else None)
    out = bench.run([bench.delegraph, "check", "--timing", "--format", "json", "--select",
                     "partition", "--plan", plan, store], codes=(0, 1))
    timing = sorted((timed["seconds"], timed["rule"]) for timed in json.loads(out)["timing"]
                    if timed["rule"].startswith("partition/"))
    for seconds, rule in timing:
        if seconds > 0.05:
            bench.note(f"{rule} on it", seconds, "s")
    *rules, first = (seconds for seconds, _ in timing)
    bench.note("all rules of plans but the one that reads the plan", sum(rules), "s", 0.3)
    bench.note("the one that reads the plan, too", first, "s")


def measure(bench):
    synthetic = Synthetic(bench.load.parent / "bench_partition")
    venv = os.environ.get("DELEGRAPH_ORACLE_VENV")
    for family in ("layered", "residual"):
        torch_seconds = None
        for nodes in (1000, 2000, 5000):
            ours = synthetic.ours(family, nodes)
            bench.note(f"partitioner on {family}, {nodes} nodes", ours["seconds"] * 1e6, "us")
            if venv:
                torch_seconds = against_torch(bench, synthetic, venv, family, nodes, ours)
        whole_commands(bench, synthetic, family, nodes, torch_seconds)
    for nodes, seconds in ((1_000_000, 0.1), (10_000_000, None)):
        ours = synthetic.ours("sparse", nodes)
        name = f"partitioner on {nodes // 1_000_000}M nodes, {ours['edges'] / 1e6:.1f}M edges"
        bench.note(name, ours["seconds"], "s", seconds)
        bench.note(f"{name}, memory", ours["bytes_per_node"], "B/node", 64)
    million(bench)
