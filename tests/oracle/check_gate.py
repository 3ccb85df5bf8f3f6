#!/usr/bin/env python3
"""Hold baselines to models that were exported again.

    check_gate.py --delegraph PROGRAM [--work FOLDER] [--models N] [--seed N]

A rule of a user finds every operator of a random network, and a baseline knows all of them. The
network is exported again: as it was, with other weights, from other classes and lines, by the
other way to export, with a dimension of any size; nothing is new then, and nothing is gone. With a layer more, a layer less, or one changed, that is new or gone, and no more.
FOLDER keeps what was exported, for a next time.
"""

import argparse
import collections
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.export import export, save

from check_diff import WIDTH, Renamed, build, description, emit
from kept import Kept

RULE = """-- id: user/each
-- severity: warning
-- text: there is no operator
SELECT node_id, 'calls ' || op AS message FROM v_node
 WHERE kind IN ('kernel_call', 'call_function') ORDER BY node_id
"""


def edits(rng, blocks):
    """Name, network, way to export, and how many operators are new and gone."""
    block = rng.randrange(len(blocks))
    at = rng.randrange(len(blocks[block]))

    def with_layer(layer):
        new = [list(map(list, each)) for each in blocks]
        new[block].insert(at, layer)
        return new

    base = with_layer(["dropped"])  # a module that computes nothing keeps the numbers of all others
    return build(base), [
        ("again", build(base), {}, (0, 0)),
        ("other weights", build(base, seed=7), {}, (0, 0)),
        ("other source", build(base, Renamed), {}, (0, 0)),
        ("strict", build(base), {"strict": True}, (0, 0)),
        ("dynamic", build(base), {"dynamic_shapes": ({0: torch.export.Dim.DYNAMIC},)}, (0, 0)),
        ("a layer more", build(with_layer(["act", 0])), {}, (1, 0)),
    ], (build(with_layer(["act", 0])), build(base), build(with_layer(["act", 2])))


def write(network, path, options):
    x = (torch.zeros(2, WIDTH),)
    with torch.no_grad():
        program = export(network.eval(), x, **options)
        if path.suffix == ".pt2":
            save(program, path)
        else:
            emit(program, path, [])


class Gate:
    def __init__(self, delegraph, folder, kept):
        self.delegraph, self.folder, self.kept = delegraph, folder, kept
        self.checked = self.findings = self.failures = 0
        self.kinds = collections.Counter()
        rules = folder / "rules"
        rules.mkdir()
        (rules / "each.sql").write_text(RULE)
        self.options = ["--no-config", "--fail-on", "warning", "--select", "user,baseline", "--rules", str(rules)]

    def write(self, what, model, network, options):
        """The program in the place of the one before."""
        name = f"{self.name} {what} {model.suffix}"
        made, _ = self.kept.folder(name, lambda folder: write(network, folder / model.name, options))
        shutil.copyfile(made / model.name, model)

    def known(self, what, ending, network):
        """A baseline of that network, and the place of its program."""
        model, baseline = self.folder / f"model{ending}", self.folder / f"known{ending}.json"
        baseline.unlink(missing_ok=True)
        self.write(what, model, network, {})
        subprocess.run([self.delegraph, "baseline", "write", model, "--baseline", baseline, *self.options],
                       check=True, stdout=subprocess.DEVNULL)
        return model, baseline

    def hold(self, what, model, baseline, network, options, wanted):
        self.write(what, model, network, options)
        done = subprocess.run([self.delegraph, "check", model, "--baseline", baseline, "--format", "json",
                               *self.options], capture_output=True, text=True, check=False)
        told = json.loads(done.stdout)["findings"] if done.stdout else []
        new = [finding for finding in told if finding["rule"] == "user/each" and "known" not in finding]
        gone = [finding for finding in told if finding["rule"] == "baseline/unused"]
        self.checked += 1
        self.kinds[what] += 1
        self.findings += len(told)
        if (len(new), len(gone)) != wanted or not told or done.returncode != (wanted != (0, 0)):
            self.failures += 1
            print(f"{what} {model.suffix}: exit {done.returncode}, {len(new)} new and {len(gone)} gone of {len(told)}, "
                  f"not {wanted}: {[f['message'] for f in (new + gone)[:4]]} {done.stderr}", flush=True)

    def model(self, name, rng):
        self.name = name
        base, cases, (more, less, other) = edits(rng, description(rng))
        for ending in ".pt2", ".pte":
            model, baseline = self.known("first", ending, base)
            for what, network, options, wanted in cases:
                self.hold(what, model, baseline, network, options, wanted)
            model, baseline = self.known("with more", ending, more)
            self.hold("a layer less", model, baseline, less, {}, (0, 1))
            self.hold("a layer changed", model, baseline, other, {}, (1, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--models", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    folder = Path(tempfile.mkdtemp())
    gate = Gate(given.delegraph, folder, Kept(given.work, __file__))
    torch.set_num_threads(1)
    for number in range(given.models):
        gate.model(f"{given.seed} {number}", rng)
    shutil.rmtree(folder)
    print(f"{given.models} models, {gate.checked} exports again ({', '.join(f'{n} {kind}' for kind, n in gate.kinds.items())}), "
          f"{gate.findings} findings, {gate.failures} not as they were changed")
    return gate.failures > 0


if __name__ == "__main__":
    sys.exit(main())
