# Stores of older generations are brought up to date with all their rows, or are left as they are.
. "$top_srcdir/tests/robust/lib.sh"
python3 -c 'import sqlite3' 2>/dev/null || {
    echo 'skipped: python3 with sqlite3 is not here'
    exit 77
}

# Two programs, an ETDump and three builds, by the delegraph that was of generation 12.
old=$top_srcdir/tests/robust/generation_12.db.gz
gunzip -c "$old" >twelve.db
cp twelve.db fleet.db
expect 3 info fleet.db
says 'store of generation 12.*load --append -o .* brings it up to date'
expect 0 load --append -o fleet.db
cat >same.py <<'END'
"""Every column that both stores have holds the same."""
import sqlite3
import sys

old, new = (sqlite3.connect(path) for path in sys.argv[1:3])


def columns(store, table):
    return [row[1] for row in store.execute(f'PRAGMA table_info("{table}")')]


def tables(store):
    return {name for name, in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if not name.startswith("sqlite_")} - {"meta"}


rows = 0
for table in sorted(tables(old) & tables(new)):
    names = ", ".join(f'"{name}"' for name in columns(old, table) if name in columns(new, table))
    query = f'SELECT {names} FROM "{table}"'
    was, now = old.execute(query).fetchall(), new.execute(query).fetchall()
    if was != now:
        sys.exit(f"{table} has other rows")
    rows += len(now)
if not rows:
    sys.exit("there are no rows at all")
print(rows, "rows")
END
python3 same.py twelve.db fleet.db || flunk 'a store of generation 12 lost something'
expect 0 trend fleet.db profiled.pte --format csv
[ "$(wc -l <out)" = 3 ] || flunk 'a build is lost'
expect 0 check fleet.db --artifact 1
expect 0 query fleet.db @slowest
expect 0 query fleet.db --format plain "SELECT value FROM meta WHERE key = 'upgraded_from'"
grep -qx 12 out || flunk 'where it comes from is not told'

# And added to in one go, by several at once, each of which finds it old or not.
for i in 1 2 3; do
    cp twelve.db many.db
    for j in 1 2 3; do
        "$DELEGRAPH" load --append "$data/mlp.pt2" --name "at once" -o many.db &
    done
    wait
    "$DELEGRAPH" query many.db --format plain -q 'SELECT count(*) FROM build' | tail -1 >count.out
    [ "$(cat count.out)" = 6 ] || flunk "of six builds $(cat count.out) are there"
done

# changed FILE STATEMENT...: the store of generation 12, after SQL.
changed() {
    cp twelve.db "$1"
    python3 - "$@" <<'END'
import sqlite3
import sys

store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.create_function("dg_half", 1, lambda text: text, deterministic=True)
for name, in store.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
    store.execute(f"DROP VIEW {name}")
for statement in sys.argv[2:]:
    store.execute(statement)
store.execute("VACUUM")
END
}

# What came later than the store is not known; what it has that went since is left out.
changed older.db 'PRAGMA user_version = 9' 'DROP TABLE instruction_handle' \
    'ALTER TABLE delegate_value DROP COLUMN quantization' 'CREATE TABLE gone (id INTEGER PRIMARY KEY) STRICT' \
    'INSERT INTO gone VALUES (1)' 'ALTER TABLE node ADD COLUMN gone TEXT'
expect 0 load --append -o older.db
expect 0 info older.db
expect 0 query older.db --format plain 'SELECT count(*) FROM instruction_handle'

# refused WHY STATEMENT...: it stays as it was, and why is said.
refused() {
    why=$1
    shift
    changed bad.db "$@"
    cp bad.db kept.db
    expect 3 load --append "$data/tiny.pte" -o bad.db
    says "$why"
    cmp -s bad.db kept.db || flunk "$why: the store was changed"
    [ "$(ls ./*.part 2>/dev/null | wc -l)" = 0 ] || flunk "$why: unfinished files are left"
}
refused 'generation 99.*it is of a newer delegraph' 'PRAGMA user_version = 99'
refused 'its table build has no name, which generation [0-9]+ cannot do without' \
    'DROP INDEX build_name' 'ALTER TABLE build DROP COLUMN name'
refused 'node 1: graph_id is 999, which refers to nothing' 'UPDATE node SET graph_id = 999 WHERE id = 1'
refused 'node' 'DELETE FROM node WHERE id = 1'
# Other tables than delegraph's under their names: types that are none, doubles, code.
refused 'label' 'DROP TABLE build_label' 'CREATE TABLE build_label (build_id, name, value)' \
    "INSERT INTO build_label VALUES ('x', 'a', 'b')"
refused 'label' 'DROP TABLE build_label' 'CREATE TABLE build_label (build_id, name, value)' \
    "INSERT INTO build_label VALUES (1, 'a', 'b'), (1, 'a', 'c')"
refused 'label' 'DROP TABLE build_label' \
    "CREATE VIEW build_label AS SELECT 1 AS build_id, 'a' AS name, 'b' AS value"
refused 'label' 'DROP TABLE build_label' \
    "CREATE TABLE build_label (build_id, name, value AS (dg_half(name)))" \
    "INSERT INTO build_label VALUES (1, 'a')"

# Pages that are torn.
cp twelve.db bad.db
python3 - <<'END'
with open("bad.db", "r+b") as file:
    for page in range(6, 20):
        file.seek(8192 * page + 8)
        file.write(b"\xff" * 600)
END
cp bad.db kept.db
expect 3 load --append -o bad.db
says 'damaged store|malformed'
cmp -s bad.db kept.db || flunk 'a damaged store was changed'
head -c 100000 twelve.db >bad.db
cp bad.db kept.db
expect 3 load --append -o bad.db
cmp -s bad.db kept.db || flunk 'a store that was cut off was changed'

# Killed in the middle, it is what it was or what it becomes.
for i in 1 2 3 4 5 6; do
    cp twelve.db killed.db
    "$DELEGRAPH" load --append "$data"/*.pte -o killed.db >out 2>err &
    sleep "0.0$i"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    cmp -s killed.db twelve.db || expect 0 info killed.db
done
finish
