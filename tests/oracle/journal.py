"""What a long check has found so far, so that the next run goes on where this one ended."""

import json
from pathlib import Path


class Journal:
    """Answers by name, a line each; without a path, of this run alone."""

    def __init__(self, path=None):
        self.path = Path(path) if path else None
        self.known = {}
        if self.path and self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                if line.endswith("}"):  # else the run was killed within the line
                    entry = json.loads(line)
                    self.known[entry["name"]] = entry["answer"]

    def answer(self, name, work):
        """What is known of `name`, else what `work` gives, which is kept."""
        if name not in self.known:
            self.known[name] = work()
            if self.path:
                with self.path.open("a", encoding="utf-8") as file:
                    print(json.dumps({"name": name, "answer": self.known[name]}), file=file)
        return self.known[name]
