"""Assertions for tests of models, whose failures read as delegraph's messages.

>>> from delegraph.pytest import assert_same_numbers, assert_sound
>>> assert_sound("tests/data/tiny.pte", file_size=10_000)
>>> assert_same_numbers("tests/data/mlp.pt2", "tests/data/mlp.pt2")
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from delegraph import _ask_program

__all__ = ["assert_same_numbers", "assert_sound"]


@contextlib.contextmanager
def _as_file(program: Any) -> Iterator[str]:
    """A path, or a program of Python as a file for as long as it takes."""
    if isinstance(program, (str, os.PathLike)):
        yield os.fspath(program)
        return
    with tempfile.TemporaryDirectory() as folder:
        if hasattr(program, "buffer"):  # ExecuTorch's manager of a program
            path = Path(folder) / "program.pte"
            path.write_bytes(program.buffer)
        elif hasattr(program, "graph_module"):
            from delegraph.torch.plans import save_program

            path = Path(folder) / "program.pt2"
            save_program(program, path)
        else:
            raise TypeError(
                f"expected a path, an ExportedProgram or an ExecutorchProgramManager, not"
                f" {type(program).__name__}"
            )
        yield str(path)


def assert_sound(program: Any, **budgets: object) -> None:
    """No rule of severity error fires, and budgets hold.

    Parameters
    ----------
    program : str, os.PathLike, ExportedProgram or ExecutorchProgramManager
        What ``delegraph check`` reads, or what it can be saved as.
    **budgets
        Rules of the family ``budget``: ``file_size=1_000_000``, ``peak_memory="256KiB"``.

    Raises
    ------
    AssertionError
        With the text of ``delegraph check``.
    """
    __tracebackhide__ = True
    limits = [f"{name.replace('_', '-')}={most}" for name, most in budgets.items()]
    with _as_file(program) as path:
        code, answer, told = _ask_program(
            "check", path, {"limit": limits, "no_config": True}
        )
    if code:
        raise AssertionError("\n".join(filter(None, (answer.strip(), told))))


def assert_same_numbers(program: Any, other: Any, **options: object) -> None:
    """Both give the same outputs for the same inputs, but for rounding.

    Parameters
    ----------
    program, other : str, os.PathLike, ExportedProgram or ExecutorchProgramManager
        ``other`` is judged by ``program``.
    **options
        Those of ``delegraph run``: ``inputs="in.npz"``, ``rtol=1e-3``, ``bisect=True``.

    Raises
    ------
    AssertionError
        With the text of ``delegraph run --against``.
    """
    __tracebackhide__ = True
    with _as_file(program) as path, _as_file(other) as against:
        code, answer, told = _ask_program("run", path, {**options, "against": against})
    if code:
        raise AssertionError("\n".join(filter(None, (answer.strip(), told))))
