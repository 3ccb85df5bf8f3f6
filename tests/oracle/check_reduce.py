#!/usr/bin/env python3
"""Faults put into exported networks end as a few nodes that torch opens and runs.

    check_reduce.py --delegraph PROGRAM [--seed N] [--faults N]

A fault changes a weight, or a number that a node takes. The part that delegraph writes must have the
fault's node and at most five in all; torch.export.load opens it, its example inputs are those of
inputs.npz, and what torch computes is what delegraph computes of them, and not what wrong.npz has.
"""

import argparse
import json
import logging
import random
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "data"))

import networks
import numpy
import torch

NODES_MOST = 5
# Numbers whose change changes the result of any input.
NUMBERS = {"eps": lambda x: x * 1e3 + 1e-2, "other": lambda x: x * 1.5 + 1, "alpha": lambda x: x + 0.5,
           "exponent": lambda x: x + 1, "negative_slope": lambda x: x + 0.3, "beta": lambda x: x + 1}


def change_number(model, rng):
    """A number that a node takes becomes another; the node's name, or None."""
    places = [(node, each) for node in model["graph_module"]["graph"]["nodes"] for each in node["inputs"]
              if each["name"] in NUMBERS and isinstance(each["arg"].get("as_float"), float)]
    if not places:
        return None
    node, place = rng.choice(places)
    place["arg"]["as_float"] = NUMBERS[place["name"]](place["arg"]["as_float"])
    return node["name"]


def change_weight(model, entries, rng):
    """One element of a weight of floats becomes a hundred; the name of the node that reads it, or None."""
    config_name, = [name for name in entries if name.endswith("model_weights_config.json")]
    config = json.loads(entries[config_name])["config"]
    inputs = {spec[kind][kind + "_name"]: spec[kind]["arg"]["name"] for spec in
              model["graph_module"]["signature"]["input_specs"] for kind in spec if kind in ("parameter", "buffer")}
    readers = {}
    for node in model["graph_module"]["graph"]["nodes"]:
        for each in node["inputs"]:
            readers.setdefault(each["arg"].get("as_tensor", {}).get("name"), []).append(node["name"])
    fqns = [fqn for fqn, entry in config.items() if entry["tensor_meta"]["dtype"] == 7 and entry["is_param"]
            and len(readers.get(inputs.get(fqn), ())) == 1]
    if not fqns:
        return None
    fqn = rng.choice(fqns)
    name, = [name for name in entries if name.endswith("/weights/" + config[fqn]["path_name"])]
    values = numpy.frombuffer(entries[name], dtype="<f4").copy()
    values[rng.randrange(len(values))] = 100
    entries[name] = values.tobytes()
    return readers[inputs[fqn]][0]


def spoil(source, target, rng):
    """Write `source` with a fault as `target`; the node that has it, or None."""
    with zipfile.ZipFile(source) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    model_name, = [name for name in entries if name.endswith("models/model.json")]
    model = json.loads(entries[model_name])
    node = change_number(model, rng) if rng.random() < 0.5 else change_weight(model, entries, rng)
    entries[model_name] = json.dumps(model).encode()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return node


def hold_to_torch(delegraph, folder):
    """What is wrong with a part that was written."""
    program = torch.export.load(folder / "repro.pt2")
    arguments, _ = program.example_inputs
    stored, wrong = numpy.load(folder / "inputs.npz"), numpy.load(folder / "wrong.npz")
    if any(not numpy.array_equal(stored[name], each.numpy(), equal_nan=True)
           for name, each in zip(stored.files, arguments, strict=True)):
        yield "example inputs are others than inputs.npz"
    results = program.module()(*arguments)
    numpy.savez(folder / "torch.npz", **{f"out{i}": each.numpy() for i, each in enumerate(results)})
    command = [delegraph, "run", folder / "repro.pt2", "--inputs", folder / "inputs.npz", "--expected"]
    if subprocess.run([*command, folder / "torch.npz"], capture_output=True, check=False).returncode:
        yield "delegraph computes something else than torch"
    if all(numpy.array_equal(wrong[name], each.numpy()) for name, each in zip(wrong.files, results, strict=True)):
        yield "torch gives what is wrong"


def reduce(delegraph, name, path, folder, rng):
    """(how many nodes, problems) of one fault; None: there is none that shows."""
    wrong = folder / "wrong.pt2"
    node = spoil(path, wrong, rng)
    if not node:
        return None
    done = subprocess.run([delegraph, "run", path, "--against", wrong, "--seed", "1", "--reduce", folder / "part",
                           "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    told = json.loads(done.stdout) if done.stdout else {}
    if "reduced" not in told:
        return 0, [f"{name}: {node}: not reduced: {done.stderr.strip()[:300]}"]
    nodes = [each["node"] for each in told["reduced"]["nodes"]]
    problems = list(hold_to_torch(delegraph, folder / "part"))
    if node not in nodes:
        problems.append(f"{node} is not among {nodes}")
    if len(nodes) > NODES_MOST:
        problems.append(f"{len(nodes)} nodes")
    return len(nodes), [f"{name}: {node}: {problem}" for problem in problems]


def exported(name, path, rng):
    """Whether torch exports a network of that kind; then it is at `path`."""
    torch.manual_seed(rng.randrange(1 << 30))
    try:
        with torch.no_grad():
            sample = networks.NETWORKS[name](rng)
            torch.export.save(torch.export.export(sample.module.eval(), sample.args, sample.kwargs,
                                                  dynamic_shapes=sample.dynamic, strict=sample.strict), path)
    except Exception:  # whatever a network's code raises where it cannot be exported
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--seed", type=int, default=20261128)
    parser.add_argument("--faults", type=int, default=3, help="for each network")
    parser.add_argument("--networks", nargs="*", default=list(networks.NETWORKS))
    given = parser.parse_args()
    sizes, problems, n_networks = {}, [], 0
    for name in given.networks:
        rng = random.Random(f"{given.seed} {name}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.pt2"
            if not exported(name, path, rng):
                continue
            n_networks += 1
            for _ in range(given.faults):
                found = reduce(given.delegraph, name, path, Path(folder), rng)
                if found:
                    sizes[found[0]] = sizes.get(found[0], 0) + 1
                    problems += found[1]
                    print(*found[1], sep="\n", end="\n" if found[1] else "", flush=True)
    print(f"reduce: {sum(sizes.values())} faults in {n_networks} networks, by nodes {dict(sorted(sizes.items()))}; "
          f"{len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    raise SystemExit(main())
