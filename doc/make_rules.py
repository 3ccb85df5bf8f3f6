#!/usr/bin/env python3
"""Writes doc/rules.md: rules.head.md, then what `delegraph rules` and the tests say.

usage: make_rules.py DELEGRAPH [--check]

With --check it writes nothing and fails when the page is not what it would write, or when a
rule has no test.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
RULE = re.compile(r'"([a-z]+(?:-[a-z]+)*/[a-z0-9-]+)"')
FUNCTION = re.compile(
    r"^(?:START_TEST\((\w+)\)|(?:static )?[a-z][\w ]*[ *](\w+)\([^;{]*\))\n\{(.*?)^\}", re.M | re.S)


def tests_of_file(text, found):
    """Which rules each test of a file runs, by itself or through a function of the file."""
    helpers = {}
    for test, name, body in FUNCTION.findall(text):
        rules = set(RULE.findall(body))
        for called in re.findall(r"\b(\w+)\(", body):
            rules |= helpers.get(called, set())
        if test:
            for rule in rules:
                found.setdefault(rule, []).append(test)
        else:
            helpers[name] = rules


def all_tests():
    found = {}
    for path in sorted((TOP / "tests/unit").glob("test_*.c")):
        tests_of_file(path.read_text(encoding="utf-8"), found)
    return found


def capital(text):
    """Names of functions, rules and commands keep their small letter."""
    if text.startswith("delegraph "):
        return text
    return text[0].upper() + text[1:] if re.match(r"[a-z-]+(?:[ ,;]|:(?!:))|[a-z]+$", text) else text


def nearest_first(rule, tests):
    """Tests that are named after the rule, by its id or the last half of it, come first."""
    names = (rule["id"].replace("/", "_").replace("-", "_") + "_",
             rule["id"].split("/")[1].replace("-", "_") + "_")
    return sorted(tests, key=lambda test: not test.startswith(names))


def section(rule, tests):
    lines = [f"### {rule['id']}", "", capital(rule["invariant"]) + ".", ""]
    runs = "" if rule["runs"] == "always" else f"; runs {rule['runs']}"
    lines.append(f"* {rule['severity']}; seen in `{rule['level'] or 'pt2 pte ptd'}`{runs}")
    for label, key in (("Otherwise", "reason"), ("Fix", "fix"), ("Example", "example"),
                       ("Upstream", "issue")):
        if rule[key]:
            lines.append(f"* {label}: {capital(rule[key])}")
    named = ", ".join(f"`{test}`" for test in nearest_first(rule, tests))
    lines.append("* Tests: " + (named or "none"))
    return "\n".join(lines) + "\n"


def page(delegraph):
    told = json.loads(subprocess.run([delegraph, "rules", "--format", "json"], check=True,
                                     capture_output=True, text=True).stdout)
    tests = all_tests()
    parts, family = [(TOP / "doc/rules.head.md").read_text(encoding="utf-8")], None
    for rule in told["rules"]:
        if rule["id"].split("/")[0] != family:
            family = rule["id"].split("/")[0]
            parts.append(f"## {family}\n")
        parts.append(section(rule, tests.get(rule["id"], [])))
    parts.append("## Not decidable\n\nKnown invariants that no file can show held or broken, "
                 "or that reading a file decides.\n")
    parts.append("| invariant | why no rule checks it |\n|---|---|\n" + "".join(
        f"| {one['id']} | {one['why']} |\n" for one in told["not_decidable"]))
    untested = [r["id"] for r in told["rules"] if r["id"] not in tests]
    return "\n".join(parts), untested


def main():
    text, untested = page(sys.argv[1])
    path = TOP / "doc/rules.md"
    if "--check" not in sys.argv:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.read_text(encoding="utf-8") != text:
        print("doc/rules.md is not what doc/make_rules.py writes: make update-golden")
        return 1
    if untested:
        print("rules without a test: " + " ".join(untested))
    return bool(untested)


sys.exit(main())
