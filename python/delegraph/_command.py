"""``delegraph`` of a wheel: the program that lies beside this file."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from delegraph._program import NATIVE, environment


def main() -> NoReturn:
    """Become the program, with the arguments of this process."""
    program = NATIVE / "delegraph"
    if not program.exists():
        sys.exit(
            f"delegraph: {program} is not there: this package was not installed from a wheel"
        )
    os.execve(program, ["delegraph", *sys.argv[1:]], environment())
