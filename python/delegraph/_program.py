"""The program ``delegraph``, as a process of its own: what draws and executes stays outside
of the caller's, and a command line has the same answer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

NATIVE = Path(__file__).with_name("_native")
GRAPHVIZ = NATIVE / "graphviz"
WORTH_A_WORD = {"allow_single_node"}  # --allow-single-node true|false; others are flags


def environment() -> dict[str, str]:
    """In which the program of a wheel has the wheel's layout, not the system's."""
    return (
        {**os.environ, "GVBINDIR": str(GRAPHVIZ)}
        if GRAPHVIZ.exists()
        else {**os.environ}
    )


def find() -> str | None:
    """Where it is: as told, beside this file, or on the PATH."""
    told, beside = os.environ.get("DELEGRAPH_PROGRAM"), NATIVE / "delegraph"
    return told or (str(beside) if beside.exists() else shutil.which("delegraph"))


def words_of(options: dict[str, Any]) -> list[str]:
    """Options of a verb: ``min_snr=40`` is ``--min-snr 40``, ``tf32=True`` is ``--tf32``.

    None, and a flag that is False, are left out; a list is the option several times.
    """
    words: list[str] = []
    for name, given in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in given if isinstance(given, (list, tuple)) else [given]:
            if isinstance(one, bool) and name in WORTH_A_WORD:
                words += [option, str(one).lower()]
            elif one is True:
                words.append(option)
            elif one is not None and one is not False:
                words += [
                    option,
                    os.fspath(one) if isinstance(one, os.PathLike) else str(one),
                ]
    return words


def run(verb: str, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    program = find()
    if program is None:
        return (
            4,
            "",
            (
                "the program delegraph is not here: install a wheel of this package, or name it in"
                " DELEGRAPH_PROGRAM"
            ),
        )
    try:
        done = subprocess.run(
            [program, verb, *words],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment(),
            check=False,
        )
    except OSError as problem:
        return 4, "", f"{program}: cannot run it: {problem.strerror}"
    told = done.stderr.decode(errors="replace").strip()
    return (
        done.returncode,
        done.stdout.decode(errors="replace"),
        told.removeprefix("delegraph: "),
    )
