#!/usr/bin/env python3
"""All of the oracle as one run, which goes on where it was interrupted.

    run_all.py --build FOLDER [--again] [--jobs N] [--budget MINUTES] [--share K/N] [PART ...]

Each part is a script beside this one. What it prints lies in FOLDER/oracle/parts/PART/log; a part
that came to its end with this delegraph and its scripts is not run again, and what it found is
told as if it had been. Parts that are long keep a journal of their own, or the programs they made;
of the longest --share takes one of N shares of the cases, which together are all.
Ends with a line for each part, and fails where one failed or did not end.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import shares
import sources

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent

# Name and command of each part, the longest first, but for those that wait for the programs of
# soundness. {work} is kept from run to run, {part} until
# delegraph or a script changes.
PARTS = {
    "soundness": "soundness.py --delegraph {delegraph} --work {work}/soundness",
    "own-tests": "check_own_tests.py --library {build}/libdelegraph.so.0 --work {work}/own_tests",
    "blob-runs": "check_blob_runs.py --delegraph {delegraph} --work {work}/blob_runs",
    "run": "check_run.py --delegraph {delegraph} --work {work}/run --journal {part}/journal",
    "view-writes": "check_view_writes.py --delegraph {delegraph} --work {work}/view_writes",
    "exported-ops": "check_exported_ops.py --delegraph {delegraph} --work {work}/exported_ops"
                    " --journal {part}/journal --minutes 15",
    "quantized": "check_quantized.py --delegraph {delegraph} --work {work}/quantized",
    "capture": "check_capture.py --delegraph {delegraph} --library {build}/libdelegraph.so.0"
               " --work {work}/capture",
    "faults": "check_faults.py --delegraph {delegraph} --work {part} --journal {part}/journal",
    "programs": "oracle.py --delegraph {delegraph} --work {work} --budget {budget}",
    "partition": "check_partition.py --delegraph {delegraph} --work {work}/partitions"
                 " --seed 20261121 --minutes 5 --processes 1",
    "runtime": "check_runtime.py --delegraph {delegraph} --mutants 5500",
    "noise": "check_noise.py --delegraph {delegraph} --work {work}/soundness",
    "fields": "check_fields.py --delegraph {delegraph} --programs {work}/soundness"
              " --journal {part}/journal",
    "random-partitions": "check_random_partitions.py --run-cases {build}/tests/cases/run_cases"
                         " --work {work}/partitions --seed 20261121 --processes 1",
    "op-samples": "check_op_samples.py --check {build}/tests/kernels/check_kernels --work {work}",
    "support": "check_support.py --delegraph {delegraph} --minutes 5 --without vision,timm",
    "views": "check_views.py --delegraph {delegraph} --programs 100 --seed 20261121",
    "mutants": "check_mutants.py --delegraph {delegraph}",
    "devices": "check_devices.py --delegraph {delegraph}",
    "diff": "check_diff.py --delegraph {delegraph} --seed 20261123",
    "gate": "check_gate.py --delegraph {delegraph} --work {work}/gate --seed 20261123",
    "sarif": "check_sarif.py --delegraph {delegraph}",
    "drop-in": "check_drop_in.py --library {build}/libdelegraph.so.0 --seed 20261124",
    "exports": "check_exports.py --delegraph {delegraph}",
    "profiles": "check_profiles.py --delegraph {delegraph} --work {work}/profiles",
    "blobs": "check_blobs.py --delegraph {delegraph} --work {work}/blobs",
    "xnnpack-graphs": "check_xnnpack_graphs.py --delegraph {delegraph}",
    "xnnpack-corners": "check_xnnpack_corners.py --delegraph {delegraph}",
    "open-blobs": "check_open_blobs.py --delegraph {delegraph} --work {work}/open_blobs",
    "reduce": "check_reduce.py --delegraph {delegraph}",
    "libraries": "check_libraries.py --delegraph {delegraph}",
    "blob-mutants": "check_blob_mutants.py --delegraph {delegraph} --work {work}/blob_mutants",
    "python": "check_python.py --delegraph {delegraph} --library {build}/libdelegraph.so.0",
    "plans": "check_plans.py --delegraph {delegraph} --random {build}/tests/plans/random_plans",
    "lines": "check_lines.py --delegraph {delegraph} --seed 20261123",
    "joins": "check_joins.py --delegraph {delegraph} --work {work}/joins --seed 20261128",
    "data": "check_data.py --delegraph {delegraph}",
    "plan-rules": "check_plan_rules.py --delegraph {delegraph} --seed 20261121",
    "plan-recipe": "check_plan_recipe.py --delegraph {delegraph}",
    "flops": "check_flops.py --delegraph {delegraph} --seed 20261121",
    "ops": "check_ops.py",
}


def fingerprint(build, script):
    """Of all that a result hangs on but the machine."""
    tools = ["delegraph", "libdelegraph.so.0", "tests/cases/run_cases",
             "tests/plans/random_plans", "tests/kernels/check_kernels"]
    paths = [build / tool for tool in tools]
    paths += sources.package()
    paths += sources.sources_of(script)
    paths += [TESTS.parent / "doc" / page for page in ("plan.md", "python.md", "lowering.ipynb")]
    return f"{sources.digest(paths)} {shares.given()}"


class Part:
    def __init__(self, name, work, now):
        self.name, self.now = name, now
        self.folder = work / "parts" / name
        self.log, self.end = self.folder / "log", self.folder / "end.json"
        begun = self.folder / "fingerprint"
        if not begun.exists() or begun.read_text() != now:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            begun.write_text(now)

    def result(self):
        return json.loads(self.end.read_text()) if self.end.exists() else None

    def run(self, words):
        """Runs it to its end, adding to what a run before this one took."""
        spent = self.folder / "seconds"
        before = float(spent.read_text()) if spent.exists() else 0
        start = time.monotonic()
        with self.log.open("wb") as log:
            process = subprocess.Popen([sys.executable, str(HERE / words[0]), *words[1:]],
                                       stdout=log, stderr=subprocess.STDOUT)
            while process.poll() is None:
                time.sleep(1)
                spent.write_text(f"{before + time.monotonic() - start:.0f}")
        self.end.write_text(json.dumps({"exit": process.returncode,
                                        "seconds": int(before + time.monotonic() - start)}))

    def closing_line(self):
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1].strip() if lines else "printed nothing"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--again", action="store_true", help="run what came to its end, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="parts at a time")
    parser.add_argument("--budget", type=float, default=10,
                        help="minutes for making the programs of the part programs")
    parser.add_argument("--share", default="1/1", help="K/N: of the cases of the longest parts")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    given = parser.parse_args()
    os.environ[shares.VARIABLE] = given.share
    unknown = set(given.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return given


def command_of(part, given, work):
    paths = {"delegraph": given.build / "delegraph", "build": given.build, "work": work,
             "part": part.folder, "budget": given.budget}
    return [word.format(**paths) for word in PARTS[part.name].split()]


def run_part(part, given, work):
    if given.again or not part.result():
        part.run(command_of(part, given, work))
    end = part.result()
    word = "ok" if end["exit"] == 0 else f"FAILED ({end['exit']})"
    print(f"{part.name}: {word}, {end['seconds']} s: {part.closing_line()}", flush=True)
    if end["exit"]:
        sys.stdout.writelines(part.log.read_text(errors="replace").splitlines(True)[-40:])
    return end["exit"] == 0


def main():
    given = arguments()
    given.build = given.build.resolve()
    work = given.build / "oracle"
    parts = [Part(name, work, fingerprint(given.build, PARTS[name].split()[0]))
             for name in PARTS if name in given.parts or not given.parts]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        fine = list(pool.map(lambda part: run_part(part, given, work), parts))
    print("\npart               result   seconds  closing line")
    for part, good in zip(parts, fine):
        print(f"{part.name:18} {'ok' if good else 'FAILED':8} {part.result()['seconds']:7}  "
              f"{part.closing_line()[:200]}")
    print(f"{sum(fine)} parts passed, {len(fine) - sum(fine)} failed; share {given.share} of the cases")
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
