"""The CPU reference beside torch eager: whole models in memory, the same threads, one run.
Needs DELEGRAPH_ORACLE_VENV, or a python with torch."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

RATIO_MOST, MEMORY_MOST = 5, 2
REPEATS = 5
MODELS = ("resnet18", "bert", "llama")
LARGEST = 1 << 29  # bytes of a program of these

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

class Block(torch.nn.Module):
    """Of a Llama: rotated heads that look back, and a gated product."""
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList([torch.nn.RMSNorm(width), torch.nn.RMSNorm(width)])
        self.query, self.key, self.value, self.out = (
            torch.nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = (torch.nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down = torch.nn.Linear(inner, width, bias=False)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, cos, sin):
        def turned(x):
            low, high = x.chunk(2, -1)
            return x * cos + torch.cat((-high, low), -1) * sin

        seen = self.norms[0](x)
        heads = torch.nn.functional.scaled_dot_product_attention(
            turned(self.split(self.query(seen))), turned(self.split(self.key(seen))),
            self.split(self.value(seen)), is_causal=True)
        x = x + self.out(heads.transpose(1, 2).flatten(2))
        seen = self.norms[1](x)
        return x + self.down(torch.nn.functional.silu(self.gate(seen)) * self.up(seen))

class Llama(torch.nn.Module):
    """8 layers of 512, 8 heads, 128 tokens of 32,000 words."""
    def __init__(self, width=512, heads=8, inner=1408, words=32000):
        super().__init__()
        self.words = torch.nn.Embedding(words, width)
        self.blocks = torch.nn.ModuleList(Block(width, heads, inner) for _ in range(8))
        self.norm = torch.nn.RMSNorm(width)
        self.head = torch.nn.Linear(width, words, bias=False)
        self.rates = 10000.0 ** (-torch.arange(0, width // heads, 2) / (width // heads))

    def forward(self, ids):
        angles = torch.outer(torch.arange(ids.shape[1]).float(), self.rates).repeat(1, 2)
        x = self.words(ids)
        for block in self.blocks:
            x = block(x, angles.cos(), angles.sin())
        return self.head(self.norm(x))

def model(name):
    if name == "llama":
        return Llama().eval(), (torch.randint(0, 32000, (1, 128)),)
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


def measure_model(bench, python, name, folder):
    path = pathlib.Path(folder) / f"{name}.pt2"
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
    # What torch reads is in memory, and warm: so is the file, where there is a file system
    # in memory. Pages of others may have to be fetched again each time.
    memory = pathlib.Path("/dev/shm")
    if not memory.is_dir() or shutil.disk_usage(memory).free < LARGEST:
        memory = bench.out
    for name in MODELS:
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            measure_model(bench, python, name, folder)
