"""Hold `delegraph run` to torch eager and to ExecuTorch's runtime.

Shipped programs and fresh ones, as torch.export leaves them, decomposed, and lowered to a
.pte: the same inputs, and every output judged by delegraph's own policy. Writes one line
per program that does not pass, and a summary.
"""
import argparse
import copy
import json
import os
import random
import subprocess
import sys
import warnings

import numpy
import torch
from torch.utils import _pytree as pytree

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "data"))

import shares
from journal import Journal

DATA = os.path.join(here, "..", "data")
RAW = {  # what numpy has no type for: the suffix, and the integers that hold the bits
    torch.bfloat16: ("bf16", torch.int16, numpy.uint16),
    torch.float8_e4m3fn: ("f8e4m3fn", torch.int8, numpy.uint8),
    torch.float8_e5m2: ("f8e5m2", torch.int8, numpy.uint8),
}


def entry(name, value):
    """(key, array) of a value, or None for what needs no key."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        if value.dtype in RAW:
            suffix, view, raw = RAW[value.dtype]
            return f"{name}__{suffix}", value.contiguous().view(view).numpy().view(raw)
        return name, value.contiguous().numpy()
    if isinstance(value, bool):
        return f"{name}__bool", numpy.array(value)
    if isinstance(value, int):
        return f"{name}__int", numpy.array(value, dtype=numpy.int64)
    if isinstance(value, float):
        return f"{name}__float", numpy.array(value, dtype=numpy.float64)
    return None


def value_of(key, array):
    """(place, value) of what entry() made."""
    name, _, suffix = key.partition("__")
    for dtype, (own, view, _) in RAW.items():
        if suffix == own:
            return int(name.lstrip("inout")), torch.from_numpy(array.view(numpy.dtype(str(view)[6:]))).view(dtype)
    return int(name.lstrip("inout")), array.item() if suffix else torch.from_numpy(array)


def load(path):
    """The inputs that were saved, in their order."""
    with numpy.load(path) as arrays:
        return [v for _, v in sorted((value_of(k, arrays[k]) for k in arrays.files),
                                     key=lambda pair: pair[0])]


def save(path, prefix, values):
    pairs = [entry(f"{prefix}{i}", v) for i, v in enumerate(values)]
    numpy.savez(path, **dict(p for p in pairs if p is not None))


def flat(value):
    return pytree.tree_leaves(value)


TOLD = "agree that it is wrong"
REFUSAL = "refused"  # a file beside the inputs: the runtime runs no such call, and why


def refusal(folder):
    return os.path.exists(os.path.join(folder, REFUSAL))


class Tally:
    def __init__(self, delegraph, work, verbose, journal):
        self.delegraph, self.work, self.verbose = delegraph, work, verbose
        self.journal = journal
        self.counts = {"pass": 0, "fail": 0, "skip": 0}
        self.programs = {"agree": 0, TOLD: 0, "differ": 0, "not all compared": 0, "refused": 0}
        self.unmade = []
        self.reasons = {}

    def check(self, name, program, inputs, outputs, extra=()):
        save(os.path.join(self.work, "x.npz"), "in", inputs)
        save(os.path.join(self.work, "y.npz"), "out", outputs)
        self.check_files(name, program, self.work, extra)

    def check_files(self, name, program, folder, extra=()):
        self.check_calls(name, program, [folder], extra)

    def check_calls(self, name, program, folders, extra=()):
        """One folder for each of successive calls."""
        kind, why, counts = self.journal.answer(
            name, lambda: self.asked(program, folders, extra))
        for key, n in counts.items():
            self.counts[key] += n
        self.programs[kind] += 1
        if why or self.verbose:
            print(f"{kind}: {name}: {why}"[:600], flush=True)

    def asked(self, program, folders, extra):
        """(kind, why, verdicts by kind) of one program with inputs for each call."""
        command = [self.delegraph, "run", program, "--format", "json", *extra]
        for folder in folders:
            command += ["--inputs", os.path.join(folder, "x.npz"),
                        "--expected", os.path.join(folder, "y.npz")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return "refused", "takes more than 600 s", {}
        if done.returncode not in (0, 1):
            why = f"exit {done.returncode}: {done.stderr.strip()}"
            return TOLD if done.returncode == 3 and refusal(folders[0]) else "refused", why, {}
        answer = json.loads(done.stdout)
        kind, why = judged(answer)
        if kind == "differ" and self.has_error(program, "memory/*"):
            kind = TOLD
        return kind, why, answer["summary"]

    def has_error(self, program, rules):
        """Wrong memory gives the runtime other numbers than references with memory of their own."""
        return subprocess.run([self.delegraph, "check", program, "--select", rules],
                              capture_output=True).returncode == 1

    def report(self):
        for name, why in self.unmade:
            print(f"not made: {name}: {why}"[:200])
        print(f"programs: {json.dumps(self.programs)}; outputs: {json.dumps(self.counts)}; "
              f"{len(self.unmade)} not made")
        return bool(self.programs["differ"] or self.programs["refused"])


def judged(answer):
    """(kind, why) of what delegraph answers."""
    outputs = [o for call in answer["calls"] for o in call["outputs"]]
    failed = [o for o in outputs if o["verdict"] == "fail"]
    if failed:
        return "differ", "; ".join(
            f"{o['name']}: {o['why']} (SNR {o['snr_db']})" for o in failed[:3])
    if answer["summary"]["skip"] or not answer["summary"]["pass"]:
        why = {f"{n['op']}: {n['why']}" for n in answer["not_compared"]}
        why |= {o["why"] for o in outputs if o["verdict"] == "skip"}
        return "not all compared", "; ".join(sorted(map(str, why))[:4])
    return "agree", ""


def like(value, generator):
    """Another value of the same kind."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            return torch.randn(value.shape, generator=generator).to(value.dtype)
        if value.dtype is not torch.bool and value.numel() and not value.is_complex():
            least, most = int(value.min()), int(value.max())
            return torch.randint(least, most + 1, value.shape, generator=generator).to(value.dtype)
        return value.clone()
    return value


