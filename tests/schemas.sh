# What delegraph prints as JSON is what doc/schema says, for every shipped program.
python=
for each in python3 /usr/bin/python3; do
    "$each" -c 'import jsonschema' 2>/dev/null && python=$each && break
done
test -n "$python" || exit 77
cd "$top_srcdir" || exit 99
exec "$python" - "$DELEGRAPH" <<'END'
import csv
import io
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

from jsonschema import Draft202012Validator

delegraph = sys.argv[1]
failures = 0
kinds = "nodes values delegates segments constants ops named-data methods graphs arenas signature"


def schema(name):
    text = Path(f"doc/schema/{name}.schema.json").read_text(encoding="utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    return Draft202012Validator(json.loads(text))


schemas = {name: schema(name) for name in ("info", "ls", "check", "query", "explain", "devices", "diff", "partition", "rules", "run", "trend", "coverage")}


def hold(verb, *arguments, codes=(0,), by=None):
    global failures
    command = [delegraph, verb, *arguments, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        problems = [f"exit {done.returncode}: {done.stderr.strip()}"]
    elif not done.stdout and done.returncode == 3:
        problems = []
    else:
        problems = [e.json_path + ": " + e.message[:200]
                    for e in schemas[by or verb].iter_errors(json.loads(done.stdout))]
    for problem in problems[:5]:
        print(" ".join(command[1:]), problem)
    failures += bool(problems)


modes = ("torch", "aoti", "single", "group")
programs = sorted(str(p) for p in Path("tests/data").iterdir() if p.suffix in (".pte", ".pt2", ".ptd"))
for number, program in enumerate(programs):
    hold("info", "--hash", "--memory", program)
    hold("check", "--timing", program, codes=(0, 1))
    if program.endswith(".pt2") and not program.endswith("aoti_package.pt2"):
        hold("partition", "--mode", modes[number % 4], "--lower", program, codes=(0, 1))
    for kind in kinds.split() if number % 8 == 0 else ["nodes"]:
        hold("ls", program, "--what", kind)
    hold("ls", program, "--tree")
hold("rules")
hold("rules", "memory/extent")
hold("rules", "constant/no-copy")
hold("info", *programs[:3])
hold("check", *programs[:3], codes=(0, 1))
for program in [p for p in programs if p.endswith(".pt2")][::4]:
    hold("explain", program, codes=(0, 3))
    hold("explain", program, "--backend", "xnnpack", codes=(0, 3))
bert = "tests/data/bert.pt2"
hold("explain", bert, "gelu")
hold("explain", bert, "--unsupported-ops", "aten::gelu", "--what-if", "aten::gelu")
external = "tests/data/external.pte"
hold("check", external, external.replace(".pte", "_default_external_constant.ptd"), "--program", "tests/data/mlp.pt2")
hold("check", external, "--ops", "portable", "--methods", "a,b", "--backends", "none", "--limit", "peak-memory=1", codes=(1,))
for program in [p for p in programs if p.endswith((".pt2", ".pte"))][::4]:
    hold("run", program, codes=(0, 1, 3))
    hold("run", "--coverage", program, codes=(0, 3), by="coverage")
hold("run", bert, "--each", "--repeat", "2")
hold("run", bert, "--bisect", "--isolate", "--nodes", "linear_1..linear_9")
lowered = "tests/data/on_cuda_exir.pt2"
hold("devices", lowered, "--against", "tests/data/on_cuda.pte")
hold("devices", lowered, "--skip-h2d-inputs", codes=(1,))
hold("devices", lowered, "--no-device-planning", "--against", "tests/data/on_cuda.pte", codes=(1,))
for old, new, code in (("mlp.pt2", "mlp.pt2", 0), ("squeeze.pt2", "squeeze_retrained.pt2", 1), ("bert.pt2", "llama.pt2", 1),
                       ("squeeze_xnnpack.pte", "squeeze_portable.pte", 1), ("on_cuda.pte", "two_backends.pte", 1)):
    hold("diff", f"tests/data/{old}", f"tests/data/{new}", codes=(code,))
with tempfile.TemporaryDirectory() as folder:
    fleet = f"{folder}/fleet.db"
    for label in ("day=1", "day=2"):
        subprocess.run([delegraph, "load", "--append", *programs[:9], "--label", label, "-o", fleet], check=True)
    hold("trend", fleet)
    hold("trend", fleet, Path(programs[0]).name)
hold("query", programs[0], "SELECT *, 1.5, 1e999, x'00', NULL FROM v_artifact")


def well_formed(form, text):
    """What is wrong with a report that no JSON Schema describes."""
    if form == "junit":
        for suite in xml.etree.ElementTree.fromstring(text):
            cases = suite.findall("testcase")
            counts = [len(cases)] + [sum(case.find(tag) is not None for case in cases) for tag in ("failure", "error")]
            said = [int(suite.get(name)) for name in ("tests", "failures", "errors")]
            if counts != said:
                return [f"{suite.get('name')}: {said} are said, {counts} are there"]
    elif form == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        return [f"a row of {len(row)}" for row in rows if len(row) != len(rows[0])]
    elif form == "github":
        command = re.compile(r"::(error|warning|notice) (file=[^,:]+,line=\d+,)?title=[^,:]+::.+")
        return [line for line in text.splitlines() if not command.fullmatch(line)]
    return []


def hold_reports(*arguments):
    """All formats of one run of check, each in its file."""
    global failures, n_results
    forms = ("sarif", "gitlab", "jsonl", "junit", "csv", "github", "md")
    with tempfile.TemporaryDirectory() as folder:
        reports = [word for form in forms for word in ("--report", f"{form}={folder}/{form}")]
        command = [delegraph, "check", *arguments, *reports]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        problems = [] if done.returncode in (0, 1, 3) else [f"exit {done.returncode}: {done.stderr.strip()}"]
        for form in forms:
            text = (Path(folder) / form).read_text(encoding="utf-8")
            if form in reports_of:
                documents = map(json.loads, text.splitlines() if form == "jsonl" else [text])
                problems += [f"{form}: {e.json_path}: {e.message[:200]}" for document in documents
                             for e in reports_of[form].iter_errors(document)]
            problems += [f"{form}: {problem}" for problem in well_formed(form, text)]
        n_results += (Path(folder) / "csv").read_text(encoding="utf-8").count("\n") - 1
    for problem in problems[:5]:
        print("check", *arguments, problem)
    failures += bool(problems)


n_results = 0
reports_of = {form: schema(f"check_{form}") for form in ("sarif", "gitlab", "jsonl")}
for program in [*programs[::3], *sorted(str(p) for p in Path("tests/data/mutants").iterdir())[::3]]:
    hold_reports(program, "--source-root", "tests/golden/checkout", "--backends", "none", "--ops", "tests/golden/target/ops.txt")
hold_reports(*programs[:40], "tests/data/missing.pte")
with tempfile.TemporaryDirectory() as folder:
    known = f"{folder}/known.json"
    wrong = "tests/data/on_cuda_planned_on_host.pte"
    made = subprocess.run([delegraph, "baseline", "write", wrong, "--fail-on", "note", "--baseline", known], check=False)
    failures += made.returncode != 0
    for error in schema("baseline").iter_errors(json.loads(Path(known).read_text(encoding="utf-8"))):
        print("baseline", error.json_path, error.message[:200])
        failures += 1
    hold_reports(wrong, "--baseline", known)
    hold("check", wrong, "--baseline", known)
run = ["tests/data/squeeze_portable.pte", "--program", "tests/data/squeeze_retrained.pt2", "--numerics"]
hold("check", *run, codes=(1,))
hold_reports(*run, "tests/data/bert_xnnpack.pte")
told = json.loads(subprocess.run([delegraph, "check", *run, "--format", "json"], capture_output=True, check=False).stdout)
for error in (error for each in told["numerics"] for error in schemas["run"].iter_errors(each)):
    print("numerics", error.json_path, error.message[:200])
    failures += 1
failures += len(told["numerics"]) != 1

# JSON is YAML: policies that the schema takes are those that delegraph takes.
good = [{"fail-on": "never"}, {"select": "memory"}, {"ignore": ["memory", "graph/*"]}, {"severity": {"memory/peak": "note"}},
        {"budgets": {"file-size": 1000, "partition-count": ["3"], "delegated-share": "90%"}}, {"version": 1, "backends": ["X"]},
        {"against": "none"}, {"budgets": {"file-size": ["1MiB", "+2%"], "planned-memory.cuda": "none"}},
        {"numerics": {"atol": 0.5, "rtol": "1e-3"}}, {"rules-timeout": 5, "methods": "forward"},
        {"programs": [{"files": "*.pte", "budgets": {"file-size": "1MiB"}, "ops": "portable"}]},
        {"suppressions": [{"rule": "memory", "files": ["a/**"], "where": "x", "reason": "a", "owner": "b", "expires": "2999-01-31"}]}]
bad = [{}, [], "memory", {"fail-on": "fatal"}, {"fail-on": ["note"]}, {"fail_on": "note"}, {"select": []}, {"select": {}},
       {"select": [""]}, {"severity": {"memory": "off"}}, {"severity": {}}, {"severity": ["memory"]}, {"budgets": {"file-size": []}},
       {"budgets": "1MiB"}, {"budgets": {"file-size": "much"}}, {"budgets": {"file-siez": 1}}, {"against": []}, {"numerics": {"snr": 1}}, {"numerics": {"atol": "x"}},
       {"version": 2}, {"rules-timeout": "soon"}, {"programs": {}}, {"programs": [{"budgets": {"file-size": 1}}]},
       {"programs": [{"files": "a", "fail-on": "note"}]}, {"programs": ["a"]}, {"suppressions": [{"rule": "memory"}]},
       {"suppressions": [{"rule": "budget/file-size", "reason": "a", "owner": "b", "expires": "2999-01-31"}]},
       {"suppressions": [{"rule": "budget", "reason": "a", "owner": "b", "expires": "2999-01-31"}]},
       {"suppressions": [{"rule": "memory", "reason": "a", "owner": "b", "expires": "soon"}]}, {"baseline": ["a", "b"]}]
with tempfile.TemporaryDirectory() as folder:
    for wanted, policies in ((True, good), (False, bad)):
        for policy in policies:
            path = Path(folder) / "policy.yaml"
            path.write_text(json.dumps(policy), encoding="utf-8")
            done = subprocess.run([delegraph, "check", "--explain-config", "--config", str(path)], capture_output=True, check=False)
            said = (schema("policy").is_valid(policy), done.returncode == 0)
            if said != (wanted, wanted):
                print(f"policy {policy}: valid by schema, taken by delegraph: {said}, expected {wanted}; {done.stderr.decode()}")
                failures += 1
if n_results < 200:
    print(f"only {n_results} findings are in reports: they show nothing")
    failures += 1
print(f"{len(programs)} programs, {failures} answers unlike their schema")
sys.exit(failures > 0)
END
