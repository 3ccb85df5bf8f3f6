#!/usr/bin/env python3
"""Hold SARIF of delegraph to the schema that OASIS publishes.

    check_sarif.py --delegraph PROGRAM [--schema FILE]

The schema is https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json,
as FILE, or in the environment as DELEGRAPH_SARIF_SCHEMA; without either it is fetched. It is taken
by its digest alone. Documents with one mistake show that it judges.
"""

import argparse
import copy
import hashlib
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import jsonschema

TOP = Path(__file__).resolve().parent.parent.parent
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SHA256 = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
MISTAKES = {
    "level": lambda result: result.update(level="fatal"),
    "message": lambda result: result.pop("message"),
    "line": lambda result: result["locations"][0]["physicalLocation"]["region"].update(startLine=0),
    "unknown": lambda result: result.update(colour="red"),
    "fingerprint": lambda result: result.update(partialFingerprints={"a": 1}),
}


def published(path):
    path = path or os.environ.get("DELEGRAPH_SARIF_SCHEMA")
    if path:
        data = Path(path).read_bytes()
    else:
        with urllib.request.urlopen(SCHEMA, timeout=60) as answer:
            data = answer.read()
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(f"{path or SCHEMA}: another schema than the published one")
    return json.loads(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--schema")
    given = parser.parse_args()
    validator = jsonschema.Draft4Validator(published(given.schema))
    data = TOP / "tests" / "data"
    programs = sorted(path for path in [*data.iterdir(), *(data / "mutants").iterdir()] if path.suffix in (".pte", ".pt2", ".ptd"))
    options = (["--backends", "none", "--ops", TOP / "tests/golden/target/ops.txt", "--source-root", TOP / "tests/golden/checkout"],
               ["--rules", TOP / "doc/rules.d", "--config", TOP / "tests/golden/policies/team.yaml"])
    batches = [[program] for program in programs] + [programs[:60], [*programs[:3], data / "missing.pte"]]
    results = failures = documents = 0
    sample = None
    for batch in batches:
        for words in options:
            done = subprocess.run([given.delegraph, "check", *batch, "--format", "sarif", *words],
                                  capture_output=True, text=True, check=False)
            if not done.stdout and done.returncode == 3:
                continue
            document = json.loads(done.stdout)
            documents += 1
            found = [result for run in document["runs"] for result in run["results"]]
            results += len(found)
            if found and not sample and "region" in found[0]["locations"][0]["physicalLocation"]:
                sample = document
            for error in validator.iter_errors(document):
                failures += 1
                print(batch[0], words[0], error.json_path, error.message[:200], flush=True)
    for name, spoil in MISTAKES.items():
        wrong = copy.deepcopy(sample)
        spoil(wrong["runs"][0]["results"][0])
        if validator.is_valid(wrong):
            failures += 1
            print(f"the schema takes a document with the mistake {name}")
    print(f"{documents} documents, {results} results, {failures} not as the schema has them")
    return failures > 0 or results < 500


if __name__ == "__main__":
    sys.exit(main())