def pt2_files():
    for name in sorted(os.listdir(DATA)):
        if name.endswith(".pt2"):
            yield name


def shipped_pt2(tally, only):
    for name in pt2_files():
        if only and only not in name:
            continue
        path = os.path.join(DATA, name)
        try:
            program = loaded(path)
            args, kwargs = program.example_inputs
            module = program.module()
            inputs = flat((args, kwargs))
            with torch.no_grad():
                outputs = flat(module(*pytree.tree_map(clone, args),
                                      **pytree.tree_map(clone, kwargs)))
        except Exception as error:
            tally.unmade.append((name, str(error).strip().splitlines()[-1:] or type(error)))
            continue
        tally.check(name, path, inputs, outputs)


def loaded(path):
    """By torch, or by the older writer that ExecuTorch keeps."""
    try:
        return torch.export.load(path)
    except Exception as error:
        if "Serialized version" not in str(error):
            raise
    from executorch import exir
    return exir.load(path)


def clone(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def shipped_pte(tally, only):
    from executorch.extension.pybindings import portable_lib
    for name in sorted(os.listdir(DATA)):
        if not name.endswith(".pte") or (only and only not in name):
            continue
        path = os.path.join(DATA, name)
        data = open(path, "rb").read()
        try:
            methods = methods_of(data)
        except Exception as error:
            tally.unmade.append((name, str(error)[:100]))
            continue
        for method, inputs in methods:
            outputs = in_child(lambda: portable_lib._load_for_executorch_from_buffer(
                data).run_method(method, [clone(i) for i in inputs]))
            if isinstance(outputs, Exception):
                tally.unmade.append((f"{name}:{method}", str(outputs)[:100]))
                continue
            tally.check(f"{name}:{method}", path, inputs, outputs, ["--method", method])


def in_child(work):
    """What `work` returns, from a process whose crash is no harm."""
    import multiprocessing
    def run(pipe):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            pipe.send(packed(work()))
        except BaseException as error:
            pipe.send(RuntimeError(str(error)))
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=run, args=(theirs,))
    process.start()
    theirs.close()
    try:
        answer = ours.recv() if ours.poll(120) else RuntimeError("nothing in 120 s")
    except EOFError:
        answer = RuntimeError("crashed")
    process.kill()
    process.join()
    return answer if isinstance(answer, Exception) else unpacked(answer)


