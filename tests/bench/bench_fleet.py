"""Many programs: added to a store, over time, and pushed to a server of this run's own."""
import contextlib
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import programs

PROGRAMS, NODES, LOADS, PUSHES = 1_000, 160, 10, 3
NOBODY = 65534


def programs_of(bench):
    """The shipped Llama with a few hundred nodes, each with another comment behind it."""
    folder = bench.out / "fleet"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    first = folder / "first.pt2"
    programs.deep_llama(bench.data / "llama.pt2", first, NODES)
    data = first.read_bytes()
    end = data.rindex(b"PK\x05\x06") + 20  # how long the comment is
    paths = [folder / f"{number:04}.pt2" for number in range(PROGRAMS)]
    for number, path in enumerate(paths):
        path.write_bytes(data[:end] + b"\x04\x00" + b"%04d" % number)
    return paths


def timed(bench, command):
    begin = time.perf_counter()
    told = bench.run([bench.delegraph, *command])
    return time.perf_counter() - begin, told


def measure_loads(bench, paths, fleet):
    fleet.unlink(missing_ok=True)
    add = ["load", "--append", *paths, "--name", "llama", "-j", "2", "-o", fleet]
    seconds, _ = timed(bench, [*add, "--label", "day=0"])
    nodes = int(bench.run([bench.delegraph, "query", "--format", "plain", paths[0],
                           "SELECT count(*) FROM node"]).split()[-1])
    bench.note(f"load --append of {PROGRAMS:,} programs of {nodes} nodes", PROGRAMS / seconds,
               "/s", 200, False)
    again = 0
    for day in range(1, LOADS):
        seconds, _ = timed(bench, [*add, "--label", f"day={day}"])
        again += seconds
    bench.note("the same again, unchanged", PROGRAMS * (LOADS - 1) / again, "/s")
    seconds, _ = bench.median([bench.delegraph, "trend", fleet, "llama"], 5)
    bench.note(f"trend of {PROGRAMS * LOADS:,} builds", seconds, "s", 1)


@contextlib.contextmanager
def server(folder, binaries):
    """PostgreSQL as it comes, but for a socket in `folder`; it does not run as root."""
    def call(name, *words):
        subprocess.run([binaries / name, "-D", data, *words], check=True, capture_output=True,
                       cwd=folder, **({"user": NOBODY, "group": NOBODY, "extra_groups": []}
                                      if os.getuid() == 0 else {}))
    data = folder / "data"
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    call("initdb", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C")
    call("pg_ctl", "-w", "-s", "-l", folder / "log", "-o",
         f"-k '{folder}' -c listen_addresses=''", "start")
    try:
        yield f"host={folder} user=tester"
    finally:
        call("pg_ctl", "-s", "-m", "immediate", "stop")


def measure_push(bench, where, what, store, target=None):
    """Each push goes into a database that is new."""
    rates = []
    for number in range(PUSHES):
        name = f"{store.stem}_{number}"
        subprocess.run(["psql", "-q", f"{where} dbname=postgres", "-c", f"CREATE DATABASE {name}"],
                       check=True, capture_output=True)
        seconds, told = timed(bench, ["export", store, "--to", "postgres",
                                      f"{where} dbname={name}"])
        rates.append(int(re.search(r"(\d+) rows", told).group(1)) / seconds)
    bench.note(f"rows of {what} into PostgreSQL", statistics.median(rates), "/s", target, False)


def measure_pushes(bench, fleet):
    binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    if not binaries:
        print("rows into PostgreSQL: not measured, there is no server", flush=True)
        return
    large = bench.out / "hundred_thousand_hashed.db"
    bench.run([bench.delegraph, "load", bench.out / "hundred_thousand.pt2", "-o", large])
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        with server(pathlib.Path(name), binaries[-1]) as where:
            measure_push(bench, where, "a program of 100,000 nodes", large, 200_000)
            measure_push(bench, where, f"{PROGRAMS:,} programs", fleet)


def measure(bench):
    fleet = bench.out / "fleet.db"
    measure_loads(bench, programs_of(bench), fleet)
    measure_pushes(bench, fleet)
