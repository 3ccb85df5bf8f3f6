#!/usr/bin/env python3
"""Hold plans that follow no other partitioner (min, multi, repair) to what a plan must be.

    check_plans.py --delegraph PROGRAM --random PROGRAM [--graphs N] [--seed N] [--update] [NETWORK...]

On random graphs PROGRAM (tests/plans/random_plans) does it. Of real programs torch itself fuses each
plan, runs what is left, and must get the numbers of the whole program; that torch's own partitions
are those of mode torch, and what lies on the borders of all, is counted here. The table of both stands in
doc/plan.md; --update writes it.
"""

import argparse
import collections
import copy
import json
import operator
import random
import subprocess
import sys
import tempfile
import warnings
import zlib
from pathlib import Path

warnings.simplefilter("ignore")

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "data")]

import executorch.exir as exir
import torch
from torch.export.graph_signature import InputKind
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions

import networks

NAMES = (
    "bert", "gpt2", "llama", "qwen3", "gemma", "phi", "vit_images", "vision_transformer", "swin",
    "convnext", "segmentation", "lstm", "gru", "experts", "chunks", "mobilenet_v3_small",
    "shufflenet_v2_x0_5", "efficientnet_b0", "googlenet", "densenet",
)  # fmt: skip
PAGE = TESTS.parent / "doc" / "plan.md"
BEGIN, END = "<!-- what plans gain -->\n", "<!-- end -->\n"
WAYS = {
    "torch": [],
    "min": ["--mode", "min"],
    "min, bytes": ["--mode", "min", "--weight", "bytes"],
    "multi": ["--mode", "multi", "--backend", "vulkan"],
}
tally = collections.Counter()


def without_unused(module):
    """A file has a getitem for each result that nobody uses; partitioners see none."""
    for node in list(module.graph.nodes):
        if node.target is operator.getitem and not node.users:
            module.graph.erase_node(node)
    module.recompile()


class Program:
    """An edge program as its file has it, and numbers to run it with."""

    def __init__(self, name, seed, folder):
        rng = random.Random(seed * 1000 + zlib.crc32(name.encode()))
        torch.manual_seed(rng.randrange(1 << 30))
        sample = networks.NETWORKS[name](rng)
        exported = torch.export.export(sample.module, sample.args, sample.kwargs)
        self.path = folder / "program.pt2"
        exir.save(exir.to_edge(exported).exported_program(), self.path)
        self.edge = exir.load(self.path)
        without_unused(self.edge.graph_module)
        self.nodes = {node.name: node for node in self.edge.graph.nodes}
        flat = iter(torch.utils._pytree.tree_leaves((sample.args, sample.kwargs or {})))
        self.inputs, self.constants = [], set()
        for spec in self.edge.graph_signature.input_specs:
            if spec.kind == InputKind.USER_INPUT:
                self.inputs.append(next(flat))
                continue
            self.constants.add(spec.arg.name)
            held = self.edge.state_dict if spec.target in self.edge.state_dict else self.edge.constants
            self.inputs.append(held[spec.target])

    def run(self, parts=()):
        """What the program gives; with `parts`, lists of names, after torch has fused each."""
        module = copy.deepcopy(self.edge.graph_module)
        if parts:
            nodes = {node.name: node for node in module.graph.nodes}
            module = fuse_by_partitions(module, [{nodes[n]: None for n in part} for part in parts])
        with torch.no_grad():
            return module(*[i.clone() if isinstance(i, torch.Tensor) else i for i in self.inputs])


def size_of(value):
    if isinstance(value, (tuple, list)):
        return sum(size_of(item) for item in value)
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 8


def border(program, parts):
    """Values and bytes: of each part what it reads, and what others read of it."""
    values = nbytes = 0
    for part in parts:
        inside = {program.nodes[name] for name in part}
        enter = {i for node in inside for i in node.all_input_nodes} - inside
        leave = {node for node in inside if set(node.users) - inside}
        crossing = [n for n in enter if n.name not in program.constants] + list(leave)
        values += len(crossing)
        nbytes += sum(size_of(node.meta.get("val")) for node in crossing)
    return values, nbytes


