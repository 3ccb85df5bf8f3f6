#!/usr/bin/env python3
"""Hold `v_lineage` to what ExecuTorch knows while it lowers.

    check_joins.py --delegraph PROGRAM [--work FOLDER] [--random N] [--seed N] [NETWORK...]

Networks are lowered, without and with XNNPACK, as they are and quantized: by tensor, by channel, and
when they run. The emitter tells of which nodes it makes an instruction, these tell their debug handles
and the nodes of torch.export's program that they came from. What `query` says of a .pte with the .pt2,
and of one with the ETRecord, must not be another: a node that is said to live on in an instruction
either does, or lives on nowhere, as what is folded into the node before it. FOLDER keeps programs, and what the emitter
told of them, for a next time.
"""

import argparse
import collections
import contextlib
import io
import json
import logging
import subprocess
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.emit import _emitter
from torch.export import save

import executorch.kernels.quantized  # out variants of what brings codes into floats
import random_programs
import sound_lowering
from check_diff import EMITTED, NETWORKS, SHIPPED
import architectures
import programs
from kept import Kept

JOINS = """
SELECT l.idx, d.debug_handle AS inside, l.from_node, s.debug_handle AS handle,
       (SELECT json_group_array(debug_handle) FROM delegate_node WHERE graph_id = d.graph_id) AS all_inside
  FROM v_lineage AS l LEFT JOIN delegate_node AS d ON d.id = l.inside_id
  JOIN node AS s ON s.id = l.from_id
"""

WAYS = {
    "by tensor": {},
    "by channel": {"is_per_channel": True},
    "dynamic": {"is_per_channel": True, "is_dynamic": True},
}
PARTITIONERS = {"dynamic": [XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()]}


def prepared(sample, way):
    sample.module.eval()
    if not way:
        return sample
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**WAYS[way]))
    return sound_lowering.quantized(sample, quantizer)


def roots(node):
    """What the nodes that it came from were called when they were traced."""
    found, left = set(), list(node.meta.get("from_node") or [])
    while left:
        source = left.pop()
        left += source.from_node
        if not source.from_node:
            found.add(source.name)
    return found


def handles(node):
    handle = node.meta.get("debug_handle")
    return {handle} if isinstance(handle, int) else set(handle or ())


class Emission:
    """By instruction, and by debug handle: names in the exported program, and handles."""

    def __init__(self):
        self.names, self.handles = collections.defaultdict(set), collections.defaultdict(set)
        self.names_of_handle = collections.defaultdict(set)
        self.original = _emitter._Emitter._add_debug_handle

    def __enter__(self):
        def listen(emitter, number, target, lowered=None):
            nodes = [emitter.node] + (list(lowered.original_module.graph.nodes) if lowered else [])
            at = number + emitter.instruction_start_offset
            for node in nodes:
                self.names[at] |= roots(node)
                self.handles[at] |= handles(node)
                for handle in handles(node):
                    self.names_of_handle[handle] |= roots(node)
            return self.original(emitter, number, target, lowered)

        _emitter._Emitter._add_debug_handle = listen
        return self

    def __exit__(self, *_):
        _emitter._Emitter._add_debug_handle = self.original

    def told(self):
        """As JSON can hold it: what is told, names and handles, by their number."""
        return [[[key, sorted(found)] for key, found in table.items()]
                for table in (self.names, self.handles, self.names_of_handle)]

    @classmethod
    def of(cls, told):
        emission = cls()
        for table, rows in zip((emission.names, emission.handles, emission.names_of_handle), told):
            table.update((key, set(found)) for key, found in rows)
        return emission


def lower(program, partitioners, folder):
    """What the emitter told; m.pte, and m.etrecord where it can be saved, lie in the folder."""
    lowered = to_edge_transform_and_lower(program, partitioner=partitioners, generate_etrecord=True)
    with Emission() as emission:
        made = lowered.to_executorch()
    folder.mkdir()
    (folder / "m.pte").write_bytes(made.buffer)
    with contextlib.suppress(Exception):  # it cannot save while_loop
        made.get_etrecord().save(str(folder / "m.etrecord"))
    return emission.told()


