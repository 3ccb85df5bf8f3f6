"""Programs whose every name has control characters, through all verbs and formats."""

import csv
import json
import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

MARKS = ["=\x1b[31m\u202e", "+\u0085\u200b", "@\u2066\x7f", "-\ufeff\x01", "\t\u200e", "\r\u061c"]
RAW = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
KINDS = (
    "nodes values delegates segments constants ops named-data methods graphs arenas signature"
).split()
FORMS = {
    "info": ["--format text", "-v", "--format json", "--memory", "--hash --format json"],
    "ls": [f"--what {kind} --format {form}" for kind in KINDS for form in ("text", "plain", "json", "jsonl", "csv")]
    + ["--tree", "--tree --format json", "--tree --format csv", "--tree --format plain"],
    "check": ["", "-v", "--format json", "--for executorch", "--ops portable", "--timing"]
    + [f"--backends none --format {form}" for form in "jsonl csv md sarif junit github gitlab".split()],
    "partition": ["", "-v", "--format json", "--backend xnnpack", "-o -", "--mode aoti --lower"],
    "explain": ["", "-v", "--format json", "--backend xnnpack", "--backend vulkan --format json"],
    "run": ["--seed 1", "--seed 1 -v", "--seed 1 --format json", "--seed 1 --each", "--seed 1 --isolate --format json"],
    "devices": ["", "-v", "--format json"],
    "dot": [f"--view {view} {form}" for view in ("graph", "modules", "partitions", "devices", "calls")
            for form in ("", "-T svg", "-T svg --layout plain")],
    "report": ["--format html", "--format md", "--format text", "--format md -v"],
}
QUERIES = "@inputs @outputs @ops @kernels @modules @sources @delegates @size @constants @named-data @remarks".split()
NAMES = ["#1", "#2", "value#1", "value#2", "delegate#1", "op#1", "segment#1", "constant#1", "method#1"]


def marked(name, number=0):
    return MARKS[(len(name) + number) % len(MARKS)] + name


def marked_bytes(name):
    """The same, no longer than the name was."""
    text = marked(name.decode(), len(name)).encode()[: len(name)].decode(errors="ignore").encode()
    return text + b"x" * (len(name) - len(text))


def hostile_pte(source, path, operators):
    """Each string of the FlatBuffer, with its length before it and NUL behind it."""
    data = bytearray(source.read_bytes())
    for match in re.finditer(rb"[\x20-\x7e]{2,}\0", bytes(data)):
        at, name = match.start(), match.group()[:-1]
        is_string = at >= 12 and struct.unpack_from("<I", data, at - 4)[0] == len(name)
        if is_string and (operators or not (b"::" in name or name == b"out")):
            data[at : at + len(name)] = marked_bytes(name)
    path.write_bytes(data)


def names_of(value, found):
    """What nodes, values, weights and inputs are called; not the arguments of operators."""
    if isinstance(value, dict):
        for key in ("name", "parameter_name", "buffer_name", "tensor_constant_name", "fqn"):
            if isinstance(value.get(key), str) and value[key] and "kind" not in value:
                found.add(value[key])
        for one in value.values():
            names_of(one, found)
    elif isinstance(value, list):
        for one in value:
            names_of(one, found)


def renamed(value, names):
    if isinstance(value, dict):
        if "kind" in value and "arg" in value:
            return {**value, "arg": renamed(value["arg"], names)}
        return {
            key if key == "name" or key not in names else marked(key): marked_metadata(one)
            if key == "metadata" else renamed(one, names)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    return marked(value) if value in names and isinstance(value, str) else value


def marked_metadata(value):
    return {key: marked(one) if key == "stack_trace" else one.replace(",,", ",," + MARKS[0][1:])
            for key, one in value.items()}


def hostile_pt2(source, path, operators):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        model = next(name for name in old.namelist() if "models/" in name)
        names = set()
        names_of(json.loads(old.read(model)), names)
        for name in old.namelist():
            data = old.read(name)
            if name.endswith(".json"):
                data = json.dumps(renamed(json.loads(data), names), ensure_ascii=False)
                data = re.sub("torch.ops.aten", "torch.ops.my\u202e\x7f", data) if operators else data
            new.writestr(name, data)
        new.writestr("archive/extra/" + marked("note"), "text")


def check_csv(text):
    for row in csv.reader(text.splitlines()):
        for cell in row:
            if re.match(r"[=+@\-\t\r]", cell) and not re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?|-inf", cell):
                return f"a cell begins like a formula: {cell!r}"
    return None


def wrong_of(form, run):
    text = (run.stdout + b"\n" + run.stderr).decode(errors="replace").replace("\r\n", "\n")
    raw = RAW.search(text)
    if raw:
        return f"{raw.group()!r} leaves raw in {text[max(raw.start() - 60, 0):raw.end() + 20]!r}"
    if run.returncode not in (0, 1, 2, 3, 4):
        return f"exit {run.returncode}"
    return check_csv(run.stdout.decode()) if "csv" in form else None


def commands(path, clean):
    for verb, forms in FORMS.items():
        for form in forms:
            yield [verb, path, *form.split()], form
    for query in QUERIES:
        for form in ("text", "csv", "json"):
            yield ["query", path, query, "--format", form], form
    for name in NAMES:
        for form in ("text", "json"):
            yield ["show", path, name, "--format", form], form
    yield ["show", path, marked("no such name")], ""
    yield ["query", path, "SELECT 1 AS '=\x1b\u202e', -1, '-1', '=1'", "--format", "csv"], "csv"
    yield ["query", path, "SELECT '\x1b\u202e' AS '\u200b' FROM \u202e"], ""
    for form in "text", "json", "md":
        yield ["diff", path, clean, "--format", form], form
        yield ["diff", clean, path, "--format", form], form
    yield ["load", path, "-o", "out.db"], ""
    yield ["info", path + marked(".none")], ""


def main(delegraph, data):
    failures = 0
    for source in sys.argv[3:]:
        for operators in False, True:
            path = f"{marked('program')}-{operators}-{source}".replace("\r", "").replace("/", "")
            make = hostile_pte if source.endswith(".pte") else hostile_pt2
            make(Path(data) / source, Path(path), operators)
            for words, form in commands(path, str(Path(data) / source)):
                run = subprocess.run([delegraph, *words], capture_output=True, timeout=120)
                wrong = wrong_of(form, run)
                if wrong:
                    failures += 1
                    print(f"FAILED: {words!r}: {wrong}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