def ask(delegraph, program, flags, plan=None):
    command = [delegraph, "-q", "partition", program.path, "--format", "json", *flags]
    done = subprocess.run([*command, *(["-o", plan] if plan else [])], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["methods"][0]


def parts_of(method):
    found = method["valid"] if "valid" in method else method
    return [part["nodes"] for part in found["partitions"]]


def fault(name, what):
    tally["differ"] += 1
    print(f"{name}: {what}", flush=True)


def equal(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(equal, a, b))
    return torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b


def check_runs(name, way, program, parts, wanted):
    tally["plans"] += 1
    try:
        got = program.run(parts)
    except Exception as error:
        fault(name, f"{way}: torch does not fuse it: {str(error)[:200]}")
        return
    if not equal(got, wanted):
        fault(name, f"{way}: fused, it gives other numbers")


class Support(OperatorSupportBase):
    def __init__(self, names):
        self.names = names

    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and node.name not in self.names


def torch_parts(program, method):
    """Of torch's own class, for the operators that the list takes."""
    module = copy.deepcopy(program.edge.graph_module)
    support = Support(set(method["unsupported"]))
    partitioner = CapabilityBasedPartitioner(module, support, allows_single_node_partition=True)
    return [sorted(node.name for node in p.nodes) for p in partitioner.propose_partitions()]


def check_repair(name, given, program, wanted, folder, rng):
    """Two partitions that become one tag, which may wait for itself then."""
    broken, mended = folder / "broken.plan.json", folder / "mended.plan.json"
    method = ask(given.delegraph, program, ["--backend", "xnnpack"], broken)
    if len(method["partitions"]) < 2:
        return
    plan = json.loads(broken.read_text())
    first, second = rng.sample([part["tag"] for part in method["partitions"]], 2)
    tags = plan["methods"]["forward"]["tags"]
    tags.update({node: first for node, tag in tags.items() if tag == second})
    del plan["methods"]["forward"]["delegates"][second]
    broken.write_text(json.dumps(plan))
    done = ask(given.delegraph, program, ["--repair", broken], mended)
    calls = {node.name for node in program.nodes.values() if node.op == "call_function"}
    pieces = [[n for n in part if n in calls] for part in parts_of(done)]
    tally["mended"] += not done["acyclic"]
    check_runs(name, "repair", program, [piece for piece in pieces if piece], wanted)
    said = json.loads(mended.read_text())["methods"]["forward"]["tags"]
    if set(said) != set(tags) or any(not said[n].startswith(tags[n]) for n in tags):
        fault(name, "repair: a node lost its tag, or has another")


def check(name, given, folder, rows):
    program = Program(name, given.seed, folder)
    wanted = program.run()
    rng = random.Random(given.seed)
    methods = {way: ask(given.delegraph, program, ["--backend", "xnnpack", *flags])
               for way, flags in WAYS.items()}
    borders = {}
    for way, method in methods.items():
        parts = parts_of(method)
        check_runs(name, way, program, parts, wanted)
        borders[way] = border(program, parts)
        told = tuple(sum(p[key] for p in method["partitions"])
                     for key in ("inputs", "outputs", "boundary_bytes"))
        if (told[0] + told[1], told[2]) != borders[way]:
            fault(name, f"{way}: on the borders {told}, counted here {borders[way]}")
    theirs = torch_parts(program, methods["torch"])
    if sorted(theirs) != sorted(sorted(part) for part in parts_of(methods["torch"])):
        fault(name, "torch: its own partitions are others")
    n = {way: len(parts_of(method)) for way, method in methods.items()}
    if n["min"] > len(theirs) or borders["min"][0] > borders["torch"][0]:
        fault(name, "min: more than torch has")
    if borders["min, bytes"][1] > borders["torch"][1]:
        fault(name, "min, bytes: more than torch has")
    check_repair(name, given, program, wanted, folder, rng)
    passes = methods["multi"]["passes"]
    rows.append([name, len(theirs), n["min"], borders["torch"][0], borders["min"][0],
                 borders["torch"][1] / 1024, borders["min, bytes"][1] / 1024,
                 passes["stacked"], passes["joint"]])


def table(rows):
    lines = ["| program | partitions: torch | min | values: torch | min | KiB: torch | min, bytes "
             "| XNNPACK, then Vulkan | in one pass |", "|---|" + "---|" * 8]
    for row in [*rows, ["all", *(sum(column) for column in list(zip(*rows))[1:])]]:
        lines.append("| " + " | ".join(f"{x:,.1f}" if isinstance(x, float) else f"{x:,}"
                                       if isinstance(x, int) else x for x in row) + " |")
    return "\n".join(lines) + "\n"


def check_table(rows, update):
    page = PAGE.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    if update:
        PAGE.write_text(page[:begin] + table(rows) + page[end:])
    elif page[begin:end] != table(rows):
        fault(PAGE.name, "its table is not what this run found; --update writes it:\n" + table(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--random", type=Path, required=True)
    parser.add_argument("--graphs", type=int, default=120_000)
    parser.add_argument("--seed", type=int, default=20261125)
    parser.add_argument("--update", action="store_true", help="write the table into doc/plan.md")
    parser.add_argument("names", nargs="*", metavar="NETWORK")
    given = parser.parse_args()
    done = subprocess.run([given.random, str(given.graphs), str(given.seed)], capture_output=True, text=True)
    print(done.stdout, end="", flush=True)
    tally["differ"] += done.returncode != 0
    rows = []
    for name in given.names or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            check(name, given, Path(folder), rows)
        print(*rows[-1], flush=True)
    if not given.names:
        check_table(rows, given.update)
    print(f"plans: {given.graphs} random graphs; {len(rows)} programs, {tally['plans']} plans fused by torch, "
          f"{tally['mended']} mended; {tally['differ']} differ")
    return tally["differ"] != 0


if __name__ == "__main__":
    sys.exit(main())
