"""The gate: seconds of comparing two programs, and of writing findings for a page of CI."""
import programs

RULE = """-- id: user/nodes-{number}
-- severity: error
-- text: there are few nodes
-- why: the time of writing many findings is measured
SELECT node_id, name || ' is one more' AS message FROM v_node
 WHERE node_id BETWEEN {number} * 1000 + 1 AND {number} * 1000 + 1000
"""


def pair_of(bench, name, n_nodes):
    """A deep Llama and one with a layer less."""
    paths = [bench.out / f"{name}.pt2", bench.out / f"{name}_less.pt2"]
    for path, count in zip(paths, (n_nodes, n_nodes - 60)):
        programs.deep_llama(bench.data / "llama.pt2", path, count)
    return paths


def measure_diff(bench, files, what, most, times):
    seconds, peak = bench.median([bench.delegraph, "diff", *files], times, codes=(1,))
    bench.note(f"diff of two {what}", seconds, "s", most)
    bench.note(f"diff of two {what}, peak memory", peak, "MB")


def measure_sarif(bench, program):
    rules = bench.out / "rules.d"
    rules.mkdir(exist_ok=True)
    for number in range(5):  # what one rule finds is folded after a thousand
        (rules / f"nodes-{number}.sql").write_text(RULE.format(number=number))
    command = [bench.delegraph, "check", "-q", "--exit-zero", "--rules", rules,
               "--select", "user", program]
    without, _ = bench.median(command, 5)
    seconds, _ = bench.median([*command, "--report", f"sarif={bench.out / 'first.sarif'}"], 5)
    bench.note("check of a .pt2 of 10,000 nodes with 5,000 findings", without, "s")
    bench.note("SARIF of them", seconds - without, "s", 0.2)


def measure(bench):
    small = pair_of(bench, "ten_thousand", 10_000)
    measure_diff(bench, small, ".pt2 of 10,000 nodes", 0.2, 5)
    measure_sarif(bench, small[0])
    large = pair_of(bench, "million_plain", 1_000_000)
    stores = [path.with_suffix(".db") for path in large]
    for path, store in zip(large, stores):
        bench.run([bench.delegraph, "load", "--no-hash", path, "-o", store])
    measure_diff(bench, stores, "stores of 1,000,000 nodes", 5, 3)
    measure_diff(bench, large, ".pt2 of 1,000,000 nodes", 5, 3)
