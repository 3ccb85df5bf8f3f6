"""Pictures and reports of large programs: seconds and memory, start to exit."""
import programs

MB = 1 << 20


def store_of(bench, name, n_nodes):
    """A deep Llama whose attention is tagged for a backend, as a file and as a store."""
    program, store = bench.out / f"{name}.pt2", bench.out / f"{name}.db"
    programs.deep_llama(bench.data / "llama.pt2", program, n_nodes, tagged="attention.")
    bench.run([bench.delegraph, "load", "--no-hash", program, "-o", store])
    return program, store


def measure_pictures(bench, store):
    for view in ("partitions", "modules", "graph"):
        for kind, target in (("dot", 0.1 if view == "partitions" else None), ("svg", 2)):
            command = [bench.delegraph, "dot", store, "--view", view, "-T", kind]
            seconds, _ = bench.median([*command, "-o", bench.out / f"{view}.{kind}"], 5)
            bench.note(f"dot --view {view} -T {kind}, 100,000 nodes", seconds, "s", target)


def measure_report(bench, source, what, seconds_most, peak_most, times):
    page = bench.out / "report.html"
    seconds, peak = bench.median([bench.delegraph, "report", source, "-o", page], times)
    bench.note(f"report of {what}", seconds, "s", seconds_most)
    bench.note(f"report of {what}, peak memory", peak, "MB", peak_most)
    return page.stat().st_size / MB


def measure(bench):
    program, _ = store_of(bench, "ten_thousand", 10_000)
    size = measure_report(bench, program, "a .pt2 of 10,000 nodes", 1.5, None, 5)
    bench.note("its size", size, "MB", 1.5)
    _, store = store_of(bench, "hundred_thousand", 100_000)
    measure_pictures(bench, store)
    program, store = store_of(bench, "million", 1_000_000)
    measure_report(bench, store, "a store of 1,000,000 nodes", 4, 300, 1)
    measure_report(bench, program, "a .pt2 of 1,000,000 nodes", 8, 1024 + program.stat().st_size / MB, 1)
