"""The CPU reference beside torch eager: whole models, the same threads, one run.

    bench_run.py BUILD OUT     needs DELEGRAPH_ORACLE_VENV, or a python with torch
"""
import json
import os
import pathlib
import subprocess
import sys
import time

RATIO_MOST, MEMORY_MOST = 20, 2
REPEATS = 5
MODELS = ("resnet18", "bert")

# Runs in the python that has torch: exports a model, and times it there.
BUILD_AND_TIME = '''
import json, sys, time, resource
import torch

class Encoder(torch.nn.Module):
    """BERT-base: 12 layers of 768, 12 heads, 128 tokens."""
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(30522, 768)
        self.places = torch.nn.Embedding(512, 768)
        self.norm = torch.nn.LayerNorm(768)
        layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, 0.0, "gelu", batch_first=True)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).layers)

    def forward(self, ids):
        x = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1])))
        for layer in self.layers:
            x = layer(x)
        return x

def model(name):
    if name == "bert":
        return Encoder().eval(), (torch.randint(0, 30522, (1, 128)),)
    import torchvision
    return torchvision.models.resnet18(weights=None).eval(), (torch.randn(1, 3, 224, 224),)

name, path, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.manual_seed(0)
net, inputs = model(name)
torch.backends.mha.set_fastpath_enabled(False)
with torch.no_grad():
    torch.export.save(torch.export.export(net, inputs), path)
    seconds, processor = {}, {}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        net(*inputs)
        times, work = [], []
        for _ in range(repeats):
            begin, worked = time.perf_counter(), time.process_time()
            net(*inputs)
            times.append(time.perf_counter() - begin)
            work.append(time.process_time() - worked)
        seconds[threads], processor[threads] = min(times), min(work)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"seconds": seconds, "processor": processor, "peak_mb": peak / 1024}))
'''


def python_with_torch():
    venv = os.environ.get("DELEGRAPH_ORACLE_VENV")
    python = pathlib.Path(venv) / "bin" / "python" if venv else sys.executable
    found = subprocess.run([python, "-c", "import torch"], capture_output=True)
    return python if found.returncode == 0 else None


def measured(command):
    """Least seconds and least seconds of processors of a few processes."""
    best = None
    for _ in range(REPEATS):
        begin = time.perf_counter()
        child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit {child.returncode}")
        now = seconds, usage.ru_utime + usage.ru_stime
        best = now if best is None else tuple(map(min, best, now))
    return best


def measure_model(bench, python, name):
    path = bench.out / f"{name}.pt2"
    out = subprocess.run([python, "-c", BUILD_AND_TIME, name, path, str(REPEATS)], check=True,
                         capture_output=True, text=True).stdout
    torch = json.loads(out)
    megabytes = path.stat().st_size / (1 << 20)
    for threads in (1, 2):
        command = [bench.delegraph, "run", path, "--seed", 1, "--threads", threads]
        seconds, processor = measured(command)
        eager, work = torch["seconds"][str(threads)], torch["processor"][str(threads)]
        bench.note(f"{name}, {threads} threads: torch eager", eager * 1e3, "ms")
        bench.note(f"{name}, {threads} threads: run, start to exit", seconds * 1e3, "ms")
        bench.note(f"{name}, {threads} threads: run / torch", seconds / eager, "x", RATIO_MOST)
        bench.note(f"{name}, {threads} threads: processor time / torch", processor / work, "x")
    # A child of this process would begin with its peak: rusage keeps it over exec.
    peak = bench.median(command, 1)[1]
    bench.note(f"{name}: peak memory / program", peak / megabytes, "x", MEMORY_MOST)


def measure(bench):
    python = python_with_torch()
    if not python:
        print("run beside torch eager: not measured, there is no torch", flush=True)
        return
    for name in MODELS:
        measure_model(bench, python, name)


class Alone:
    """What measure() needs of a bench, when it runs by itself."""
    def __init__(self, build, out):
        self.delegraph, self.out = pathlib.Path(build) / "delegraph", pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def note(name, value, unit, target=None):
        wanted = "" if target is None else f"<= {target}  {'met' if value <= target else 'MISSED'}"
        print(f"{name:52} {value:10.3f} {unit:6} {wanted}", flush=True)


if __name__ == "__main__":
    measure(Alone(*sys.argv[1:3]))
