#!/usr/bin/env python3
"""Holds what `export` writes to the store, read by DuckDB, and by Spark and ClickHouse where they are.

    check_exports.py --delegraph PROGRAM

All shipped programs, and builds with a measured run, labels of any bytes and empty texts, are
exported as CSV, JSON lines and Parquet. Each table of each format has the rows, the values and
the types that SQLite has; three questions over Parquet have the answers of the store.
"""

import argparse
import collections
import hashlib
import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

DATA = Path(__file__).resolve().parent.parent / "data"
TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE", "BLOB": "VARCHAR"}
QUESTIONS = [
    "SELECT op.name, count(*) AS calls FROM node JOIN op ON op.id = node.op_id GROUP BY op.name",
    "SELECT kind, count(*), sum(stored_bytes) FROM segment GROUP BY kind",
    "SELECT artifact.path, count(*) FROM artifact JOIN method ON method.artifact_id = artifact.id"
    " JOIN graph ON graph.method_id = method.id JOIN node ON node.graph_id = graph.id"
    " GROUP BY artifact.path",
]


def run(*command):
    """With the Python that has DuckDB's module as python3."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([str(word) for word in command], check=True, capture_output=True,
                   env={**os.environ, "PATH": path})


def stores(delegraph, folder):
    seen, unique = set(), []
    for path in sorted([*DATA.glob("*.pt2"), *DATA.glob("*.pte")]):
        digest = hashlib.sha256(path.read_bytes()).digest()
        unique += [path] if digest not in seen else []
        seen.add(digest)
    run(delegraph, "load", *unique, "-o", folder / "programs.db")
    for label in ("day=1", 'note=a,"b"\n\tc\\x41', "empty="):
        run(delegraph, "load", "--append", DATA / "profiled.pte", DATA / "profiled_trace.etdp",
            "--name", "fleet, of one", "--label", label, "-o", folder / "builds.db")
    return folder / "programs.db", folder / "builds.db"


def source(folder, table, form):
    path = folder / table["file"]
    if form == "parquet":
        return f"read_parquet('{path}')"
    columns = ", ".join(f"'{c['name']}': '{TYPES.get(c['type'], 'VARCHAR')}'"
                        for c in table["columns"])
    if form == "csv":
        return (f"read_csv('{path}', auto_detect = false, header = true, delim = ',', quote = '\"',"
                f" escape = '\"', nullstr = '', allow_quoted_nulls = false, parallel = false,"
                f" max_line_size = 268435456, columns = {{{columns}}})")
    return f"read_json('{path}', format = 'newline_delimited', columns = {{{columns}}})"


def word(value, kind, form):
    """One spelling for what all formats mean: blobs as digits, ANY as text."""
    if isinstance(value, bytes):
        return value.hex()
    if kind == "ANY" and value is not None:
        try:
            return repr(float(value))
        except ValueError:
            pass
    if isinstance(value, float) and (math.isinf(value) or math.isnan(value)):
        return str(value)
    if isinstance(value, str) and form == "parquet":
        return value.replace("\\x41", "\\x5cx41")
    return value


def rows_of(rows, table, form):
    kinds = [column["type"] for column in table["columns"]]
    return collections.Counter(
        tuple(word(value, kind, form) for value, kind in zip(row, kinds)) for row in rows)


def compare(store, folder, form):
    manifest = json.loads((folder / "manifest.json").read_text())
    database = sqlite3.connect(store)
    faults, n = [], 0
    for table in manifest["tables"]:
        if table["name"] in ("cost", "delegate_cost", "lifetime", "occupancy", "lineage"):
            continue  # worked out when they are asked for: the store in the file has none
        kinds = [column["type"] for column in table["columns"]]
        if form == "jsonl" and "BLOB" in kinds:
            continue  # there blobs are text where they can be read
        theirs = duckdb.execute(f"SELECT * FROM {source(folder, table, form)}").fetchall()
        ours = database.execute(f"SELECT * FROM {table['name']}").fetchall()
        n += len(ours)
        if len(theirs) != table["rows"] or len(ours) != table["rows"]:
            faults.append(f"{form} {table['name']}: {len(theirs)} rows, the manifest has"
                          f" {table['rows']}, the store {len(ours)}")
            continue
        got, wanted = rows_of(theirs, table, ""), rows_of(ours, table, form)
        if got != wanted:
            faults.append(f"{form} {table['name']}: {list((got - wanted).items())[:1]}, expected"
                          f" {list((wanted - got).items())[:1]}"[:600])
    return n, faults


def answers(ask):
    return [sorted(tuple(row) for row in ask(question)) for question in QUESTIONS]


def ask_duckdb(folder):
    def ask(question):
        connection = duckdb.connect()
        for path in folder.glob("*.parquet"):
            connection.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM read_parquet('{path}')")
        return connection.execute(question).fetchall()
    return ask


def ask_spark(folder):
    if not shutil.which("java"):
        return None
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    for path in folder.glob("*.parquet"):
        session.read.parquet(str(path)).createOrReplaceTempView(path.stem)
    return lambda question: [tuple(row) for row in session.sql(question).collect()]


def ask_clickhouse(folder):
    """Its engine, where chdb of PyPI is there: it takes most of a gigabyte."""
    try:
        from chdb import session
    except ImportError:
        return None
    engine = session.Session()
    for path in folder.glob("*.parquet"):
        engine.query(f"CREATE VIEW `{path.stem}` AS SELECT * FROM file('{path}', Parquet)")
    numbers = " SETTINGS output_format_json_quote_64bit_integers = 0"
    return lambda question: map(json.loads, str(engine.query(
        question + numbers, "JSONCompactEachRow")).splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    given = parser.parse_args()
    faults, tables, engines = [], 0, []
    with tempfile.TemporaryDirectory() as place:
        programs, builds = stores(given.delegraph, Path(place))
        for store in (programs, builds):
            for form in ("csv", "jsonl", "parquet"):
                folder = Path(place, f"{store.stem}_{form}")
                run(given.delegraph, "export", store, "--format", form, "-o", folder)
                n, wrong = compare(store, folder, form)
                tables += n
                faults += wrong
        wanted = answers(sqlite3.connect(programs).execute)
        for name, engine in (("DuckDB", ask_duckdb), ("Spark", ask_spark),
                             ("ClickHouse", ask_clickhouse)):
            ask = engine(Path(place, "programs_parquet"))
            if ask:
                engines.append(name)
                faults += [f"{name}: another answer to question {i}"
                           for i, (a, b) in enumerate(zip(answers(ask), wanted)) if a != b]
    for fault in faults:
        print("FAULT", fault)
    print(f"exports: {tables} rows in three formats as the store has them, {len(QUESTIONS)} questions to"
          f" {' and '.join(engines)}; {len(faults)} faults")
    return 1 if faults or not tables else 0


if __name__ == "__main__":
    sys.exit(main())
