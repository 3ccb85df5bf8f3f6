"""``delegraph`` of a wheel: the program that lies beside this file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

NATIVE = Path(__file__).with_name("_native")


def main() -> NoReturn:
    """Become the program, with the arguments of this process."""
    program = NATIVE / "delegraph"
    if not program.exists():
        sys.exit(f"delegraph: {program} is not there: this package was not installed from a wheel")
    os.environ["GVBINDIR"] = str(NATIVE / "graphviz")  # its layout, not the system's
    os.execv(program, ["delegraph", *sys.argv[1:]])
