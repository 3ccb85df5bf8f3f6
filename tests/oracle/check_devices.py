#!/usr/bin/env python3
"""Hold `delegraph devices` and the rules of devices to ExecuTorch's device pass.

    check_devices.py --delegraph PROGRAM [--random N] [--seed N]

Each program is lowered, saved and emitted with each set of options. Devices of nodes and
copies are compared with the graph behind PropagateDevicePass, and with the .pte by --against.
"""

import argparse
import collections
import copy
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

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import torch
from executorch.exir import (
    EdgeProgramManager,
    ExecutorchBackendConfig,
    load,
    save,
    to_edge_transform_and_lower,
)
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig
from executorch.exir.passes.propagate_device_pass import PropagateDevicePass
from executorch.exir.tensor import TensorSpec
from torch import nn
from torch.export import Dim, export

from backends import TARGET_DEVICE, NamedOps, OpsPartitioner
from executorch.exir.backend.canonical_partitioners.pattern_op_partitioner import (
    generate_partitions_from_list_of_nodes,
)

logging.disable(logging.WARNING)


def specs(device):
    return [] if device is None else [CompileSpec(TARGET_DEVICE, device.encode())]


def on(device, *names):
    tag = f"{device}_{'_'.join(names)}".replace(":", "_")
    return OpsPartitioner(set(names), specs=specs(device), tag=tag)


class Untagged(Partitioner):
    """Leaves constants outside; looks into branches."""

    def __init__(self, device, *names):
        super().__init__()
        self.names = set(names)
        self.delegation_spec = DelegationSpec("DemoBackend", specs(device))

    def partition(self, exported_program):
        tags = {}
        for path, module in exported_program.graph_module.named_modules():
            if not isinstance(module, torch.fx.GraphModule) or "lowered" in path:
                continue
            support = NamedOps(self.names)
            for group in generate_partitions_from_list_of_nodes(module, op_support=support):
                tag = f"tag{len(tags)}"
                tags[tag] = self.delegation_spec
                for node in group.nodes:
                    node.meta["delegation_tag"] = tag
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)


class Function(nn.Module):
    def __init__(self, function, **state):
        super().__init__()
        self.function = function
        for name, tensor in state.items():
            if isinstance(tensor, nn.Parameter):
                setattr(self, name, tensor)
            else:
                self.register_buffer(name, tensor)

    def forward(self, a, b):
        return self.function(self, a, b)


def write_state(self, a, b):
    result = a + self.k
    self.k.copy_(torch.sin(self.k))
    return result, b


def own_state(self, a, b):
    self.k.add_(a)
    return self.k + b


def fill_state(self, a, b):
    self.k.copy_(a + b)
    return torch.sin(b)


def write_input(self, a, b):
    a.add_(b)
    return torch.sin(b)


def choose(self, a, b):
    c = a + b
    return torch.cond(a.sum() > 0, lambda c: (torch.cos(c),), lambda c: (torch.sin(c),), (c,))[0]


def choose_inside(self, a, b):
    return torch.cond(a.sum() > 0, lambda b: (b + b,), lambda b: (torch.sin(b),), (b,))[0]


def weight():
    return nn.Parameter(torch.ones(2, 2))


