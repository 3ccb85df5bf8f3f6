"""Run what the pages show of Python beside torch and data frames, and load a program 10,000 times.

    check_python.py --delegraph PROGRAM --library FILE [--loads N] [--update]

Cells of doc/lowering.ipynb must print what stands in it, and the blocks of doc/python.md that a block
of text follows, that text. --update writes what they print there instead.
"""

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import nbclient
import nbformat

TOP = Path(__file__).resolve().parent.parent.parent
NOTEBOOK, PAGE = TOP / "doc" / "lowering.ipynb", TOP / "doc" / "python.md"
MOST_GROWTH = 4 << 20  # bytes, of 10,000 loads
MOST_IMPORT = 0.6  # of what `import numpy` takes


def settled(outputs):
    """Text of a stream comes in pieces, through a terminal; standard error is not kept, nor what
    differs from run to run or only repeats the text."""
    kept = []
    for output in outputs:
        if output.output_type == "stream":
            if output.name != "stdout":
                continue
            output.text = output.text.replace("\r\n", "\n")
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += output.text
                continue
        else:
            output.data.pop("text/html", None)
            output.metadata = {}
            if "execution_count" in output:
                output.execution_count = None
        kept.append(output)
    return kept


def words(output):
    """What must be the same: layouts of pictures differ between versions of Graphviz."""
    return output.get("text") or output.get("data", {}).get("text/plain") or str(output)


def check_notebook(update):
    notebook = nbformat.read(NOTEBOOK, 4)
    shown = [[words(output) for output in cell.get("outputs", ())] for cell in notebook.cells]
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                                resources={"metadata": {"path": folder}}).execute()
    n_faults = 0
    for cell, wanted in zip(notebook.cells, shown):
        if cell.cell_type != "code":
            continue
        cell.metadata, cell.execution_count = {}, None
        cell.outputs = settled(cell.outputs)
        got = [words(output) for output in cell.outputs]
        if got != wanted and not update:
            n_faults += 1
            print(f"{NOTEBOOK.name}: {cell.source.splitlines()[0]}: {got}, not {wanted}")
    if update:
        notebook.metadata.language_info = {"name": "python"}
        nbformat.write(notebook, NOTEBOOK)
    return sum(cell.cell_type == "code" for cell in notebook.cells), n_faults


def check_page(update):
    """Blocks of Python before a block of text, in one namespace, in the folder of the checkout."""
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(r"^```python\n(?!>>>)(.*?)^```\n+```text\n(.*?)^```$", re.M | re.S)
    names, n_faults, n_blocks = {}, 0, 0

    def run(block):
        nonlocal n_faults, n_blocks
        code, wanted = block.groups()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)  # noqa: S102
        got = "".join(f"{line.rstrip()}\n" for line in printed.getvalue().rstrip().splitlines())
        n_blocks += 1
        if got != wanted and not update:
            n_faults += 1
            print(f"{PAGE.name}: {code.splitlines()[0]}: got\n{got}instead of\n{wanted}")
        return f"```python\n{code}```\n\n```text\n{got}```"

    text = pattern.sub(run, text)
    if update:
        PAGE.write_text(text, encoding="utf-8")
    return n_blocks, n_faults


REFUSED = {  # exit code and words, of what `python -m delegraph.torch lower` is given
    "tests/data/edge_exir.pt2": (3, "an edge program, of exir.save()"),
    "tests/data/README.md": (3, "README.md: torch.export.load: "),
    "none.pt2": (3, "none.pt2: torch.export.load: "),
}


def check_refusals():
    from delegraph.torch.__main__ import main as lower

    n_faults = 0
    for path, (code, words) in REFUSED.items():
        said = io.StringIO()
        with contextlib.redirect_stderr(said), tempfile.TemporaryDirectory() as folder:
            got = lower(["lower", path, "--backend", "xnnpack", "-o", folder])
        if got != code or words not in said.getvalue():
            n_faults += 1
            print(f"lower {path}: exit {got}: {said.getvalue()}")
    return n_faults


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def check_loads(n_loads):
    """Bytes that loads, checks and queries leave behind."""
    import delegraph

    def load():
        with delegraph.load("tests/data/tiny.pte") as program:
            program.query("SELECT name FROM v_node")
            program.check()

    for _ in range(200):
        load()
    before = resident()
    for _ in range(n_loads):
        load()
    return resident() - before


def time_import(module):
    """Processor time of importing it, in seconds; the least of ten."""
    words = f"import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
    return min(float(subprocess.run([sys.executable, "-c", words], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout) for _ in range(10))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--loads", type=int, default=10_000)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    os.environ["DELEGRAPH_LIBRARY"] = str(given.library.resolve())
    os.environ["DELEGRAPH_PROGRAM"] = str(given.delegraph.resolve())
    os.environ["PATH"] = f"{given.delegraph.resolve().parent}:{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = str(TOP / "python")
    sys.path.insert(0, str(TOP / "python"))
    os.chdir(TOP)
    warnings.simplefilter("ignore")
    n_cells, n_wrong_cells = check_notebook(given.update)
    n_blocks, n_wrong_blocks = check_page(given.update)
    n_refused_wrong = check_refusals()
    left, took = check_loads(given.loads), time_import("delegraph")
    share = took / time_import("numpy")
    print(f"python: {n_cells} cells, {n_wrong_cells} differ; {n_blocks} blocks, {n_wrong_blocks} "
          f"differ; {n_refused_wrong} of {len(REFUSED)} refusals wrong; {given.loads} loads leave "
          f"{left >> 10} KiB; import {1000 * took:.0f} ms, {share:.2f} of numpy's")
    fine = not (n_wrong_cells or n_wrong_blocks or n_refused_wrong) and n_cells and n_blocks
    return 0 if fine and left < MOST_GROWTH and share < MOST_IMPORT else 1


if __name__ == "__main__":
    sys.exit(main())
