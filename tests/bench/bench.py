"""Speed and memory of delegraph, as ratios within one run where a ratio exists."""
import json
import pathlib
import statistics
import subprocess
import sys

import bench_blobs
import bench_fleet
import bench_gate
import bench_report
import bench_run
import partition
import partitioners
import peers
import performance
import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
MB = 1 << 20
GB = 1 << 30
PATIENCE = 60  # seconds for one process


def run(command, codes=(0,)):
    """Standard output of a process that must end with one of `codes`."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=PATIENCE)
    if done.returncode not in codes:
        words = " ".join(map(str, command))
        raise RuntimeError(f"{words}: exit {done.returncode}: {done.stderr[-400:]}")
    return done.stdout


class Bench:
    def __init__(self, build, out):
        self.delegraph = build / "delegraph"
        self.load = build / "tests" / "bench" / "bench_load"
        self.out = out
        self.data = DATA
        self.run = run
        self.rows = []

    def median(self, command, times, codes=(0,)):
        """Seconds in the middle and the highest peak of MB."""
        runs = [json.loads(run([self.load, "time", *command], codes)) for _ in range(times)]
        return (statistics.median(r["seconds"] for r in runs),
                max(r["peak_mb"] for r in runs))

    @staticmethod
    def middle(command, seconds):
        """Of three runs the one that took neither longest nor shortest."""
        return sorted((json.loads(run(command)) for _ in range(3)), key=lambda one: one[seconds])[1]

    def note(self, name, value, unit, target=None, at_most=True):
        met = None
        if target is not None:
            met = value <= target if at_most else value >= target
        self.rows.append({"name": name, "value": round(value, 4), "unit": unit,
                          "target": target, "at_most": at_most, "met": met})
        self.show(self.rows[-1])

    def fail(self, name, why):
        self.rows.append({"name": name, "error": str(why), "met": False})
        print(f"{name:52} failed: {why}", flush=True)

    @staticmethod
    def show(row):
        wanted = ""
        if row["target"] is not None:
            sign = "<=" if row["at_most"] else ">="
            wanted = f"{sign} {row['target']:g}  {'met' if row['met'] else 'MISSED'}"
        print(f"{row['name']:52} {row['value']:10.3f} {row['unit']:6} {wanted}", flush=True)

    def small_info(self):
        seconds, peak = self.median([self.delegraph, "info", DATA / "tiny.pte"], 20)
        self.note("info on a small .pte, start to exit", seconds * 1e3, "ms", 4)
        self.note("info on a small .pte, peak memory", peak, "MB")

    def many(self):
        """Three copies of the hundred smallest programs that are shipped."""
        small = sorted((*DATA.glob("*.pte"), *DATA.glob("*.pt2")),
                       key=lambda path: path.stat().st_size)[:100]
        seconds, _ = self.median([self.delegraph, "check", "-j", "2", "-q", "--exit-zero",
                                  *small * 3], 5)
        self.note("check -j 2 of small programs", 300 / seconds, "/s", 300, False)
        seconds, _ = self.median([self.delegraph, "check", "-q", DATA / "tiny.pte"], 20)
        self.note("check of a small .pte, start to exit", seconds * 1e3, "ms", 10)

    def large_constants(self):
        small, large = DATA / "portable.pte", self.out / "gigabyte.pte"
        programs.grow_constants(small, large, GB)
        base = self.median([self.delegraph, "info", small], 20)
        grown = self.median([self.delegraph, "info", large], 20)
        self.note("info with 1 GB of constants / without, time", grown[0] / base[0], "x", 1.5)
        self.note("info with 1 GB of constants / without, memory", grown[1] / base[1], "x", 1.2)

    def large_files(self):
        """Programs of more than 2 GB, in holes, against small ones."""
        wide, grown = self.out / "wide.pt2", self.out / "grown.pte"
        programs.wide_mlp(DATA / "mlp.pt2", wide, 58_000_000)
        programs.grow_constants(DATA / "portable.pte", grown, 2_400_000_000)
        for small, large in ((DATA / "mlp.pt2", wide), (DATA / "portable.pte", grown)):
            what = f"a {large.suffix} of {large.stat().st_size / GB:.1f} GB"
            picture = ["-T", "svg", "-o", self.out / "large.svg"]
            base = self.median([self.delegraph, "dot", small, *picture], 10)
            seconds, _ = self.median([self.delegraph, "dot", large, *picture], 10)
            self.note(f"dot of {what} / of a small one", seconds / base[0], "x", 1.5)
            for verb, most, options in (("check", 0.2, []),
                                        ("report", 0.5, ["-o", self.out / "large.html"])):
                seconds, peak = self.median([self.delegraph, verb, large, *options], 5)
                self.note(f"{verb} of {what}", seconds, "s", most)
                self.note(f"{verb} of {what}, peak memory", peak, "MB", 100)

    def large_json(self):
        chain = self.out / "chain.pt2"
        size = programs.long_chain(DATA / "mlp.pt2", chain, 110 * MB)
        got = self.middle([self.load, "read", chain], "read_seconds")
        self.note("model JSON", size / MB, "MB")
        self.note("nodes in it", got["nodes"], "")
        self.note("JSON to rows", size / 1e6 / got["read_seconds"], "MB/s", 400, False)
        self.note("JSON to rows, peak memory / JSON", got["read_peak_mb"] * MB / size, "x", 3)
        self.note("rows to store", got["store_seconds"], "s")
        seconds, peak = self.median([self.delegraph, "info", chain], 3)
        self.note("info on it, start to exit", seconds, "s")
        self.note("info on it, peak memory / JSON", peak * MB / size, "x", 3)

    def large_store(self):
        store = self.out / "million.db"
        got = json.loads(run([self.load, "write", store, 1_000_000]))
        self.note("durable load of 1M nodes, 2M edges", got["seconds"], "s", 2.5)
        out = run([self.delegraph, "check", "--timing", "--format", "json",
                            "--select", "graph", store], codes=(0, 1))
        for timed in json.loads(out)["timing"]:
            if timed["rule"].startswith("graph/"):
                self.note(f"{timed['rule']} on it", timed["seconds"], "s", 0.5)

    def rules(self):
        """The whole catalogue: seconds of this process on a chain and on wide programs."""
        timer = self.load.with_name("bench_rules")
        for what, most in (("pt2", 1), ("plan", 2), ("pte", 2)):
            for count, target in ((10_000, 0.05), (1_000_000, most)):
                self.note_rules(f"all rules on {what}, {count:,} nodes", target,
                                [timer, "chain", what, count])
        for what in ("lists", "delegates", "constants", "named", "shared"):
            self.note_rules(f"all rules on 20,000 {what}", None,
                            [timer, "wide", what, 20_000])

    def note_rules(self, name, target, command):
        got = self.middle(command, "seconds")
        worst = max(got["rules"], key=lambda rule: rule["seconds"])
        self.note(name, got["seconds"], "s", target)
        self.note(f"  most: {worst['rule']}", worst["seconds"], "s")

    def partitioner(self):
        partition.measure(self)

    def reports(self):
        bench_report.measure(self)

    def gate(self):
        bench_gate.measure(self)

    def fleet(self):
        bench_fleet.measure(self)

    def models(self):
        bench_run.measure(self)

    def blobs(self):
        bench_blobs.measure(self)

    def partitioners(self):
        partitioners.measure(self)

    def peers(self):
        peers.measure(self)


def main(build, out):
    bench = Bench(pathlib.Path(build), pathlib.Path(out))
    for part in (bench.small_info, bench.many, bench.large_constants, bench.large_files,
                 bench.large_json, bench.large_store, bench.rules, bench.peers,
                 bench.partitioner, bench.partitioners, bench.reports, bench.gate, bench.fleet,
                 bench.models, bench.blobs):
        try:
            part()
        except (RuntimeError, OSError, ValueError, KeyError,
                subprocess.SubprocessError) as error:
            bench.fail(part.__name__, error)
    path = bench.out / "bench.json"
    path.write_text(json.dumps({"schema_version": 1, "measurements": bench.rows}, indent=1)
                    + "\n")
    page = ROOT / "doc" / "performance.md"
    performance.write(page, bench.delegraph, bench.rows)
    print(f"written to {path} and {page.relative_to(ROOT)}")
    return 0 if not any(row["met"] is False for row in bench.rows) else 1


sys.exit(main(sys.argv[1], sys.argv[2]))