ZERO, ONE = "cuda:0", "cuda:1"
PROGRAMS = {
    "one": (lambda self, a, b: a + b, {}, [on(ZERO, "add")]),
    "upper_case": (lambda self, a, b: a + b, {}, [on(" CUDA:01 ", "add")]),
    "current": (lambda self, a, b: a + b, {}, [on("cuda:-1", "add")]),
    "host_between": (lambda self, a, b: torch.sin(a + b) + b, {}, [on(ZERO, "add")]),
    "same_device": (lambda self, a, b: (a + b) - a, {}, [on(ZERO, "add"), on(ZERO, "sub")]),
    "cross_device": (lambda self, a, b: (a + b) - a, {}, [on(ZERO, "add"), on(ONE, "sub")]),
    "to_host_delegate": (lambda self, a, b: (a + b) - a, {}, [on(ZERO, "add"), on(None, "sub")]),
    "from_host_delegate": (lambda self, a, b: (a + b) - a, {}, [on(None, "add"), on(ZERO, "sub")]),
    "to_cpu_target": (lambda self, a, b: (a + b) - a, {}, [on(ZERO, "add"), on("cpu", "sub")]),
    "three_devices": (
        lambda self, a, b: torch.relu((a + b) - a) + a, {},
        [on(ZERO, "add"), on(ONE, "sub"), on("cuda:2", "relu")],
    ),
    "there_and_back": (
        lambda self, a, b: torch.relu((a + b) - a), {},
        [on(ZERO, "add", "relu"), on(ONE, "sub")],
    ),
    "shared_result": (
        lambda self, a, b: (a + b, torch.sin(a + b) - b, a * 2), {},
        [on(ZERO, "add"), on(ZERO, "sub")],
    ),
    "result_and_input": (
        lambda self, a, b: (a + b, (a + b) - a), {}, [on(ZERO, "add"), on(ZERO, "sub")],
    ),
    "two_results": (
        lambda self, a, b: (a + b, (a - b) + (a + b), torch.relu((a - b) + (a + b))), {},
        [on(ZERO, "add", "sub"), on(ZERO, "relu")],
    ),
    "view_between": (lambda self, a, b: (a + b).reshape(4) + a.reshape(4), {}, [on(ZERO, "add")]),
    "twice": (lambda self, a, b: (a + a, torch.sin(b)), {}, [on(ZERO, "add")]),
    "through": (lambda self, a, b: (a, a + b, b), {}, [on(ZERO, "add")]),
    "result_twice": (lambda self, a, b: (a + b,) * 2, {}, [on(ZERO, "add")]),
    "no_use": (lambda self, a, b: torch.sin(a), {}, [on(ZERO, "add")]),
    "weight": (lambda self, a, b: a + self.w, {"w": weight()}, [on(ZERO, "add")]),
    "weight_outside": (lambda self, a, b: a + self.w, {"w": weight()}, [Untagged(ZERO, "add")]),
    "state_outside": (write_state, {"k": torch.zeros(2, 2)}, [Untagged(ZERO, "add")]),
    "state_inside": (own_state, {"k": torch.zeros(2, 2)}, [on(ZERO, "add", "copy")]),
    "state_filled": (fill_state, {"k": torch.zeros(2, 2)}, [on(ZERO, "add")]),
    "state_filled_outside": (fill_state, {"k": torch.zeros(2, 2)}, [Untagged(ZERO, "add")]),
    "input_written": (write_input, {}, [Untagged(ZERO, "add")]),
    "before_branches": (choose, {}, [on(ZERO, "add")]),
    "inside_branches": (choose_inside, {}, [Untagged(ZERO, "add")]),
    "unknown_type": (lambda self, a, b: a + b, {}, [on("xpu:0", "add")]),
    "no_index": (lambda self, a, b: a + b, {}, [on("cuda:", "add")]),
}  # fmt: skip
DYNAMIC = {"dynamic": (lambda self, a, b: (a + b) * a.shape[0], {}, [on(ZERO, "add", "mul")])}


def unallocated():
    return MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)


# Name, options of to_executorch, of delegraph.
OPTIONS = (
    ("plain", lambda: {}, []),
    ("inputs", lambda: copies(True, False), ["--skip-h2d-inputs"]),
    ("outputs", lambda: copies(False, True), ["--skip-d2h-outputs"]),
    ("both", lambda: copies(True, True), ["--skip-h2d-inputs", "--skip-d2h-outputs"]),
    ("given", lambda: copies(True, True) | {"memory_planning_pass": unallocated()},
     ["--skip-h2d-inputs", "--skip-d2h-outputs"]),
    ("unplanned", lambda: {"enable_non_cpu_memory_planning": False}, ["--no-device-planning"]),
)  # fmt: skip


def copies(inputs, outputs):
    return {"propagate_device_config": PropagateDeviceConfig(inputs, outputs)}


def random_program(seed):
    """A chain of operators, each on a device of its own, that reads what came before."""
    draw = random.Random(seed)
    names = ["add", "sub", "mul", "relu", "sin"]
    steps = [(draw.choice(names), draw.random(), draw.random()) for _ in range(draw.randint(3, 12))]
    kept = draw.randint(1, 3)

    def function(self, a, b):
        made = [a, b]
        for name, left, right in steps:
            x, y = (made[int(place * len(made))] for place in (left, right))
            made.append(getattr(torch, name)(*((x,) if name in ("relu", "sin") else (x, y))))
        return tuple(made[-kept:])

    devices = [None, ZERO, ZERO, ONE, "cuda"]
    return function, {}, [on(draw.choice(devices), n) for n in names if draw.random() < 0.8]


