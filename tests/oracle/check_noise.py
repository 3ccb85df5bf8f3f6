#!/usr/bin/env python3
"""What check says of programs that are right: no error, and hardly a word.

    check_noise.py --delegraph PROGRAM --work FOLDER [--only KINDS] [--again]

Checks the shipped programs and those of soundness.py that run with the numbers of eager, each
with the exported and the lowered program it came from. FOLDER is that of soundness.py; what it
lacks is made. Prints findings by rule, and fails above 0.3 a program or on any error. Random
programs are counted apart: they are full of dead code, which check rightly tells of.
"""

import argparse
import collections
import os
import sys
from pathlib import Path

if os.environ.get("PYTHONHASHSEED") != "0":  # soundness.py wants it
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, *sys.argv])

import soundness  # first: it says where the modules of tests/data are

import fixtures

MOST = 0.3  # findings a program
HEALTHY = ("right", "not run here")
SEVERITIES = ("error", "warning", "note")


def shipped():
    """Files of one program each; a .ptd goes with the program whose name it begins with."""
    folder = soundness.TESTS / "data"
    programs = [p for p in sorted(folder.iterdir()) if p.suffix in (".pte", ".pt2")]
    for path in programs:
        if path.name not in fixtures.WRONG:
            data = sorted(folder.glob(f"{path.stem}_*.ptd")) if path.suffix == ".pte" else []
            yield [path, *[p for p in data if p.stem.startswith(f"{path.stem}_default_")]]


def fresh(work, rows):
    for row in rows:
        folder = work / row["kind"] / row["name"]
        if row["state"] in HEALTHY:
            yield row["name"], [folder / name for name in row["files"]]
            yield from ((row["name"], [folder / name]) for name in row["beside"]
                        if name.endswith(".pt2"))


class Count:
    def __init__(self):
        self.programs = 0
        self.with_some = 0
        self.rules = collections.Counter()
        self.first = {}
        self.faults = []

    def add(self, delegraph, files):
        found, problem = soundness.findings(delegraph, *files)
        self.programs += 1
        if problem:
            self.faults.append(problem)
            return
        name = "/".join(files[0].parts[-3:])
        self.with_some += bool(found)
        for finding in found:
            rule = finding["severity"], finding["rule"]
            self.rules[rule] += 1
            self.first.setdefault(rule, f"{name}: {finding['message']}")
            if finding["severity"] == "error":
                self.faults.append(f"{name}: {finding['rule']}: {finding['message']}")

    def total(self):
        return sum(self.rules.values())

    def tell(self, title):
        each = self.total() / max(self.programs, 1)
        soundness.say(f"{title}: {self.programs} programs, {self.total()} findings, {each:.2f} each;"
                      f" {self.with_some} programs have any")
        for severity in SEVERITIES:
            ranked = [item for item in self.rules.most_common() if item[0][0] == severity]
            for (_, rule), count in ranked:
                soundness.say(f"  {severity:8}{rule:36}{count:5}  {self.first[severity, rule][:120]}")
        return each


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", help="kinds of fresh programs, with commas between them")
    parser.add_argument("--again", action="store_true", help="check what lies in FOLDER itself")
    return parser.parse_args()


def main():
    options = arguments()
    work, rows = soundness.rows_of(options)
    counts = {"shipped": Count(), "fresh": Count(), "random": Count()}
    for files in shipped():
        counts["shipped"].add(options.delegraph, files)
    for name, files in fresh(work, rows):
        counts["random" if name.startswith("random") else "fresh"].add(options.delegraph, files)
    loud = [title for title, count in counts.items() if count.tell(title) > MOST]
    loud = [title for title in loud if title != "random"]
    faults = [fault for count in counts.values() for fault in count.faults]
    for fault in faults:
        soundness.say(f"fault: {fault}")
    soundness.say(f"{sum(c.programs for c in counts.values())} programs, "
                  f"{sum(c.total() for c in counts.values())} findings, {len(faults)} faults"
                  + "".join(f"; above {MOST} a program: {title}" for title in loud))
    return bool(faults or loud)


if __name__ == "__main__":
    sys.exit(main())
