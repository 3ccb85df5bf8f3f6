"""What a script of the oracle hangs on, but for delegraph: the scripts and tables that it names, and
what is installed."""

import collections
import hashlib
import importlib.metadata
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
TEXTS = ("*.py", "data/*.py", "oracle/**/*.py", "oracle/*.tsv")


def by_name():
    """Files by the name that a script has for them. A package is read as a whole, by its own name:
    its modules may have the names of others."""
    found = collections.defaultdict(set)
    for path in (path for text in TEXTS for path in TESTS.glob(text)):
        package = (path.parent / "__init__.py").exists()
        found[f"{path.parent.name}.py" if package else path.name].add(path)
    return found


def sources_of(script):
    """The script, with scripts that it imports or names and tables that it names, and what these do."""
    known = by_name()
    del known["run_all.py"]
    found, left = set(), [Path(script).name]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(known[name]))
            named = {f"{word}.py" for word in re.findall(r"\b(?:import|from) (\w+)", text)}
            left += known.keys() & (named | set(re.findall(r"\w+\.(?:py|tsv)\b", text)))
    return sorted(path for name in found for path in known[name])


def package():
    """Files of the Python package."""
    return sorted(TESTS.parent.glob("python/delegraph/**/*.py"))


def digest(paths):
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def installed():
    """The interpreter, and the version of each package that it sees."""
    versions = {f"{one.name} {one.version}" for one in importlib.metadata.distributions()}
    return "\n".join([sys.version, *sorted(versions)])
