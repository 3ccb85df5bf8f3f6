#!/usr/bin/env python3
"""Every rule of severity error or warning: a right program with one thing made wrong is reported
under that rule, and the right one is not.

    check_mutants.py --delegraph PROGRAM [--only RULES] [--keep FOLDER] [--ship FOLDER]

Lists what else follows from each, and the rules without mutant. Exits with 1 when a mutant is
not reported, or a right program is. --ship leaves the small ones there, by the names that
tests/mutants.sh expects.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
sys.dont_write_bytecode = True

import mutants
import mutate

GRAVE = ("error", "warning")
SMALL = 3 << 10


def rules_of(delegraph):
    text = subprocess.run([delegraph, "rules", "--format", "json"], capture_output=True).stdout
    rules = json.loads(text)["rules"]
    return {rule["id"]: rule["severity"] for rule in rules}


def command_line(names, options):
    """Programs and data first; plans and the like as options."""
    line = [*options]
    for number, name in enumerate(names):
        if name.endswith(".plan.json"):
            line += ["--plan", name, "--force"]
        elif number and name.endswith(".pt2"):
            line += ["--program", name]
        else:
            line.append(name)
    return line


def check(delegraph, folder, names, options):
    """{id: severities} of the findings, or why there are none."""
    line = [*delegraph, "--exit-zero", "--format", "json"]
    line += command_line(names, options)
    answer = subprocess.run(line, cwd=folder, capture_output=True, text=True)
    if answer.returncode:
        return None, f"exit {answer.returncode}: {answer.stderr.strip()[-300:]}"
    found = {}
    told = json.loads(answer.stdout)
    for one in told.get("artifacts", [told]):
        for finding in one["findings"]:
            found.setdefault(finding["rule"], set()).add(finding["severity"])
    return found, None


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def make(mutant):
    """Files of the right program and of the wrong one."""
    parts = {name: mutate.open_program(mutate.DATA / name) for name in mutant.files}
    if mutant.plan:
        parts["made.plan.json"] = mutate.Plan(mutant.plan)
    right = {name: part.to_bytes() for name, part in parts.items()}
    wrong = dict(zip(parts, mutant.edit(*parts.values()) or parts.values()))
    for name, part in parts.items():
        wrong.setdefault(name, part)
    told = {n: p if isinstance(p, bytes) else p.to_bytes() for n, p in wrong.items()}
    return right, told


def judge(delegraph, folder, mutant):
    """(what is wrong with this mutant or None, what else it is told)."""
    right, wrong = make(mutant)
    write(folder / "right", right)
    write(folder / "wrong", wrong)
    before, problem = check(delegraph, folder / "right", right, mutant.options)
    if before is None:
        return f"the right program: {problem}", ""
    after, problem = check(delegraph, folder / "wrong", wrong, mutant.options)
    if after is None:
        return problem, ""
    others = sorted(id for id in after if id != mutant.rule and after[id] != before.get(id))
    if before.get(mutant.rule, set()) & set(GRAVE):
        return "the right program is told, too", " ".join(others)
    if not after.get(mutant.rule, set()) & set(GRAVE):
        return "it is not told", " ".join(others)
    return None, " ".join(others)


def ship(folder, mutant, files):
    """Leaves a mutant of one small `.pte` that needs no options."""
    (name, content), *others = files.items()
    if others or mutant.options or not name.endswith(".pte") or len(content) > SMALL:
        return
    folder.mkdir(exist_ok=True)
    (folder / f"{mutant.rule.replace('/', '_')}__{mutant.name}.pte").write_bytes(content)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delegraph", required=True, type=os.path.abspath)
    parser.add_argument("--only", default="*", help="a pattern of rule ids")
    parser.add_argument("--ignore", default="", help="rules that are not run")
    parser.add_argument("--keep", type=Path, help="leave the files here")
    parser.add_argument("--ship", type=Path, help="leave the small ones here")
    options = parser.parse_args()
    rules = rules_of(options.delegraph)
    check_command = [options.delegraph, "check", "--ignore", options.ignore]
    failures, covered = 0, set()
    with tempfile.TemporaryDirectory() as temporary:
        top = options.keep or Path(temporary)
        for mutant in mutants.all_mutants():
            if mutant.rule not in rules or not fnmatch.fnmatch(mutant.rule, options.only):
                continue
            folder = top / mutant.rule.replace("/", "_") / mutant.name
            try:
                problem, others = judge(check_command, folder, mutant)
            except Exception as error:
                problem, others = f"not made: {type(error).__name__}: {error}", ""
            covered.add(mutant.rule)
            failures += problem is not None
            if options.ship and problem is None:
                ship(options.ship, mutant, make(mutant)[1])
            print(f"{mutant.rule} {mutant.name}: {problem or 'told'}", f"(also {others})" * bool(others))
    without = sorted(id for id in rules if rules[id] in GRAVE and id not in covered)
    without = fnmatch.filter(without, options.only)
    print(f"without mutant: {' '.join(without) or 'none'}")
    unknown = sorted({mutant.rule for mutant in mutants.MUTANTS} - rules.keys())
    print(f"mutants of no rule: {' '.join(unknown) or 'none'}")
    print(f"{len(covered)} of {len(covered | set(without))} rules, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
