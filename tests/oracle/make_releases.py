"""Writes src/base/releases.def: what came with which release of ExecuTorch.

    make_releases.py CHECKOUT > src/base/releases.def

CHECKOUT is a clone of ExecuTorch with its tags; what follows the last tag comes from the
executorch that is installed. Facts are taken from the lists and schemas that the runtime
is built from: kernels (portable, optimized, quantized, prim_ops), the schema of XNNPACK's
graphs, the schemas of programs and data files, and the sources of backends that register
themselves. What is installed has no such sources: a backend that is new in the last
release is of none."""
import os
import re
import subprocess
import sys

RELEASES = ["0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "1.0.0", "1.1.0", "1.2.0",
            "1.3.0", "1.4.0"]
LAST = "1.5.1"  # has no tag
KERNELS = ["kernels/portable/functions.yaml", "kernels/quantized/quantized.yaml",
           "kernels/optimized/optimized.yaml", "kernels/prim_ops/register_prim_ops.cpp"]
XNNPACK = "backends/xnnpack/serialization/runtime_schema.fbs"
# Fields that say what an older runtime would not know of: kind, name, schema, pattern.
FIELDS = [("named_data", "schema/program.fbs", r"\bnamed_data\s*:"),
          ("mutable_data_segments", "schema/program.fbs", r"\bmutable_data_segments\s*:"),
          ("non_const_buffer_device", "schema/program.fbs", r"\bnon_const_buffer_device\s*:"),
          ("tensor_layout", "extension/flat_tensor/serialize/flat_tensor.fbs",
           r"\btensor_layout\s*:"),
          ("named_key", XNNPACK, r"\bnamed_key\s*:"),
          ("scale_buffer_idx", XNNPACK, r"\bscale_buffer_idx\s*:")]


def tagged(checkout, release):
    def read(path):
        found = subprocess.run(["git", "-C", checkout, "show", f"refs/tags/v{release}:{path}"],
                               capture_output=True, text=True, check=False)
        return found.stdout if found.returncode == 0 else ""
    return read


def grep(checkout, release, pattern, *flags):
    found = subprocess.run(
        ["git", "-C", checkout, "grep", "-hE", *flags, pattern, f"refs/tags/v{release}", "--",
         "backends/*.cpp", "backends/*.mm", "backends/*.h", ":!backends/*test*"],
        capture_output=True, text=True, check=False)
    return found.stdout


def backends(checkout, release):
    """Names that backends register under. A name stands there, or is a constant elsewhere."""
    names = set()
    for said in re.findall(r"\bBackend \w+\{([^,]+),",
                           grep(checkout, release, r"\bBackend \w+\{[^,]+,")):
        constant = said.removesuffix(".UTF8String").split("::")[-1].split(".")[-1]
        value = said if '"' in said else grep(
            checkout, release, rf"{constant[1:]}(\[\])?[ =]+@?\"\w+\"")
        found = re.findall(r'"(\w+)"', value)
        if len(set(found)) != 1:
            sys.exit(f"{release}: cannot tell the name of backend {said}: {value}")
        names.add(found[0])
    return names


def lasting_backends(checkout):
    """Those that no later release dropped or named otherwise: (name, first release)."""
    each = [(release, backends(checkout, release)) for release in RELEASES]
    since = {}
    for i, (release, names) in enumerate(each):
        for name in names:
            if all(name in later for _, later in each[i:]):
                since.setdefault(name, release)
    return since


def members(text, kind, name):
    text = re.sub(r"//.*", "", text)
    found = re.search(rf"\b{kind} {name}\b[^{{]*\{{(.*?)\}}", text, re.S)
    return [re.split(r"[:=\s]", word.strip())[0]
            for word in found.group(1).split(",") if word.strip()] if found else []


def operators(text):
    listed = re.findall(r"^- (?:op|func): ([\w:.]+)", text, re.M)
    registered = re.findall(r'"(\w+::[\w.]+)"', text) if "register_prim_ops" in text or \
        "executorch_prim::" in text else []
    return [name if "::" in name else f"aten::{name}" for name in listed + registered]


def facts(read):
    """(kind, name) of all that a release knows."""
    schema = read(XNNPACK)
    known = {("OPERATOR", name) for path in KERNELS for name in operators(read(path))}
    known |= {("NODE", name.removeprefix("XNN"))
              for name in members(schema, "union", "XNodeUnion")}
    known |= {("DATATYPE", name.removeprefix("xnn_datatype_"))
              for name in members(schema, "enum", "XNNDatatype")}
    known |= {("FIELD", name) for name, path, pattern in FIELDS
              if re.search(pattern, read(path))}
    return known


def main():
    since = {}
    for release in RELEASES:
        for fact in facts(tagged(sys.argv[1], release)):
            since.setdefault(fact, release)
    first = RELEASES[0]
    print("""/* Releases of ExecuTorch, and what came with each but the first (of backends, with the
 * first, too: others are of no release): the kind, the name, and the release.
 * tests/oracle/make_releases.py writes it from the lists, schemas and sources of each. */""")
    for release in RELEASES + [LAST]:
        major, minor, _ = release.split(".")
        print(f"RELEASE({major}, {minor})")
    check_installed(since)
    since |= {("BACKEND", name): release
              for name, release in lasting_backends(sys.argv[1]).items()}
    kinds = ["OPERATOR", "NODE", "DATATYPE", "FIELD", "BACKEND"]
    number = lambda text: tuple(int(word) for word in text.split("."))
    for (kind, name), release in sorted(
            since.items(), key=lambda row: (kinds.index(row[0][0]), number(row[1]), row[0][1])):
        if release != first or kind == "BACKEND":
            major, minor, _ = number(release)
            print(f'SINCE({kind}, "{name}", {major}, {minor})')


def check_installed(since):
    """The last release has no tag: what is installed knows the same."""
    import executorch
    from importlib.metadata import version
    if version("executorch") != LAST:
        sys.exit(f"executorch {version('executorch')} is installed, expected {LAST}")
    folder = list(executorch.__path__)[0]

    def read(path):
        path = os.path.join(folder, path)
        return open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    new = facts(read) - set(since)
    if new:
        sys.exit(f"the installed release has more: {sorted(new)}")


if __name__ == "__main__":
    main()