def packed(value):
    """Tensors as bytes, which a pipe takes of a process that ends."""
    import io
    if isinstance(value, (list, tuple)):
        return [packed(v) for v in value]
    if not isinstance(value, torch.Tensor):
        return value
    buffer = io.BytesIO()
    torch.save(value.clone(), buffer)
    return buffer.getvalue()


def unpacked(value):
    import io
    if isinstance(value, list):
        return [unpacked(v) for v in value]
    return torch.load(io.BytesIO(value)) if isinstance(value, bytes) else value


def methods_of(data):
    """(method, inputs) of each, with small inputs made from its plan."""
    from executorch.extension.pybindings import portable_lib
    meta = portable_lib._load_for_executorch_from_buffer(data)
    found = []
    for method in meta.method_names():
        info = meta.method_meta(method)
        inputs = []
        for i in range(info.num_inputs()):
            try:
                tensor = info.input_tensor_meta(i)
            except Exception:
                inputs.append(1)
                continue
            inputs.append(small(tuple(tensor.sizes()), tensor.dtype(), i))
        found.append((method, inputs))
    return found


C10 = {0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64,
       5: torch.float16, 6: torch.float32, 7: torch.float64, 11: torch.bool,
       15: torch.bfloat16}


def small(sizes, dtype, salt):
    generator = torch.Generator().manual_seed(salt)
    dtype = C10[dtype]
    if dtype.is_floating_point:
        return torch.randn(sizes, generator=generator).to(dtype)
    return torch.randint(0, 2, sizes, generator=generator).to(dtype)


def fresh(tally, only, limit, kinds, seeds):
    """Networks and small modules, made anew with seeds."""
    import higher_order
    import networks
    import sound_modules
    makers = {f"net/{k}": v for k, v in networks.NETWORKS.items()}
    for group in ("SAMPLES", "LOOPS", "ARGUMENTS", "DYNAMIC"):
        makers.update({f"{group.lower()}/{k}": (lambda make: lambda rng: make())(v)
                       for k, v in getattr(sound_modules, group).items()})
    makers.update({f"higher_order/{k}": (lambda make: lambda rng: make())(v)
                   for k, v in higher_order.HIGHER_ORDER.items()})
    for count, (name, make) in enumerate(makers.items()):
        if (only and only not in name) or (limit and count >= limit) or not shares.mine(name):
            continue
        folders = {kind: os.path.join(tally.work, name.replace("/", "."), kind)
                   for kind in kinds}
        if not all(map(made, folders.values())):
            make_fresh(tally, name, make, count, folders, seeds)
        for kind, folder in folders.items():
            for seed in sorted(os.listdir(folder)) if made(folder) else ():
                if seed.isdigit():
                    tally.check_files(f"{name}/{kind}/{seed}", os.path.join(folder, program_name(kind)),
                                      os.path.join(folder, seed))
            if kind == "pte" and made(folder):
                check_row(tally, f"{name}/pte/row", folder)


def at_zero(value):
    """Places and counts are integers, which all seeds have from a narrow range."""
    if isinstance(value, torch.Tensor) and not value.is_floating_point() and not value.is_complex():
        return torch.zeros_like(value)
    return value


def check_row(tally, name, folder):
    """The inputs of all seeds, the first at place 0 and the first again, one call after
    another on one program: state carries over."""
    seeds = sorted(s for s in os.listdir(folder) if s.isdigit())
    calls = [os.path.join(folder, "row", str(i)) for i in range(len(seeds) + 2)]
    program = os.path.join(folder, program_name("pte"))
    if any(refusal(os.path.join(folder, s)) for s in seeds):
        return
    if not made(os.path.join(folder, "row")):
        inputs = [load(os.path.join(folder, s, "x.npz")) for s in seeds]
        inputs += [[at_zero(v) for v in inputs[0]], inputs[0]]
        outputs = of_runtime(program, inputs)
        if isinstance(outputs, Exception):
            tally.unmade.append((name, str(outputs)))
            return
        for call, x, y in zip(calls, inputs, outputs):
            os.makedirs(call, exist_ok=True)
            save(os.path.join(call, "x.npz"), "in", x)
            save(os.path.join(call, "y.npz"), "out", y)
        open(os.path.join(folder, "row", "done"), "w").close()
    tally.check_calls(name, program, calls)


