"""The libraries beside delegraph: warm calls in their Python against whole processes here.

A peer that is not installed in the oracle's environment is left out, and named.
"""
import json
import os
import pathlib
import subprocess

EXPORTED = ("mobilenet_v3.pt2", "llama.pt2", "bert.pt2")
LOWERED = ("mobilenet_v3_xnnpack.pte", "bert_xnnpack.pte", "whisper_encoder_xnnpack.pte")
REPEATS = 5

# Runs in the environment's python: seconds of one call for each file, after a first one.
TIMER = '''
import json, statistics, sys, time, warnings
warnings.simplefilter("ignore")
{setup}
def timed(path):
    times = []
    for _ in range({repeats} + 1):
        begin = time.perf_counter()
        work(path)
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])
print(json.dumps([timed(path) for path in sys.argv[1:]]))
'''

PEERS = (
    ("torch.export.load", "info", EXPORTED, 50, "import torch\nwork = torch.export.load"),
    ("ExecuTorch's deserializer in Python", "info", LOWERED, None,
     "from executorch.exir._serialize import _deserialize_pte_binary\n"
     "def work(path):\n    _deserialize_pte_binary(open(path, 'rb').read())"),
    ("ExecuTorch's runtime, program and method loaded", "info", LOWERED, None,
     "from executorch.runtime import Runtime\nruntime = Runtime.get()\n"
     "def work(path):\n    runtime.load_program(path).load_method('forward')"),
    ("Model Explorer's .pte adapter", "dot", LOWERED, None,
     "from pte_adapter_model_explorer.main import PTEAdapter\n"
     "def work(path):\n    PTEAdapter().convert(path, {})"),
)


def ask(python, setup, files):
    done = subprocess.run([python, "-c", TIMER.format(setup=setup, repeats=REPEATS), *files],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1])


def measure(bench):
    venv = os.environ.get("DELEGRAPH_ORACLE_VENV")
    if not venv:
        return
    python = pathlib.Path(venv) / "bin" / "python"
    for name, verb, names, least, setup in PEERS:
        files = [bench.data / file for file in names]
        try:
            times = ask(python, setup, files)
        except RuntimeError as error:
            print(f"{name}: not measured: {error}", flush=True)
            continue
        for file, seconds in zip(files, times):
            ours, _ = bench.median([bench.delegraph, verb, file, "-o", os.devnull]
                                   if verb == "dot" else [bench.delegraph, verb, file], 10)
            bench.note(f"{name} / {verb}, {file.name}", seconds / ours, "x", least, False)
