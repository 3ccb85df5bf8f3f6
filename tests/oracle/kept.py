"""What the real toolchain made for a part, kept from run to run.

It hangs on scripts and on what is installed, never on delegraph: a changed delegraph is held to the
same programs, and these are not made again."""

import hashlib
import json
import shutil
import tempfile
import urllib.parse
from pathlib import Path

import sources


class Kept:
    """Folders by name below `work`; without one, of this run alone. They are all dropped where the
    script, one that it names, `others` or an installed package is another than when they were made.
    Tables that it names only judge."""

    def __init__(self, work, script, others=()):
        self._scratch = None if work else tempfile.TemporaryDirectory()
        self.work = Path(work or self._scratch.name).resolve()
        makers = [path for path in sources.sources_of(script) if path.suffix == ".py"]
        key = sources.digest([*makers, *others])
        key = hashlib.sha256(f"{key}\n{sources.installed()}".encode()).hexdigest()
        known = self.work / "key"
        if not known.exists() or known.read_text() != key:
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir(parents=True)
            known.write_text(key)

    def folder(self, name, make):
        """The folder of that name, and what make(folder) gave when it filled it, which JSON can hold."""
        folder = self._of(name)
        told = folder / "told.json"
        if not told.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
            folder.mkdir()
            answer = json.dumps(make(folder))
            unfinished = told.with_suffix(".part")
            unfinished.write_text(answer, encoding="utf-8")
            unfinished.rename(told)
        return folder, json.loads(told.read_text(encoding="utf-8"))

    def forget(self, name):
        """The folder of that name is made anew when it is asked for."""
        shutil.rmtree(self._of(name), ignore_errors=True)

    def _of(self, name):
        return self.work / urllib.parse.quote(name, safe=" ")