class Watch:
    """What the pass left of each graph it ran on."""

    def __init__(self):
        self.seen = None
        self.real = PropagateDevicePass.call

    def __enter__(self):
        def call(pass_, module):
            self.seen = None
            result = self.real(pass_, module)
            if module.graph.find_nodes(op="placeholder") or self.seen is None:
                self.seen = facts_of(result.graph_module)
            return result

        PropagateDevicePass.call = call
        return self

    def __exit__(self, *unused):
        PropagateDevicePass.call = self.real


def device_of(spec):
    name = spec.device.name.lower()
    return name if name == "cpu" else f"{name}:{spec.device_index}"


def is_copy(node):
    return "_d2h_copy" in str(node.target) or "_h2d_copy" in str(node.target)


def facts_of(module):
    """Copies, and devices of tensors in order: passes give nodes new names."""
    nodes = [node for node in module.graph.nodes if node.op != "output"]
    tensors = [n for n in nodes if isinstance(n.meta.get("spec"), TensorSpec) and not is_copy(n)]
    calls = [n for n in nodes if "executorch_call_delegate" in str(n.target)]
    number, crossings = {node: i for i, node in enumerate(tensors)}, collections.Counter()
    for node in filter(is_copy, nodes):
        source = node.args[0]
        while is_copy(source):
            source = source.args[0]
        if "_h2d_copy" in str(node.target):
            for user in node.users:
                device = device_of(node.meta["spec"])
                crossings["to-device", device, number[source], calls.index(user)] += 1
        elif node.users:
            crossings["to-host", device_of(source.meta["spec"]), number[source], None] += 1
    return crossings, [device_of(node.meta["spec"]) for node in tensors]


def predicted(delegraph, path, options, against):
    command = [delegraph, "devices", str(path), *options, "--format", "json"]
    command += ["--against", str(against)] if against else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["methods"][0]


def differences(method, seen):
    crossings, devices = seen
    number = {value["name"]: i for i, value in enumerate(method["values"])}
    calls = [call["name"] for call in method["calls"]]
    ours = collections.Counter(
        (c["direction"], c["device"], number[c["value"]],
         None if c["call"] is None else calls.index(c["call"]))
        for c in method["crossings"] if not c["elided"]
    )  # fmt: skip
    for crossing in ours - crossings:
        yield f"predicted only: {crossing}"
    for crossing in crossings - ours:
        yield f"made only: {crossing}"
    for value, real in zip(method["values"], devices):  # writes back come behind
        if real != value["device"]:
            yield f"{value['name']}: {value['device']} predicted, it is on {real}"
    yield from method["differences"] or []


def lowered(case, dynamic):
    function, state, partitioners = case
    shapes = None
    rows = 4 if dynamic else 2
    if dynamic:
        rows_of = {0: Dim("rows", min=2, max=64)}
        shapes = {"a": rows_of, "b": rows_of}
    sample = (torch.ones(rows, 2), torch.ones(rows, 2))
    program = export(Function(function, **state), sample, dynamic_shapes=shapes)
    return to_edge_transform_and_lower(program, partitioner=partitioners)


def emitted(manager, options):
    """The file, what the pass left, and why it stopped; all of them may be None."""
    with Watch() as watch:
        try:
            program = manager.to_executorch(ExecutorchBackendConfig(**options))
        except Exception as error:  # noqa: BLE001: any is an answer
            return None, watch.seen, error
        return bytes(program.buffer), watch.seen, None


def check(options, name, case, folder):
    """Yields what is wrong, None for each comparison without fault."""
    path, against = folder / "program.pt2", folder / "program.pte"
    save(lowered(case, name in DYNAMIC).exported_program(), path)
    manager = EdgeProgramManager(load(path))  # its nodes have the order of the file
    for kind, settings, flags in OPTIONS:
        data, seen, error = emitted(copy.deepcopy(manager), settings())
        if data:
            against.write_bytes(data)
        method = predicted(options.delegraph, path, flags, against if data else None)
        if (seen is None) != (method["failure"] is not None):
            yield f"{name} {kind}: failure {method['failure']}, in truth {error}"
        elif seen is not None:
            yield from [f"{name} {kind}: {d}" for d in differences(method, seen)] or [None]
        else:
            yield None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--random", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cases = PROGRAMS | DYNAMIC
    for seed in range(options.seed, options.seed + options.random):
        cases[f"random_{seed}"] = random_program(seed)
    compared, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, case in cases.items():
            for fault in check(options, name, case, Path(folder)):
                compared += 1
                wrong += fault is not None
                if fault:
                    print(f"  {fault}")
    print(f"devices: {len(cases)} programs, {compared} comparisons, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
