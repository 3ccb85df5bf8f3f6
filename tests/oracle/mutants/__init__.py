"""Right programs with one thing made wrong, and the rule that has to say so."""

import importlib
import json
import pkgutil

MUTANTS = []


class Mutant:
    def __init__(self, rule, edit, files, plan, options, also, name):
        self.rule, self.edit, self.files = rule, edit, files
        self.plan, self.options, self.also, self.name = plan, options, also, name


def mutant(rule, *files, plan=None, options=(), also=(), name=None):
    """Registers an edit of `files` (of tests/data; the first is the program) that breaks
    `rule`. The edit gets them opened (see mutate.py), and the plan where there is one; it may
    give others in their place. `plan` is what plan_of() makes. `also`: what the right program
    is told, too."""

    def add(edit):
        MUTANTS.append(Mutant(rule, edit, files, plan, options, also, name or edit.__name__))
        return edit

    return add


def aoti(method="forward", backend="CudaBackend"):
    specs = [
        {"key": "method_name", "value": method},
        {"key": "target_device", "value": "cuda:0"},
    ]
    return {"backend": backend, "compile_specs": specs}


def plan_of(tags, backend="CudaBackend", method="forward"):
    """The text of a plan for one method: {tag: "names of nodes"}."""
    named = {node: tag for tag, nodes in tags.items() for node in nodes.split()}
    delegates = {tag: aoti(method, backend) for tag in tags}
    body = {method: {"delegates": delegates, "tags": named}}
    return json.dumps({"format": "delegraph-plan", "version": 1, "methods": body})


def all_mutants():
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        importlib.import_module(f"{__name__}.{module.name}")
    return MUTANTS
