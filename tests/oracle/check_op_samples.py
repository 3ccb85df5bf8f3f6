"""Operators against torch's own samples, and the table of it that doc/ops.md shows.

Those that differ are told; doc/numerics.md says why.
"""

import argparse
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent


def is_row(line):
    fields = line.split("\t")
    return len(fields) == 5 and all(field.isdigit() for field in fields[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", type=Path, required=True, help="the program check_kernels")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    cases = given.work / "op_cases.bin"
    maker = Path(__file__).with_name("make_op_cases.py")
    subprocess.run([sys.executable, maker, "--extra", "--check", given.check, "--out", cases],
                   check=True)
    told = subprocess.run([given.check, "--table", cases], capture_output=True, text=True,
                          check=False).stdout.splitlines()
    totals = [line for line in told if " cases agree" in line]
    if not totals:
        return 1
    rows = sorted(line for line in told if is_row(line))
    (TOP / "doc/op-samples.tsv").write_text(
        "# op\tdtype\tpassed\tfailed\tskipped: ./dev oracle\n"
        + "".join(f"{row}\n" for row in rows))
    print(*[line for line in told if line.startswith("FAIL")], *totals, sep="\n")
    return subprocess.run([sys.executable, TOP / "doc/make_ops_page.py"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
