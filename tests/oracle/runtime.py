"""ExecuTorch's runtime in forked children, so that nothing it does to itself reaches us."""

import os
import pickle
import resource
import select
import signal

import torch
from executorch.extension.pybindings import portable_lib

MISSING = (  # what the program cannot be blamed for
    "is not registered",
    "is not available",
    "Missing operator",
    "missing kernel",
)
SEEN = 4 << 10  # bytes of the runtime's log that are kept
MEMORY = 8 << 30
TOGETHER = 20  # jobs of one child
DTYPES = {  # such as NumPy, or check_run.py for it, can write to a file
    0: torch.uint8,
    1: torch.int8,
    2: torch.int16,
    3: torch.int32,
    4: torch.int64,
    5: torch.float16,
    6: torch.float32,
    7: torch.float64,
    9: torch.complex64,
    10: torch.complex128,
    11: torch.bool,
    15: torch.bfloat16,
    23: torch.float8_e5m2,
    24: torch.float8_e4m3fn,
    27: torch.uint16,
    28: torch.uint32,
    29: torch.uint64,
}


def example(tensor, salt):
    """Values for an input: small, different from each other, the same each time."""
    sizes, dtype = list(tensor.get("sizes") or []), DTYPES[tensor.get("scalar_type", 0)]
    count = int(torch.Size(sizes).numel())
    numbers = (torch.arange(count, dtype=torch.float64) * 7 + salt) % 5
    if dtype.is_floating_point:
        numbers = numbers / 4 - 0.4
    return numbers.reshape(sizes).to(dtype)


def inputs_of(plan):
    """Inputs for a method, by what the right program says of them."""
    found = []
    for place, number in enumerate(plan.get("inputs") or []):
        value = plan.values[number].val
        if value.kind == "Tensor":
            found.append(example(value, place))
        elif value.kind in ("Int", "Bool", "Double"):
            kind = {"Int": int, "Bool": bool, "Double": float}[value.kind]
            found.append(kind(value.get(value.kind.lower() + "_val", 0)))
        else:
            found.append(None)
    return found


def calls_of(program):
    """What to call: (method, inputs) of each; of several with one name the first runs."""
    calls = {}
    for plan in program.root.execution_plan:
        calls.setdefault(plan.name.decode(), inputs_of(plan))
    return list(calls.items())


def plain(value):
    """A result as something that compares; numbers to a few bits."""
    if not isinstance(value, torch.Tensor):
        return repr(value)
    shape = (str(value.dtype), tuple(value.shape))
    return shape, value.contiguous().view(-1).to(torch.complex128 if value.is_complex() else torch.float64).tolist()


def run(program, data, calls, verification):
    """Twice, as state may be wrong only then."""
    module = portable_lib._load_for_executorch_from_buffer(
        program, data_map_buffer=data, program_verification=verification
    )
    return [
        [plain(result) for result in module.run_method(name, inputs)]
        for _ in range(2)
        for name, inputs in calls
    ]


def equal(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-5 * max(abs(a), abs(b), 1)
    return a == b


def limit(seconds):
    """A job may use this much processor time, and not all the memory there is."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))


def child(pipe, log, jobs, seconds):
    """Does the jobs; writes a line of hexadecimal digits for each."""
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for job in jobs:
        os.lseek(log, 0, os.SEEK_SET)
        os.ftruncate(log, 0)
        limit(seconds)
        try:
            answer = "ok", run(*job)
        except BaseException as error:
            answer = "rejects", f"{type(error).__name__}: {error}"
        line = pickle.dumps((*answer, words_of(log))).hex().encode() + b"\n"
        while line:
            line = line[os.write(pipe, line) :]


def words_of(log):
    size = os.fstat(log).st_size
    return os.pread(log, SEEN, max(0, size - SEEN)).decode(errors="replace")


def receive(pipe, seconds):
    """All that comes until the other side closes it or nothing comes for too long."""
    payload = b""
    while select.select([pipe], [], [], seconds)[0]:
        block = os.read(pipe, 1 << 16)
        if not block:
            break
        payload += block
    return payload


def fork(jobs, seconds=4):
    """[(outcome, results or message, log)] of jobs as far as a child came: outcome ok,
    rejects, crashes, hangs."""
    reading, writing = os.pipe()
    log = os.memfd_create("log", 0)
    process = os.fork()
    if process == 0:
        try:
            child(writing, log, jobs, seconds)
        finally:
            os._exit(0)
    os.close(writing)
    payload = receive(reading, 30 * seconds)
    done = [pickle.loads(bytes.fromhex(line.decode())) for line in payload.split(b"\n")[:-1]]
    os.kill(process, signal.SIGKILL)  # does nothing to one that is dead already
    _, status = os.waitpid(process, 0)
    if len(done) < len(jobs):
        done.append((*death(status), words_of(log)))
    os.close(reading)
    os.close(log)
    return done


def death(status):
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if killed in (0, signal.SIGKILL, signal.SIGXCPU):
        return "hangs", ""
    return "crashes", signal.Signals(killed).name


def outcomes(jobs, wanted):
    """Of each job: one of ok, missing, rejects, crashes, hangs, wrong; and what was said."""
    told = []
    while len(told) < len(jobs):
        told += fork(jobs[len(told) : len(told) + TOGETHER])
    judged = []
    for job, results, answer in zip(jobs, wanted, told):
        kind, said = judge(answer, results)
        if kind not in ("ok", "rejects", "missing"):  # one before it may be to blame
            kind, said = judge(fork([job])[0], results)
        judged.append((kind, said))
    return judged


def judge(answer, wanted):
    kind, results, log = answer
    if kind == "ok":
        return ("ok", "") if equal(results, wanted) else ("wrong", difference(results, wanted))
    if kind == "crashes":
        return kind, results
    if kind == "rejects" and any(words in log or words in str(results) for words in MISSING):
        kind = "missing"
    return kind, (log.strip().splitlines()[-1:] or [str(results)])[0]


def difference(results, wanted):
    for number, (result, other) in enumerate(zip(results, wanted)):
        if not equal(result, other):
            return f"call {number}: {str(result)[:60]}, not {str(other)[:60]}"
    return f"{len(results)} results, not {len(wanted)}"
