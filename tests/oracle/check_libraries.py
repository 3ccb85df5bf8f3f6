#!/usr/bin/env python3
"""What delegraph reads of AOTInductor's code against who made it: packages of torch's compiler for
the CPU against binutils and torch's own loader, GPU code of nvcc for each architecture against what
ptxas says of it.

    check_libraries.py --delegraph PROGRAM [--seed N]

Exits with 1 where one differs, or where a package that torch loads and runs has an error.
"""

import argparse
import io
import json
import random
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

warnings.simplefilter("ignore")
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "data"))

import torch
from torch.export.pt2_archive._package import PT2ArchiveWriter

import programs

ARCHITECTURES = ("75", "80", "86", "87", "89", "90", "90a", "100", "100a", "100f", "103a", "110",
                 "120", "121")
MODES = (
    {},
    {"package_constants_in_so": False, "package_constants_on_disk_format": "pickle_weights"},
    {"package_constants_in_so": False, "package_constants_on_disk_format": "binary_blob"},
    {"force_mmap_weights": True},
)
NETWORKS = ("mlp", "conv_net", "no_grad", "attention", "squeeze", "gate", "tied_weights",
            "key_value_cache", "multi_output")
LEAST = 6  # packages that torch's compiler must make


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def query(delegraph, path, sql):
    return json.loads(run(delegraph, "query", path, sql, "--format", "json"))["rows"]


def rows(delegraph, path, what):
    return json.loads(run(delegraph, "ls", path, "-w", what, "--format", "json"))[
        what.replace("-", "_")]


class Faults:
    def __init__(self):
        self.n, self.n_compared = 0, 0

    def compare(self, what, got, want):
        self.n_compared += 1
        if got != want:
            self.n += 1
            print(f"{what}: {got!r}; expected {want!r}", flush=True)


def symbols_of(library):
    """(name, version or None, kind) as readelf prints them."""
    found = []
    for line in run("readelf", "--dyn-syms", "-W", library).splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit():
            continue
        name, _, version = words[7].partition("@")
        undefined = words[6] == "UND"
        kind = "defined" if not undefined else "weak" if words[4] == "WEAK" else "undefined"
        found.append((name, version.lstrip("@") if undefined and version else None, kind))
    return sorted(found, key=str)


def check_object(faults, delegraph, path, library, name):
    """The shared object of a package against binutils."""
    told = rows(delegraph, path, "libraries")[0]
    dynamic = run("readelf", "-dW", library)
    needs = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    faults.compare(f"{name}: needs", told["needs"], needs)
    build = re.search(r"Build ID: (\w+)", run("readelf", "-nW", library))
    faults.compare(f"{name}: build id", told["build_id"], build[1] if build else None)
    wanted = symbols_of(library)
    got = [(s["name"], s["version"], s["kind"]) for s in rows(delegraph, path, "library-symbols")]
    faults.compare(f"{name}: symbols", sorted(got, key=str), wanted)
    versions = [tuple(map(int, v.split("."))) for v in
                re.findall(r"Name: GLIBC_([0-9.]+)", run("readelf", "-VW", library))]
    faults.compare(f"{name}: glibc", tuple(map(int, told["glibc"].split("."))), max(versions))
    return told


