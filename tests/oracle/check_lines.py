#!/usr/bin/env python3
"""Hold the Python lines that a .pte gets from --program to those it was emitted from.

    check_lines.py --delegraph PROGRAM [--random N] [--seed N]

Networks are lowered, without and with XNNPACK, and the emitter of ExecuTorch tells which node
each instruction came from. `check --program` with the edge program and with that after lowering
must name a line of that node, or none; with what torch.export saved, none.
"""

import argparse
import collections
import contextlib
import io
import json
import logging
import re
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
from executorch import exir
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.emit import _emitter
from torch.export import save

import random_programs
from check_diff import NETWORKS, SHIPPED, exported
import architectures
import programs

RULE = """-- id: user/line
-- severity: warning
-- text: an instruction
SELECT node_id, method || ' ' || idx || ' ' || coalesce(file || ':' || line, '') AS message
  FROM v_node WHERE kind IN ('kernel_call', 'delegate_call') ORDER BY node_id
"""


LIBRARIES = [Path(torch.__file__).parent, Path(exir.__file__).parent.parent]


def is_own(path):
    """Whether it is no file of torch or ExecuTorch."""
    return not any(library in Path(path).parents for library in LIBRARIES)


def line_of(node):
    """Innermost frame that is a file of the network's, as a list of none or one."""
    frames = re.findall(r'File "([^"<]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [f"{path}:{line}" for path, line in frames if is_own(path)]
    return own[-1:]


class Emission:
    """What the emitter made each instruction of, by its number; all methods are one."""

    def __init__(self):
        self.lines = {}
        self.original = _emitter._Emitter._add_debug_handle

    def __enter__(self):
        def listen(emitter, number, target, lowered=None):
            nodes = [emitter.node] + (list(lowered.original_module.graph.nodes) if lowered else [])
            lines = {line for node in nodes for line in line_of(node)}
            self.lines[f"forward {number + emitter.instruction_start_offset}"] = lines
            return self.original(emitter, number, target, lowered)

        _emitter._Emitter._add_debug_handle = listen
        return self

    def __exit__(self, *_):
        _emitter._Emitter._add_debug_handle = self.original


class Lines:
    def __init__(self, delegraph, folder):
        self.delegraph, self.folder = delegraph, folder
        self.rules = folder / "rules"
        self.rules.mkdir()
        (self.rules / "line.sql").write_text(RULE)
        self.counts = collections.defaultdict(collections.Counter)
        self.programs = 0
        self.faults = []

    def told(self, model, program):
        """Lines by instruction, as rows of a rule."""
        done = subprocess.run([self.delegraph, "check", model, "--program", program, "--no-config", "--select",
                               "user/line", "--rules", self.rules, "--format", "json"],
                              capture_output=True, text=True, check=False)
        if not done.stdout:
            self.faults.append(done.stderr.strip())
            return
        for finding in json.loads(done.stdout)["findings"]:
            method, number, line = finding["message"].split(" ", 2)
            yield f"{method} {number}", line

    def hold(self, name, kind, model, program, lines):
        for instruction, line in self.told(model, program):
            right = lines.get(instruction, set())
            verdict = "wrong"
            if not line:
                verdict = "without"
            elif kind != "exported":
                verdict = "untold" if not right else "right" if line in right else "wrong"
            self.counts[kind][verdict] += 1
            if verdict == "wrong":
                self.faults.append(f"{name}, {kind}: {instruction} is said to be {line}, not {sorted(right)}")

    def lower(self, name, sample, partitioners):
        """Also writes the edge program, which --program may name for later ones, too."""
        model, aten, edge, own = (self.folder / file for file in ("m.pte", "aten.pt2", "edge.pt2", "own.pt2"))
        lowered = to_edge_transform_and_lower(exported(sample), partitioner=partitioners)
        with contextlib.suppress(Exception):  # it cannot save while_loop
            exir.save(lowered.exported_program(), own if partitioners else edge)
        with Emission() as emission:
            model.write_bytes(lowered.to_executorch().buffer)
        self.programs += 1
        for kind, program in ("exported", aten), ("edge", edge), ("lowered", own):
            if program.exists():
                self.hold(name, kind, model, program, emission.lines)

    def network(self, name, sample):
        for path in self.folder.glob("*.pt*"):
            path.unlink()
        with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
            try:
                save(exported(sample), self.folder / "aten.pt2")
                for partitioners in [], [XnnpackPartitioner()]:
                    self.lower(name, sample, partitioners)
            except Exception as error:
                print(f"{name}: not lowered: {str(error).splitlines()[0][:120]}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--random", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = Lines(given.delegraph, Path(folder))
        for name in SHIPPED + NETWORKS:
            torch.manual_seed(given.seed)
            lines.network(name, getattr(programs if name in SHIPPED else architectures, name)())
        for number in range(given.random):
            seed = given.seed * 1000 + number
            lines.network(f"random {seed}", random_programs.random_sample(seed, ("control_flow",)))
    print("".join(fault + "\n" for fault in lines.faults), end="")
    counts = "; ".join(f"{kind}: {each['right']} right, {each['wrong']} wrong, {each['without']} without, "
                       f"{each['untold']} where the emitter knows none"
                       for kind, each in lines.counts.items())
    print(f"{lines.programs} programs; {counts}")
    return bool(lines.faults) or not all(lines.counts[kind]["right"] for kind in ("edge", "lowered"))


if __name__ == "__main__":
    sys.exit(main())
