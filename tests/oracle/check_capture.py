"""Hold what delegraph predicts of a captured program to what XNNPACK's lowering made of it.

    check_capture.py --delegraph PROGRAM --library FILE [--work FOLDER] [--seed N] [NETWORK...]

Each network is lowered inside of delegraph.torch.capture(). The plan that was saved, and that of
`delegraph partition --backend xnnpack --mode group` for the saved program, must give the same nodes
the same tags, constants included (XNNPACK keeps those of the operators that need them so); lowering
the model by each of both plans must make as many delegates as XNNPACK did. Programs that cannot be
lowered must be told why, with the cycle. FOLDER keeps, for a next time, what was saved, and how many
delegates a plan makes.
"""

import argparse
import collections
import contextlib
import hashlib
import io
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable()

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "data"), str(TESTS.parent / "python")]

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.lowered_backend_module import get_lowered_submodules

import architectures
import networks
import programs
import shares
import sound_lowering
import sources
from kept import Kept
from delegraph.torch import plans
from delegraph.torch.capture import capture, find_cycle

tally = collections.Counter()
NAMES = (
    "mobilenet_v2", "mobilenet_v3_small", "mnasnet0_5", "shufflenet_v2_x0_5", "squeezenet1_1",
    "regnet_y_400mf", "efficientnet_b0", "googlenet", "resnet_basic", "densenet",
    "vision_transformer", "swin", "convnext", "segmentation", "lstm", "gru", "experts", "chunks",
    "bert", "gpt2", "llama", "qwen3", "gemma", "phi", "vit_images", "key_value_cache",
)  # fmt: skip


class Cache(torch.nn.Module):
    """Attention over keys and values that it keeps."""

    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(8, 24)
        self.norm = torch.nn.BatchNorm1d(4)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, 8, 8))

    def forward(self, x, at):
        q, k, v = self.project(self.norm(x)).chunk(3, -1)
        self.keys.index_copy_(1, at, k)
        self.values.index_copy_(1, at, v)
        return torch.nn.functional.scaled_dot_product_attention(q, self.keys, self.values)


def cache(rng):
    return programs.Sample(Cache().eval(), (torch.rand(1, 4, 8), torch.arange(4)))


def tied(rng):
    """An embedding and the last product read one weight, across what is not delegated."""
    module = architectures.Llama(vocabulary=128, width=32, layers=2, longest=16)
    inputs = (torch.tensor([[rng.randrange(128)]]), torch.tensor([3]))
    return programs.Sample(module.eval().requires_grad_(False), inputs)


class Twice(torch.nn.Module):
    """One layer, used before and behind a sort that stays outside, and a slope."""

    def __init__(self):
        super().__init__()
        self.convolution, self.prelu = torch.nn.Conv2d(3, 4, 3), torch.nn.PReLU(4)
        self.layer = torch.nn.Linear(6, 6)

    def forward(self, x):
        y = self.layer(self.prelu(self.convolution(x)))
        return torch.nn.functional.relu(self.layer(y.sort(-1).values))


def twice(rng):
    return programs.Sample(Twice().eval(), (torch.randn(rng.randint(1, 3), 3, 8, 8),))