def make(folder, sample_of, way, seed):
    """aten.pt2 and a folder for each lowering; what nodes were called when they were traced, what the
    emitter told, and why there is no more."""
    made = {"roots": {}, "told": [], "why": None}
    torch.manual_seed(seed)
    with torch.no_grad():
        try:
            sample = prepared(sample_of(), way)
            program = sound_lowering.exported(sample)
            made["roots"] = {node.name: sorted(roots(node)) for node in program.graph.nodes}
            save(program, folder / "aten.pt2")
            for partitioners in [], PARTITIONERS.get(way, [XnnpackPartitioner()]):
                place = folder / str(len(made["told"]))
                made["told"].append(lower(sound_lowering.exported(sample), partitioners, place))
        except Exception as error:
            made["why"] = str(error).splitlines()[0][:120]
    return made


class Joins:
    def __init__(self, delegraph, kept, verbose):
        self.delegraph, self.kept, self.verbose = delegraph, kept, verbose
        self.counts = collections.defaultdict(collections.Counter)
        self.faults = []

    def ask(self, model, program, question):
        done = subprocess.run([self.delegraph, "query", model, "--program", program, question,
                               "--format", "json"], capture_output=True, text=True, check=False)
        if done.returncode:
            self.faults.append(f"{program.name}: {done.stderr.strip()}")
            return []
        return json.loads(done.stdout)["rows"]

    def root(self, name):
        """What a node was called when it was traced."""
        return min(self.roots.get(name) or {name})

    def hold(self, name, model, program, emission, way):
        """program: of torch.export, whose nodes are known by what they were called, or an ETRecord."""
        by_handle = program.suffix == ".etrecord"
        counts = self.counts[("ETRecord" if by_handle else ".pt2") + (", quantized " + way if way else "")]
        told = emission.handles if by_handle else emission.names
        alive = set().union(*told.values())
        joined = set()
        for row in self.ask(model, program, JOINS):
            source = int(row["handle"]) if by_handle else self.root(row["from_node"])
            right = told.get(row["idx"], set())
            fused = source not in alive
            if row["inside"] is not None:
                names = {one: {one} for one in right} if by_handle else emission.names_of_handle
                inside = {one for handle in json.loads(row["all_inside"]) for one in names.get(handle, ())}
                fused = fused or source in right - inside
                right = names.get(row["inside"], set())
            joined.add(source)
            if source in right:
                counts["right"] += 1
            elif fused:
                counts["taken on"] += 1
            else:
                counts["wrong"] += 1
                self.faults.append(f"{name}, {program.name}: {row} is of {sorted(right)}")
        for one in sorted(alive - joined, key=str) if self.verbose else []:
            print(f"{name}, {program.name}: {one} of {sorted(at for at in told if one in told[at])} is not joined")
        counts["pairs"] += 1
        counts["alive"] += len(alive)
        counts["joined"] += len(alive & joined)

    def network(self, name, seed, sample_of, way=None):
        name += f" {way}" if way else ""
        folder, made = self.kept.folder(f"{name}, seed {seed}",
                                        lambda folder: make(folder, sample_of, way, seed))
        self.roots = made["roots"]
        for number, told in enumerate(made["told"]):
            place = folder / str(number)
            for program in folder / "aten.pt2", place / "m.etrecord":
                if program.exists():
                    self.hold(name, place / "m.pte", program, Emission.of(told), way)
        if made["why"] is not None:
            print(f"{name}: not lowered: {made['why']}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--random", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="name the nodes that are not joined")
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    torch.set_num_threads(1)
    joins = Joins(given.delegraph, Kept(given.work, __file__), given.verbose)
    named = given.networks or SHIPPED + NETWORKS
    for name, way in [(name, None) for name in named] + [
            (name, way) for name in given.networks or EMITTED for way in WAYS]:
        joins.network(name, given.seed, getattr(programs if name in SHIPPED else architectures, name), way)
    for number in range(given.random):
        seed = given.seed * 1000 + number
        for way in None, list(WAYS)[number % len(WAYS)]:
            joins.network(f"random {seed}", seed, lambda: random_programs.random_sample(seed, ()), way)
    print("".join(fault + "\n" for fault in joins.faults), end="")
    print("; ".join(f"{kind}: {n['pairs']} pairs, {n['joined']} of {n['alive']} nodes joined, {n['right']} right,"
                    f" {n['taken on']} taken on by others, {n['wrong']} wrong"
                    for kind, n in joins.counts.items()))
    return bool(joins.faults) or not all(n["right"] for n in joins.counts.values())


if __name__ == "__main__":
    sys.exit(main())
