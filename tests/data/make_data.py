"""Write the shipped programs, each with the facts that the real libraries tell of it.

    make_data.py OUTDIR [NAME...]
"""

import os
import sys

if os.environ.get("PYTHONHASHSEED") != "0":  # sets of names are walked in hash order
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, *sys.argv])

import json
import logging
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)  # torch warns of itself from its import on

import torch

import facts
import fixtures
import plans
from portable_text import machine_paths_in

SEED = 1
LARGEST_TOGETHER = 8_000_000


def facts_text(found):
    """JSON with one node, value or method per line, so that changes read well."""
    parts = []
    for key, value in found.items():
        if isinstance(value, list) and value:
            rows = ",\n ".join(json.dumps(row) for row in value)
            parts.append(f'"{key}":[\n {rows}]')
        else:
            parts.append(f'"{key}":{json.dumps(value)}')
    return "{" + ",\n".join(parts) + "}\n"


def write_program(folder, file_name, data):
    path = folder / file_name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    paths = machine_paths_in(data)
    if paths:
        raise RuntimeError(f"{path} names places of this machine: {paths}")
    return path


def write_fixture(folder, name, make):
    torch.manual_seed(SEED)
    torch._dynamo.reset()
    made = make(name)
    beside = {Path(n).name: data for n, (data, _) in made.items() if n.endswith(plans.SUFFIX)}
    for file_name, (data, known) in made.items():
        path = write_program(folder, file_name, data)
        if path.name in beside:
            continue
        found = known or facts.facts_of(path)
        if beside:
            found["lowering"] = plans.lowering_facts(path, beside)
        path.with_suffix(".facts.json").write_text(facts_text(found), encoding="utf-8")


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    unknown = set(arguments[1:]) - set(fixtures.FIXTURES)
    if unknown:
        sys.exit(f"no such fixture: {', '.join(sorted(unknown))}")
    for name in arguments[1:] or fixtures.FIXTURES:
        print(name, file=sys.stderr, flush=True)
        write_fixture(folder, name, fixtures.FIXTURES[name])
    size = sum(path.stat().st_size for path in folder.glob("*.pt?"))
    if size > LARGEST_TOGETHER:
        sys.exit(f"{size} bytes are too many to ship")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1:])
