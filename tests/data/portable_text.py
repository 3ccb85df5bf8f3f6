"""Keeps what belongs to one machine or one run out of programs."""

import base64
import io
import re
import zipfile

import torch
from executorch.exir.lowered_backend_module import LoweredBackendModule

MACHINE_PATH = re.compile(rb"/(?:work|root|usr|home|tmp|opt|build)/|site-packages|[Cc]onda\d*[/-]")
OWN_FILES = {"programs.py", "architectures.py", "random_programs.py"}
SOURCE_LINE = re.compile(r'File "([^"]*)", line (\d+), in (\S+)')
GENERATED_NUMBER = re.compile(r"(?<=<eval_with_key>)\.\d+")  # counts what ran before
BASE64_TEXT = re.compile(rb"[A-Za-z0-9+/]{200,}={0,2}")


def graphs_within(module):
    """The graphs of a module, of its branches, and of what it has delegated."""
    if isinstance(module, LoweredBackendModule):
        module = module.original_module.graph_module
    if isinstance(module, torch.fx.GraphModule):
        yield module.graph
    for child in module.children():
        yield from graphs_within(child)


def bare_name(path):
    name = path.rsplit("/", 1)[-1]
    if name in OWN_FILES:
        return "model.py"
    return GENERATED_NUMBER.sub(".0", name)


def bare_source_line(match):
    return f'File "{bare_name(match[1])}", line {match[2]}, in {match[3]}'


def source_lines(trace, longest):
    """The last frames of a trace, with bare file names."""
    frames = re.split(r'(?=File ")', trace)[1:][-longest:]
    return SOURCE_LINE.sub(bare_source_line, "".join(frames))


def make_portable(program, longest_trace=2):
    """Drop object ids and file names from the metadata of every node."""
    for graph in graphs_within(program.graph_module):
        for node in graph.nodes:
            node.meta.pop("from_node", None)
            if node.meta.get("stack_trace"):
                node.meta["stack_trace"] = source_lines(node.meta["stack_trace"], longest_trace)
    return program


def with_fixed_dates(data):
    """The same archive as Python's zipfile writes it, without the time of writing."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            new.writestr(zipfile.ZipInfo(entry.filename), old.read(entry))
    return out.getvalue()


def machine_paths_in(data, depth=4):
    """Paths of a machine in a file: in ZIP entries and in base64 text, too."""
    found = {match.decode() for match in MACHINE_PATH.findall(data)}
    if depth and data[:4] == b"PK\3\4":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                found |= machine_paths_in(archive.read(name), depth - 1)
    elif depth:
        for text in BASE64_TEXT.findall(data):
            found |= machine_paths_in(base64.b64decode(text + b"=" * (-len(text) % 4)), depth - 1)
    return found