def program_name(kind):
    return "p.pte" if kind == "pte" else "p.pt2"


def made(folder):
    return os.path.exists(os.path.join(folder, "done"))


def make_fresh(tally, name, make, count, folders, seeds):
    """Programs of all kinds, and inputs and outputs of all seeds."""
    import fixtures
    torch.manual_seed(count)
    try:
        sample = make(random.Random(count))
        sample.module.eval()
        exported = fixtures.export(sample, packs_well=False)
    except Exception as error:
        tally.unmade.append((name, str(error).strip().splitlines()[:1]))
        return
    for kind, folder in folders.items():
        try:
            os.makedirs(folder, exist_ok=True)
            lower(exported, kind, os.path.join(folder, program_name(kind)))
            for seed in range(seeds):
                if not save_call(sample, kind, seed, os.path.join(folder, str(seed))):
                    break
            open(os.path.join(folder, "done"), "w").close()
        except Exception as error:
            tally.unmade.append((f"{name}/{kind}",
                                 (str(error).strip().splitlines() or ["?"])[0]))


def lower(exported, kind, path):
    if kind == "pte":
        from executorch.exir import to_edge
        with open(path, "wb") as out:
            out.write(to_edge(exported).to_executorch().buffer)
    else:
        torch.export.save(exported if kind == "aten" else exported.run_decompositions(), path)


def of_runtime(path, calls):
    """What the program computes in each of successive calls, which need not be what it
    was made from: one that was lowered wrongly must give the same wrong numbers here. Or
    why it does not run."""
    from executorch.extension.pybindings import portable_lib
    given = [[clone(i) for i in inputs] for inputs in calls]

    def run():
        module = portable_lib._load_for_executorch(path)
        return [[clone(o) for o in module.run_method("forward", inputs)] for inputs in given]
    return in_child(run)


def save_call(sample, kind, seed, folder):
    """Inputs of a seed, the sample's own for 0, and what torch makes of them; False when
    these inputs are refused, as those of other seeds may be."""
    generator = torch.Generator().manual_seed(seed)
    given = sample.args, sample.kwargs or {}
    if seed:
        once = {id(value): like(value, generator) for value in flat(given)}
        given = pytree.tree_map(lambda value: once[id(value)], given)
    module, (args, kwargs) = copy.deepcopy((sample.module, given))
    try:
        with torch.no_grad():
            outputs = flat(module(*args, **kwargs))
    except Exception:
        if not seed:
            raise
        return False
    os.makedirs(folder, exist_ok=True)
    inputs = flat(given)
    if kind == "pte":
        found = of_runtime(os.path.join(os.path.dirname(folder), program_name(kind)), [inputs])
        if isinstance(found, Exception):
            with open(os.path.join(folder, REFUSAL), "w", encoding="utf-8") as out:
                out.write(str(found))
        else:
            outputs = found[0]
    save(os.path.join(folder, "x.npz"), "in", inputs)
    save(os.path.join(folder, "y.npz"), "out", outputs)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", default="/tmp/check_run")
    parser.add_argument("--only", default="", help="part of a name")
    parser.add_argument("--groups", default="pt2,pte,fresh")
    parser.add_argument("--kinds", default="aten,core,pte")
    parser.add_argument("--seeds", type=int, default=2, help="sets of inputs of each")
    parser.add_argument("--limit", type=int, default=0, help="of fresh programs")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--journal", help="goes on where a run that wrote this file ended")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    import programs  # registers the operators that shipped programs bring
    import torch.ao.quantization.fx._decomposed
    torch.set_num_threads(1)
    os.makedirs(given.work, exist_ok=True)
    tally = Tally(os.path.abspath(given.delegraph), given.work, given.verbose,
                  Journal(given.journal))
    groups = given.groups.split(",")
    if "pt2" in groups:
        shipped_pt2(tally, given.only)
    if "pte" in groups:
        shipped_pte(tally, given.only)
    if "fresh" in groups:
        fresh(tally, given.only, given.limit, given.kinds.split(","), given.seeds)
    return tally.report()


if __name__ == "__main__":
    sys.exit(main())
