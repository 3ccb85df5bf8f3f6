"""doc/performance.md: what ./dev bench measured, on which machine, with which versions."""
import importlib.metadata
import os
import pathlib
import platform
import re
import subprocess

HEAD = """# Performance

`./dev bench` measures this and writes this page; a name of a program is one of `tests/data` or made from
one. Times of delegraph are whole processes, from start to exit; those of libraries are warm calls in a
running Python, without their start. Where the environment of the oracle is not there (`DELEGRAPH_ORACLE_VENV`),
the rows beside them are missing. Programs that run beside torch lie in memory, as its weights do, where
there is a file system for that. Ratios are of one run on one machine; absolute times are that machine's.

"""


def first_match(path, pattern):
    try:
        found = re.search(pattern, pathlib.Path(path).read_text(), re.M)
    except OSError:
        return None
    return found and found.group(1).strip()


def version_of(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout or done.stderr).strip().splitlines()[0]


def python_versions(venv):
    for folder in pathlib.Path(venv or os.devnull).glob("lib/python*/site-packages"):
        for found in importlib.metadata.distributions(path=[str(folder)]):
            if found.metadata["Name"] in ("torch", "executorch", "pte-adapter-model-explorer"):
                yield f"{found.metadata['Name']} {found.version}"


def machine(delegraph):
    memory = int(first_match("/proc/meminfo", r"MemTotal:\s*(\d+)") or 0) / (1 << 20)
    processor = first_match("/proc/cpuinfo", r"model name\s*:\s*(.*)") or platform.machine()
    yield f"{os.cpu_count()} x {processor}, {memory:.0f} GiB"
    yield f"{first_match('/etc/os-release', r'PRETTY_NAME=.(.*).$') or platform.system()}"
    for command in ([delegraph, "--version"], ["gcc", "--version"], ["dot", "-V"]):
        found = version_of(command)
        if found:
            yield found
    yield from sorted(set(python_versions(os.environ.get("DELEGRAPH_ORACLE_VENV"))))


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def cells(row):
    if "error" in row:
        return row["name"], f"failed: {row['error'].splitlines()[0]}", "", ""
    sign = "at most" if row["at_most"] else "at least"
    aim = "" if row["target"] is None else f"{sign} {number(row['target'])}"
    return (row["name"].strip(), f"{number(row['value'])} {row['unit']}".strip(), aim,
            "" if row["met"] is None else "met" if row["met"] else "**missed**")


def write(path, delegraph, rows):
    lines = [HEAD, "Measured on: " + "; ".join(machine(delegraph)) + ".\n\n",
             "| what | measured | aim | |\n|---|---|---|---|\n"]
    # Rules of less than 10 ms say nothing.
    shown = [row for row in rows if "error" in row or row["target"] is None
             or row["unit"] != "s" or row["value"] >= 0.01 or row["met"] is False]
    lines += ["| " + " | ".join(cells(row)) + " |\n" for row in shown]
    path.write_text("".join(lines))
