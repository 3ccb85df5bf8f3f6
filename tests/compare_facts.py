#!/usr/bin/env python3
"""Hold delegraph to the facts that the real libraries tell of the shipped programs.

    compare_facts.py DELEGRAPH FOLDER [NAME...]

Every fact in FOLDER/NAME.facts.json must be what `delegraph info`, `ls` and `check` say of the
program beside it. Exits with 1 when anything differs.
"""

import ast
import json
import subprocess
import sys
from pathlib import Path

PROGRAM_SUFFIXES = (".pte", ".pt2", ".ptd", ".bpte", ".etrecord", ".etdp")
ASKED = {
    "instruction_handles": "SELECT method.name AS method, instruction, debug_handle"
    " FROM instruction_handle JOIN method ON method.id = method_id WHERE part IS NULL",
    "profile_events": "SELECT run, name, instruction, part, begin, end FROM v_profile_event"
    " WHERE kind = 'time' ORDER BY run, idx",
}
LISTED = ("nodes", "values")
UNORDERED = ("ops", "operators")


class Comparison:
    def __init__(self):
        self.facts = 0
        self.differences = []

    def differ(self, place, expected, actual):
        self.differences.append(f"{place}: expected {expected}, got {actual}")

    def compare(self, place, expected, actual):
        if isinstance(expected, dict) and isinstance(actual, dict):
            self.compare_keys(place, expected, actual)
        elif isinstance(expected, list) and isinstance(actual, list):
            self.compare_items(place, expected, actual)
        else:
            self.facts += 1
            if type(expected) is not type(actual) or expected != actual:
                self.differ(place, json.dumps(expected), json.dumps(actual))

    def compare_keys(self, place, expected, actual):
        for key, value in expected.items():
            if key not in actual:
                self.facts += 1
                self.differ(f"{place}.{key}", json.dumps(value), "no such key")
            elif key in UNORDERED:
                self.compare(f"{place}.{key}", counts(value), counts(actual[key]))
            elif key == "shape":
                self.compare(f"{place}.{key}", plain_shape(value), plain_shape(actual[key]))
            else:
                self.compare(f"{place}.{key}", value, actual[key])

    def compare_items(self, place, expected, actual):
        self.facts += 1
        if len(expected) != len(actual):
            self.differ(f"{place}.length", len(expected), len(actual))
        for index, (wanted, got) in enumerate(zip(expected, actual)):
            self.compare(f"{place}[{label(index, wanted)}]", wanted, got)


def counts(rows):
    """Rows of names and counts as an object: their order is a matter of taste."""
    return {row["name"]: row["count"] for row in rows or []}


def plain_shape(shape):
    """Symbolic sizes without needless parentheses: SymPy writes `((s77//2)) + 1`."""
    return shape and [plain_size(size) for size in shape]


def plain_size(size):
    try:
        return ast.unparse(ast.parse(size, mode="eval")) if isinstance(size, str) else size
    except SyntaxError:
        return size


def label(index, item):
    name = item.get("name", item.get("path")) if isinstance(item, dict) else None
    return f"{index}:{name}" if name else str(index)


class Refused(Exception):
    """delegraph would not answer."""


def ask(delegraph, *arguments):
    done = subprocess.run([delegraph, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def answers(delegraph, program, facts):
    """What delegraph says of a program, in the shape of the facts."""
    said = ask(delegraph, "info", "--hash", "--format", "json", str(program))
    for what in LISTED:
        if what in facts:
            listing = ask(delegraph, "ls", "--what", what, "--format", "json", str(program))
            said[what] = listing[what]
    for what, query in ASKED.items():
        if what in facts:
            table = ask(delegraph, "query", "--format", "json", str(program), query)
            said[what] = table["rows"]
    if "lowering" in facts:
        said["lowering"] = [
            {**row, "error": foretold(delegraph, program, row)} for row in facts["lowering"]
        ]
    return said


def foretold(delegraph, program, lowering):
    """What lowering will say against a plan, as far as `check` knows; null: it takes it."""
    plan = lowering["plan"] and program.with_name(lowering["plan"])
    arguments = ["check", "--format", "json", "--fail-on", "never", str(program)]
    findings = ask(delegraph, *arguments, *(["--plan", str(plan)] if plan else []))["findings"]
    errors = [row["message"] for row in findings if row["severity"] == "error"]
    known = [m for m in errors if lowering["error"] and lowering["error"] in m]
    return lowering["error"] if known else next(iter(errors), None)


def compare_program(delegraph, program, facts):
    comparison = Comparison()
    try:
        comparison.compare("", facts, answers(delegraph, program, facts))
    except (Refused, json.JSONDecodeError, KeyError, OSError) as problem:
        comparison.differ("", "an answer", problem)
    return comparison


def program_beside(facts_path):
    stem = facts_path.name.removesuffix(".facts.json")
    found = [p for s in PROGRAM_SUFFIXES if (p := facts_path.with_name(stem + s)).exists()]
    if len(found) != 1:
        sys.exit(f"{facts_path}: needs exactly one program beside it, has {len(found)}")
    return found[0]


def facts_files(folder, names):
    if names:
        return [Path(folder, f"{name}.facts.json") for name in names]
    return sorted(Path(folder).rglob("*.facts.json"))


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    delegraph, folder, *names = arguments
    files = facts_files(folder, names)
    n_facts = n_differences = 0
    for path in files:
        program = program_beside(path)
        facts = json.loads(path.read_text(encoding="utf-8"))
        comparison = compare_program(delegraph, program, facts)
        for difference in comparison.differences:
            print(f"{program.name}{difference}")
        n_facts += comparison.facts
        n_differences += len(comparison.differences)
    print(f"{len(files)} files, {n_facts} facts, {n_differences} differences")
    return 1 if n_differences or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
