#!/usr/bin/env python3
"""Hold src/base/ops.def to the packages: make its text again and compare rows."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "data"))
import make_ops  # noqa: E402  (found through the line above)


def rows_by_name(text):
    rows = [line for line in text.splitlines() if line.startswith("OP(")]
    return {row.split('"')[1]: row for row in rows}


def main():
    wanted_text = make_ops.generate()
    found_text = make_ops.default_output().read_text()
    wanted, found = rows_by_name(wanted_text), rows_by_name(found_text)
    differing = sorted(
        name
        for name in wanted.keys() | found.keys()
        if wanted.get(name) != found.get(name)
    )
    for name in differing:
        print(f"{name}\n  packages: {wanted.get(name)}\n  ops.def:  {found.get(name)}")
    if not differing and wanted_text != found_text:
        differing = ["(order of rows, or lines around them)"]
        print(differing[0])
    print(f"{len(wanted)} overloads, {len(differing)} differences")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
