#!/usr/bin/env python3
"""Holds tables, views and named queries of a PostgreSQL server to those of the store that was pushed.

    postgres_compare.py DELEGRAPH STORE CONNINFO [moved]

Of the first store that was pushed there ids are the same; "moved": they are not, and not
compared: of tables, which are little else, only how many rows there are. Rows of views come in any order, those of queries in theirs; items of lists that
neither orders in any.
"""

import collections
import json
import math
import sqlite3
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[-1][:200]}: {done.stderr}")
    return done.stdout


def here(delegraph, store, question, *parameters):
    return json.loads(run(delegraph, "query", store, "--format", "json",
                          *parameters, question))["rows"]


MARK = "-- what follows is of the next one"


def there(conninfo, relations, settings=()):
    """Rows of each relation, by its name, over one connection."""
    words = []
    for name, value in (("search_path", "delegraph"), *settings):
        words += ["-c", f"SET {name} = '{value}'"]
    for relation in relations:
        words += ["-c", f"SELECT coalesce(json_agg(row_to_json(one)), '[]') FROM {relation} AS one",
                  "-c", f"\\echo '{MARK}'"]
    texts = run("psql", conninfo, "-qAt", "-v", "ON_ERROR_STOP=1", *words).split(MARK)
    return dict(zip(relations, map(json.loads, texts[:-1])))


def as_here(value):
    """Blobs are text where they can be read."""
    if isinstance(value, str) and value.startswith("\\x"):
        data = bytes.fromhex(value[2:])
        return data.decode() if data.isascii() and data.decode().isprintable() else f"hex:{value[2:]}"
    return value


def number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def is_json(value):
    try:
        return isinstance(value, str) and value[:1] in ("[", "{") and json.loads(value) is not None
    except ValueError:
        return False


def same(a, b):
    if a == b or as_here(b) == a:
        return True
    if None in (a, b):
        return False
    if is_json(a) and is_json(b):
        return json.loads(a) == json.loads(b)
    if number(a) is not None and number(b) is not None:
        return abs(number(a) - number(b)) <= 1e-12 * abs(number(a))
    return sorted(str(a).split(",")) == sorted(str(b).split(","))


def key(row):
    """The same for what same() holds to be the same."""
    def word(value):
        if number(value) is not None:
            return f"{number(value):.9g}"
        if is_json(value):
            return json.dumps(json.loads(value))
        value = as_here(value) if isinstance(value, str) else json.dumps(value)
        return ",".join(sorted(value.split(",")))
    return [word(value) for value in row.values()]


def unequal(ours, theirs):
    """Without the rows that are in both to the letter."""
    texts = [[json.dumps(row, sort_keys=True) for row in rows] for rows in (ours, theirs)]
    both = collections.Counter(texts[0]) & collections.Counter(texts[1])
    left = []
    for rows, words in zip((ours, theirs), texts):
        taken = both.copy()
        left.append([])
        for row, word in zip(rows, words):
            if taken[word]:
                taken[word] -= 1
            else:
                left[-1].append(row)
    return left


def compare(name, ours, theirs, ordered):
    if len(ours) != len(theirs):
        return [f"{name}: {len(ours)} rows, there {len(theirs)}"]
    if not ordered:
        ours, theirs = (sorted(rows, key=key) for rows in unequal(ours, theirs))
    for at, (a, b) in enumerate(zip(ours, theirs)):
        wrong = [c for c in a if c not in b or not same(a[c], b[c])]
        if wrong or len(a) != len(b):
            return [f"{name}, row {at}: {wrong}: {[a[c] for c in wrong]},"
                    f" there {[b.get(c) for c in wrong]}"]
    return []


def cell(value):
    """As delegraph tells it."""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if not isinstance(value, bytes):
        return value
    return value.decode() if value.isascii() and value.decode().isprintable() else f"hex:{value.hex()}"


def compare_tables(delegraph, store, conninfo, moved):
    """How many tables, how many rows, what differs; what is of the store as such is not pushed."""
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    tables = [name for name, in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE"
        " 'sqlite_%' AND name NOT IN ('meta', 'setting')")]
    theirs_of = there(conninfo, [f'"{name}"' for name in tables])
    rows, wrong = 0, []
    for name in tables:
        found = db.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in found.description]
        ours = [dict(zip(columns, map(cell, row))) for row in found]
        ours = ours or here(delegraph, store, f'SELECT * FROM "{name}"')  # made when it is asked for
        theirs = theirs_of[f'"{name}"']
        if not moved:
            wrong += compare(name, ours, theirs, False)
        elif len(ours) != len(theirs):
            wrong.append(f"{name}: {len(ours)} rows, there {len(theirs)}")
        rows += len(ours)
    return len(tables), rows, wrong


def without_ids(rows):
    return [{name: value for name, value in row.items()
             if not name.endswith("_id") and name != "companion_of"} for row in rows]


def main():
    delegraph, store, conninfo = sys.argv[1:4]
    moved = sys.argv[4:] == ["moved"]
    views = [row["name"] for row in here(
        delegraph, store, "SELECT name FROM sqlite_schema WHERE type = 'view'")]
    queries = [line.split()[0] for line in run(delegraph, "query", "--list").splitlines()
               if line.startswith("@")]
    node = here(delegraph, store, "SELECT name FROM v_node ORDER BY node_id LIMIT 1")[0]["name"]
    n_tables, rows, wrong = compare_tables(delegraph, store, conninfo, moved)
    pushed = {name: "q_" + name[1:].replace("-", "_") for name in queries}
    theirs_of = there(conninfo, [*views, *pushed.values()], [("delegraph.node", node)])
    for name in views:
        ours, theirs = here(delegraph, store, f"SELECT * FROM {name}"), theirs_of[name]
        if moved:
            ours, theirs = without_ids(ours), without_ids(theirs)
        wrong += compare(name, ours, theirs, False)
        rows += len(ours)
    for name in queries:
        given = ["-p", f"node={node}"] if name in ("@impact", "@depends") else []
        ours = here(delegraph, store, name, *given)
        wrong += compare(name, ours, theirs_of[pushed[name]], True)
        rows += len(ours)
    for line in wrong:
        print(line)
    print(f"{n_tables} tables, {len(views)} views, {len(queries)} queries, {rows} rows: {len(wrong)} differ")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