def check_constants(faults, delegraph, path, name, told, program):
    """Names and sizes against the program, and what torch's loader says of the package."""
    got = {c["fqn"]: c["nbytes"] for c in rows(delegraph, path, "library-constants")
           if not c["folded"]}
    loaded = torch._inductor.aoti_load_package(str(path))
    known = set(loaded.get_constant_fqns())
    faults.compare(f"{name}: names of constants", set(got), known)
    tensors = {**program.state_dict, **program.constants}
    # mkldnn keeps weights in a layout of its own, which may take more.
    for fqn, nbytes in got.items():
        if fqn in tensors:
            least = tensors[fqn].untyped_storage().nbytes()
            faults.compare(f"{name}: bytes of {fqn}", nbytes >= least, True)
    aligned = sum(-(-nbytes // 64) * 64 for nbytes in got.values())
    if told["weights"]:
        has = told["weights_bytes"] or told["constants_bytes"]
        faults.compare(f"{name}: bytes of constants", has - 8 * (told["weights"] == "appended"),
                       aligned)
    return loaded


def shims_file(folder):
    """What libtorch exports."""
    text = ""
    for library in (Path(torch.__file__).parent / "lib").glob("libtorch*.so"):
        text += run("nm", "-D", "--defined-only", "-j", str(library))
    names = sorted({line.split("@")[0] for line in text.split() if line.isascii()})
    path = folder / "shims.txt"
    path.write_text("\n".join(n for n in names if re.match("(aoti|torch)_", n)))
    return path


def findings(delegraph, path, *options, select="library"):
    text = subprocess.run([delegraph, "check", path, "--format", "json", "--exit-zero",
                           "--select", select, *options], capture_output=True, text=True).stdout
    return [f["rule"] for f in json.loads(text)["findings"]]


def compiled(folder, name, sample, mode):
    """The program, and the package of it."""
    program = torch.export.export(sample.module, sample.args, sample.kwargs or None)
    path = folder / f"{name}.pt2"
    settings = {f"aot_inductor.{key}": value for key, value in mode.items()}
    torch._inductor.aoti_compile_and_package(program, package_path=str(path),
                                             inductor_configs=settings)
    return program, path


def check_package(faults, delegraph, folder, name, mode, shims):
    sample = getattr(programs, name)()
    try:
        program, path = compiled(folder, name, sample, mode)
    except Exception as error:  # what torch's compiler cannot do
        print(f"{name}: not made: {type(error).__name__}", flush=True)
        return 0
    with zipfile.ZipFile(path) as archive:
        entry = next(n for n in archive.namelist() if n.endswith(".wrapper.so"))
        library = folder / "library.so"
        library.write_bytes(archive.read(entry))
    told = check_object(faults, delegraph, path, str(library), name)
    loaded = check_constants(faults, delegraph, path, name, told, program)
    if mode.get("package_constants_on_disk_format") == "pickle_weights":
        tensors = {**program.state_dict, **program.constants}
        known = loaded.get_constant_fqns()
        loaded.load_constants({fqn: tensors[fqn] for fqn in known if fqn in tensors},
                              check_full_update=False)
    loaded(*sample.args, **sample.kwargs or {})
    glibc = ".".join(map(str, torch_glibc()))
    faults.compare(f"{name}: errors of what torch runs",
                   findings(delegraph, path, "--shims", shims, "--glibc", glibc), [])
    fewer = folder / "fewer.txt"
    fewer.write_text(shims.read_text().replace("aoti_torch_delete_tensor_object\n", ""))
    faults.compare(f"{name}: a runtime that lacks one function",
                   findings(delegraph, path, "--shims", fewer), ["library/shim"])
    faults.compare(f"{name}: an older glibc", findings(delegraph, path, "--glibc", "2.5"),
                   ["library/glibc"])
    print(f"{name}: {told['weights'] or 'no'} constants, compared", flush=True)
    return 1


def torch_glibc():
    import platform
    return map(int, platform.libc_ver()[1].split("."))


def random_kernel(number, rng):
    """Source with shared memory, registers and stack of random amounts."""
    shared, live, stack = rng.choice([0, 32, 300, 1024]), rng.randint(1, 40), rng.choice([0, 0, 90])
    body = [f"    float a[{live}];", f"    for (int i = 0; i < {live}; i++) a[i] = in[i * n];"]
    if shared:
        body += [f"    __shared__ float s[{shared}];",
                 f"    s[threadIdx.x % {shared}] = in[n];", "    __syncthreads();",
                 f"    a[0] += s[(threadIdx.x + 1) % {shared}];"]
    if stack:
        body += [f"    float b[{stack}];", f"    for (int i = 0; i < {stack}; i++) b[i] = in[i];",
                 f"    for (int i = 0; i < n; i++) b[(int)in[i] % {stack}] += a[0];",
                 f"    for (int i = 0; i < {stack}; i++) out[i + n] = b[i];"]
    body += [f"    for (int i = 0; i < {live}; i++) out[i] = a[i] * a[{live} - 1 - i];"]
    text = "\n".join(body)
    return f'extern "C" __global__ void kernel_{number}(float *out, const float *in, int n)\n{{\n{text}\n}}\n'


def resources(text):
    """{kernel: (registers, shared, stack)} of what ptxas -v prints."""
    found = {}
    for part in text.split("Compiling entry function '")[1:]:
        registers = int(re.search(r"Used (\d+) registers", part)[1])
        shared = re.search(r"(\d+) bytes smem", part)
        stack = re.search(r"(\d+) bytes stack frame", part)
        found[part.split("'")[0]] = (registers, int(shared[1]) if shared else 0,
                                     int(stack[1]) if stack else 0)
    return found


def package_of(files):
    buffer = io.BytesIO()
    with PT2ArchiveWriter(buffer) as archive:
        for name, data in files.items():
            archive.write_bytes(f"data/aotinductor/model/{name}", data)
    return buffer.getvalue()


def check_gpu(faults, delegraph, folder, seed):
    rng = random.Random(seed)
    source = folder / "kernels.cu"
    source.write_text("\n".join(random_kernel(i, rng) for i in range(6)))
    for arch in ARCHITECTURES:
        cubin, fat = folder / "k.cubin", folder / "k.fatbin"
        said = subprocess.run(["nvcc", "-cubin", f"-arch=sm_{arch}", "-Xptxas", "-v", source, "-o",
                               cubin], capture_output=True, text=True, check=True).stderr
        subprocess.run(["nvcc", "-fatbin", "-gencode", f"arch=compute_{arch},code=sm_{arch}",
                        "-gencode", f"arch=compute_{arch},code=compute_{arch}",
                        f"-compress-mode={rng.choice(['none', 'default', 'size'])}", source, "-o",
                        fat], capture_output=True, check=True)
        path = folder / "gpu.pt2"
        path.write_bytes(package_of({"k.cubin": cubin.read_bytes(), "k.fatbin": fat.read_bytes()}))
        told = rows(delegraph, path, "gpu-kernels")
        alone = [k for k in told if k["code"].endswith("k.cubin")]
        faults.compare(f"sm_{arch}: kernels", {
            k["kernel"]: (k["registers"], k["shared_bytes"], k["stack_bytes"]) for k in alone
        }, resources(said))
        faults.compare(f"sm_{arch}: targets", {(k["format"], k["target"]) for k in told},
                       {("cubin", f"sm_{arch}"), ("ptx", f"sm_{arch}")})
        ptx = folder / "k.ptx"
        run("nvcc", "-ptx", f"-arch=compute_{arch}", source, "-o", ptx)
        version = re.search(r"\.version (\S+)", ptx.read_text())[1]
        faults.compare(f"sm_{arch}: version of PTX",
                       {k["ptx"] for k in told if k["format"] == "ptx"}, {version})
        faults.compare(f"sm_{arch}: served on its own GPU", findings(
            delegraph, path, "--gpu", re.sub("[af]$", "", f"sm_{arch}"), select="library/gpu"), [])
        faults.compare(f"sm_{arch}: not served on an old GPU", set(findings(
            delegraph, path, "--gpu", "sm_70", select="library/gpu")), {"library/gpu"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faults = Faults()
    torch.manual_seed(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_gpu(faults, given.delegraph, folder, given.seed)
        shims = shims_file(folder)
        n_made = 0
        for number, network in enumerate(NETWORKS):
            torch._dynamo.reset()
            n_made += check_package(faults, given.delegraph, folder, network,
                                    MODES[number % len(MODES)], shims)
    print(f"libraries: {n_made} packages, {len(ARCHITECTURES)} architectures,"
          f" {faults.n_compared} comparisons, {faults.n} faults"
          + ("; too few packages" if n_made < LEAST else ""))
    return 1 if faults.n or n_made < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
