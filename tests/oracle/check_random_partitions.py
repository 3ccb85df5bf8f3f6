"""Hold partitions of random graphs, and answers on random plans, to the real classes.

    check_random_partitions.py --run-cases PROGRAM --work FOLDER
        [--seed N] [--graphs N] [--plans N] [--processes N]

Cases with a difference stay in FOLDER.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

if os.environ.get("PYTHONHASHSEED") != "0":  # sets of names are walked in hash order
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, *sys.argv])

import torch

import random_partitions

MAKERS = {
    "graphs": random_partitions.partition_case,
    "plans": random_partitions.validate_case,
}
CHUNK = 250


def write_cases(path, kind, seed, numbers):
    """How many cases torch has an answer for."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for number in numbers:
            name = f"random {kind} {seed} {number}"
            case = random_partitions.timed(MAKERS[kind], random.Random(name), name)
            if case:
                print(json.dumps(case, separators=(",", ":")), file=file)
                written += 1
    return written


def check_chunk(job):
    """Cases that are equal, cases in all, and what run_cases says of the others."""
    run_cases, folder, kind, seed, numbers = job
    path = folder / f"{kind}_{seed}_{numbers.start}.jsonl"
    written = write_cases(path, kind, seed, numbers)
    done = subprocess.run([run_cases, path], capture_output=True, text=True, check=False)
    tally = re.search(r"^(\d+) of (\d+) equal$", done.stdout, re.MULTILINE)
    equal, compared = map(int, tally.groups()) if tally else (0, 0)
    if compared == written == equal and done.returncode == 0:
        path.unlink()
        return equal, written, ""
    return equal, written, done.stdout + done.stderr


def chunks(wanted):
    return [range(first, min(first + CHUNK, wanted)) for first in range(0, wanted, CHUNK)]


def check(kind, wanted, options, pool):
    """Whether all of them are equal."""
    started = time.monotonic()
    jobs = [(options.run_cases, options.work, kind, options.seed, numbers)
            for numbers in chunks(wanted)]
    equal = compared = 0
    for chunk_equal, chunk_compared, said in pool.imap_unordered(check_chunk, jobs):
        equal += chunk_equal
        compared += chunk_compared
        print(said, end="", flush=True)
    print(f"random {kind}, seed {options.seed}: {equal} of {compared} equal; "
          f"{wanted - compared} without an answer; {time.monotonic() - started:.0f} s",
          flush=True)
    return 0 < compared == equal or not wanted


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run-cases", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--graphs", type=int, default=20500)
    parser.add_argument("--plans", type=int, default=6000)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(options.processes) as pool:
        right = [check(kind, getattr(options, kind), options, pool) for kind in MAKERS]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