class Layers(torch.nn.Module):
    """With a bias and without, an activation that is fused, and a sort that stays outside."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 6), torch.nn.Linear(6, 8, bias=False)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)).sort(-1).values) + 1


def flat(rng):
    return programs.Sample(Layers().eval(), (torch.randn(rng.randint(2, 5), 8),))


def deep(rng):
    return programs.Sample(Layers().eval(), (torch.randn(2, rng.randint(2, 5), 8),))


def quantized(network, **options):
    def make(rng):
        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))
        sample = network(rng) if callable(network) else networks.NETWORKS[network](rng)
        return sound_lowering.quantized(sample, quantizer)

    return make


OWN = {
    "cache": cache,
    "tied": tied,
    "twice": twice,
    "mobilenet_v2 by channel": quantized("mobilenet_v2", is_per_channel=True),
    "mobilenet_v3_small by tensor": quantized("mobilenet_v3_small"),
    "resnet_basic by channel": quantized("resnet_basic", is_per_channel=True),
    "vision_transformer by channel": quantized("vision_transformer", is_per_channel=True),
    "vision_transformer dynamic": quantized(
        "vision_transformer", is_per_channel=True, is_dynamic=True),
    "gru dynamic": quantized("gru", is_per_channel=True, is_dynamic=True),
}


# Lowered by to_edge() and to_backend(), where linear layers are decomposed before XNNPACK sees them.
DECOMPOSED = {
    "linear in two": flat,
    "linear in three": deep,
    "linear in two by tensor": quantized(flat),
    "linear in three by channel": quantized(deep, is_per_channel=True),
    "linear in two dynamic": quantized(flat, is_per_channel=True, is_dynamic=True),
    "linear in three dynamic": quantized(deep, is_per_channel=True, is_dynamic=True),
    "llama decomposed": networks.NETWORKS["llama"],
}
OWN.update(DECOMPOSED)


def lower(name, program, partitioner):
    if name in DECOMPOSED:
        return to_edge(program).to_backend(partitioner)
    return to_edge_transform_and_lower(program, partitioner=[partitioner])


def exported(name, rng):
    make = OWN.get(name) or networks.NETWORKS[name]
    sample = make(rng)
    return torch.export.export(
        sample.module, sample.args, sample.kwargs, dynamic_shapes=sample.dynamic)


def n_delegates(manager):
    return len(get_lowered_submodules(manager.exported_program().graph_module))


class ByPlan(plans.PlanPartitioner):
    """Of a program that keeps whole what XNNPACK wants whole."""

    def ops_to_not_decompose(self, program):
        return XnnpackPartitioner().ops_to_not_decompose(program)


def sample_of(name, given):
    return exported(name, random.Random(f"{name} {given.seed}"))


def lowered(name, given, folder):
    """What is saved in `folder` while XNNPACK lowers; where it does not, why."""
    try:
        with capture(folder) as captured:
            made = lower(name, sample_of(name, given), XnnpackPartitioner())
    except Exception as problem:
        return {"unmade": f"{type(problem).__name__}: {str(problem)[:200]}"}
    one = captured.seen[0]
    return {"problem": one.problem, "program": one.program and one.program.name,
            "plan": one.plan and one.plan.name, "delegates": n_delegates(made)}


def by_plan(name, given, plan):
    """How many delegates it makes."""
    digest = hashlib.sha256(plan.read_bytes()).hexdigest()
    return given.kept.folder(f"{name} {given.seed} by {digest}", lambda _: n_delegates(
        lower(name, sample_of(name, given), ByPlan(plan))))[1]


def predicted(delegraph, program, folder):
    plan = folder / "predicted.plan.json"
    done = subprocess.run(
        [delegraph, "partition", program, "--backend", "xnnpack", "--mode", "group",
         "--as-torch", "-o", plan], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return plan


def tags_of(plan):
    return json.loads(plan.read_text())["methods"]["forward"]["tags"]


def check(name, given, folder):
    """What differs, as sentences."""
    place, made = given.kept.folder(f"{name} {given.seed}", lambda place: lowered(name, given, place))
    if "unmade" in made:
        raise RuntimeError(made["unmade"])
    if made["plan"] is None:
        return [f"not saved: {made['problem']}"]
    saved = place / made["plan"]
    plan = predicted(given.delegraph, place / made["program"], folder)
    theirs, ours = tags_of(saved), tags_of(plan)
    faults = [f"{node} is of {theirs.get(node)} there, of {ours.get(node)} here"
              for node in sorted({*theirs} | {*ours}) if theirs.get(node) != ours.get(node)]
    tally["nodes"] += len(theirs)
    for what, path in (("saved", saved), ("predicted", plan)):
        found = by_plan(name, given, path)
        if found != made["delegates"]:
            faults.append(f"the {what} plan makes {found} delegates, XNNPACK made {made['delegates']}")
    return faults


class Around(Partitioner):
    """All but the sines, with one tag."""

    def partition(self, program):
        for node in program.graph.nodes:
            if node.op == "call_function" and "sin" not in node.name:
                node.meta["delegation_tag"] = "around"
        return PartitionResult(program, {"around": DelegationSpec("XnnpackBackend", [])})


class Enclosed(torch.nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        return y * torch.sin(y)


def is_cyclic(kind):
    """Of a node of that kind and a call that reads it in one delegate, another between them."""
    graph = torch.fx.Graph()
    first = graph.placeholder("weight") if kind == "placeholder" else graph.call_function(torch.ones)
    outside = graph.call_function(torch.sin, (first,))
    last = graph.call_function(torch.add, (outside, first))
    for node in (first, last):
        node.meta[plans.TAG] = "tag0"
    return bool(find_cycle(graph))


def check_complaint(given, folder):
    """Of a cycle: its nodes, their Python lines, and a command that says the same."""
    program = to_edge(torch.export.export(Enclosed(), (torch.rand(3),)))
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), capture(folder) as captured:
            program.to_backend(Around())
        return ["a cyclic plan was lowered"]
    except AssertionError:
        pass
    text, command = said.getvalue(), captured.seen[0].command()
    wanted = ("make a cycle", "aten_sin_default (not delegated at check_capture.py:", command)
    faults = [f"{text!r} lacks {words!r}" for words in wanted if words not in text]
    if is_cyclic("placeholder") or not is_cyclic("call_function"):
        faults.append("a weight that is read outside of its delegate makes a cycle, or a call none")
    done = subprocess.run([given.delegraph, *command.split()[1:]], capture_output=True, text=True)
    if done.returncode != 1 or "error[partition/convex]" not in done.stdout:
        faults.append(f"{command}: exit {done.returncode}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.delegraph = given.delegraph.resolve()
    given.kept = Kept(given.work, __file__, sources.package())
    os.environ["DELEGRAPH_LIBRARY"] = str(given.library.resolve())
    names = given.networks or [*filter(shares.mine, (*NAMES, *OWN))]
    n_programs = n_differ = 0
    for name in (*names, None):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            try:
                faults = check(name, given, folder) if name else check_complaint(given, folder)
            except Exception as problem:
                print(f"{name}: not made: {type(problem).__name__}: {str(problem)[:200]}")
                continue
        n_programs += name is not None
        n_differ += bool(faults)
        for fault in faults[:5]:
            print(f"{name or 'complaint'}: {fault}")
        sys.stdout.flush()
    print(f"capture, seed {given.seed}: {n_programs} networks, {n_differ} differ; "
          f"{tally['nodes']} nodes with a tag")
    return 0 if n_programs >= min(20, len(names)) and not n_differ else 1


if __name__ == "__main__":
    sys.exit(main())
