#!/usr/bin/env python3
"""Writes doc/ops.md: ops.head.md, then the rows of kernels/list/*.h with how many samples
of torch's operator database they agree with (op-samples.tsv, from `./dev oracle`).

usage: make_ops_page.py [--check]

With --check it writes nothing and fails when the page is not what it would write.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FIRST_LINE = re.compile(r"/\* (.*?)\.? ?\*/", re.S)
ROW = re.compile(r'^(KERNEL|VIEW)\(\s*("(?:[^"\\]|\\.)*"[^;]*?)\)\s*$', re.M | re.S)
TYPES = {"FLOAT": "floats", "INTEGER": "integers", "BOOL": "bool", "NUMBER": "floats, integers",
         "ANY": "any", "NONE": "scalars"}


def complex_kernels():
    """Of those that also take complex numbers."""
    text = (TOP / "kernels/list/complex.h").read_text(encoding="utf-8")
    return set(re.findall(r"^(?:COMPLEX|ITSELF)\((\w+)", text, re.M))


COMPLEX = complex_kernels()


def rows(text):
    for kind, body in ROW.findall(text):
        fields = [f.strip() for f in re.findall(r'"[^"]*"|[^,"\s][^,"]*', body)]
        op = fields[0].strip('"')
        source = " ".join(f.strip('"') for f in fields if f.startswith('"'))[len(op):].strip()
        also = ", complex" if kind == "VIEW" or fields[1] in COMPLEX else ""
        if kind == "VIEW":
            yield op, True, True, "any" + also, "exact", source
        else:
            cuda, tolerance, types = fields[2:5]
            yield op, True, cuda != "none" or types == "NONE", TYPES[types] + also, tolerance.lower(), source


def samples():
    found = {}
    path = TOP / "doc/op-samples.tsv"
    if not path.exists():
        return found
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line:
            continue
        op, _, passed, failed, skipped = line.split("\t")
        counts = found.setdefault(op, [0, 0, 0])
        for i, count in enumerate((passed, failed, skipped)):
            counts[i] += int(count)
    return found


def agreement(counts):
    if not counts:
        return ""
    passed, failed, skipped = counts
    words = f"{passed} of {passed + failed}"
    return words + (f", {skipped} not run" if skipped else "")


def inside():
    """Nodes of XNNPACK delegates: how many of each kind and type ran as ExecuTorch's runtime does."""
    text = (TOP / "kernels/xnnpack/list.h").read_text(encoding="utf-8")
    tolerance = {kind: t.lower() for kind, t in
                 re.findall(r"^KIND\((\w+), \w+, \d+, (\w+)\)$", text, re.M)}
    ran = {}
    for line in (TOP / "doc/xnnpack-runs.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, types, n = line.split("\t")
            ran.setdefault(kind, []).append(f"{types}: {int(n):,}")
    lines = ["## Nodes of XNNPACK delegates", "", (TOP / "doc/xnnpack.head.md").read_text(encoding="utf-8"),
             "| kind | tolerance | types that nodes of it took and gave: how many ran as the runtime |",
             "|---|---|---|"]
    lines += [f"| `{kind}` | {tolerance[kind]} | {'; '.join(ran.get(kind, []))} |"
              for kind in sorted(tolerance)]
    return "\n".join(lines) + "\n"


def page():
    families = re.findall(r'"(kernels/list/\w+\.h)"',
                          (TOP / "kernels/list.h").read_text(encoding="utf-8"))
    told, parts, n, n_cuda = samples(), [], 0, 0
    for family in families:
        text = (TOP / family).read_text(encoding="utf-8")
        parts.append("## " + FIRST_LINE.search(text).group(1).rstrip(".") + "\n")
        parts.append("| operator | CPU | CUDA | types | tolerance | defined by | torch agrees |\n"
                     "|---|---|---|---|---|---|---|")
        for op, _, cuda, types, tolerance, source in rows(text):
            n, n_cuda = n + 1, n_cuda + cuda
            parts.append(f"| `{op}` | yes | {'yes' if cuda else ''} | {types} | {tolerance} | "
                         f"{source} | {agreement(told.get(op))} |")
        parts.append("")
    head = (TOP / "doc/ops.head.md").read_text(encoding="utf-8")
    total = [sum(c[i] for c in told.values()) for i in range(3)]
    head = head.replace("@OPS@", str(n)).replace("@CUDA@", str(n_cuda))
    head = head.replace("@PASSED@", f"{total[0]:,}").replace("@CASES@", f"{sum(total[:2]):,}")
    return head + "\n" + "\n".join(parts) + "\n" + inside()


def main():
    path = TOP / "doc/ops.md"
    if "--check" not in sys.argv:
        path.write_text(page(), encoding="utf-8")
        return 0
    if path.read_text(encoding="utf-8") != page():
        print("doc/ops.md is not what doc/make_ops_page.py writes: make update-golden")
        return 1
    return 0


sys.exit(main())
