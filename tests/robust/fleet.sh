# Pages and pictures of stores of many builds: what became worse is told where it did, and nowhere else; names are
# no markup; what is damaged is refused; many builds take little time and room.
. "$top_srcdir/tests/robust/lib.sh"

# A store of real builds, in which numbers are then made.
expect 0 load --append "$data/squeeze_portable.pte" "$data/squeeze_xnnpack.pte" "$data/mlp.pt2" -o real.db

cat >made.py <<'END_OF_PYTHON'
"""made.py STORE NAMES BUILDS: builds model-0000 and so on, one of each name a day, all alike."""
import shutil
import sqlite3
import sys

path, names, days = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SAME = {"file-size": 1e6, "delegated-ops": 0.9, "partition-count": 2, "peak-memory": 4096, "host-calls": 3, "flops": 1e6,
        "errors": 0, "warnings": 1, "warning:graph/made": 1, "notes": 2, "note:graph/made": 2, "time": 1e6}
shutil.copy("real.db", path)
db = sqlite3.connect(path)
for table in "build", "build_label", "measure":
    db.execute(f"DELETE FROM {table}")
builds = [(day * names + name + 1, name, day) for day in range(days) for name in range(names)]
db.executemany("INSERT INTO build VALUES (?, ?, ?, NULL)", [(b, 1 + name % 3, f"model-{name:04d}") for b, name, _ in builds])
db.executemany("INSERT INTO build_label VALUES (?, 'day', ?)", [(b, f"{day:05d}") for b, _, day in builds])
db.executemany("INSERT INTO measure VALUES (?, ?, ?)", [(b, *m) for b, _, _ in builds for m in SAME.items()])
db.commit()
END_OF_PYTHON

# change STORE NAME SQL...: statements about build :newest of a name.
change() {
    python3 - "$@" <<'END_OF_PYTHON'
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
newest, = db.execute("SELECT max(id) FROM build WHERE name = ?", (sys.argv[2],)).fetchone()
for statement in sys.argv[3:]:
    db.execute(statement, {"newest": newest} if ":newest" in statement else {})
db.commit()
END_OF_PYTHON
}

# lines FILE WANTED...: the table of regressions in a comment has these names and what became worse of them.
lines() {
    sed -n '/^### Regressions/,/^###/s/^| `\([^|]*\)` | \([^|]*\) |.*/\1: \2/p' "$1" >lines.out
    shift
    printf '%s\n' "$@" | sed '/^$/d' >lines.wanted
    cmp -s lines.wanted lines.out || flunk "regressions are:
$(cat lines.out)"
}

set_to() {
    echo "UPDATE measure SET value = $2 WHERE build_id = :newest AND name = '$1'"
}

# In a healthy fleet there is nothing but the line that says so.
python3 made.py healthy.db 12 5 || flunk 'no python3'
change healthy.db model-0000 "DELETE FROM measure WHERE name IN ('warning:graph/made')" "UPDATE measure SET value = 0 WHERE name = 'warnings'"
expect 0 report healthy.db --fleet --format md
grep -q 'Nothing became worse in 12 names, of the last 10 builds; the newest builds: no errors, no warnings' out || flunk 'a healthy fleet is not told'
lines out ''
grep -Eq 'Findings of|Severity' out && flunk 'a healthy fleet has a table of findings'
expect 0 report healthy.db --fleet -o healthy.html
grep -q 'id="regression-table"\|id="fleet-findings"' healthy.html && flunk 'a healthy fleet has empty tables'
expect 0 report healthy.db --fleet --last 1 --format md
grep -q 'Nothing to compare: 12 names of one build' out || flunk 'one build is compared with itself'

# Regressions are where they were made: at their thresholds, not below.
python3 made.py worse.db 12 5
change worse.db model-0001 "$(set_to file-size 1010000)"
change worse.db model-0002 "$(set_to file-size 1009900)"
change worse.db model-0003 "$(set_to delegated-ops 0.889)"
change worse.db model-0004 "$(set_to partition-count 3)"
change worse.db model-0005 "$(set_to peak-memory 8192)"
change worse.db model-0006 "$(set_to time 1200000)" "$(set_to flops 5e5)"
change worse.db model-0007 "$(set_to errors 1)" "INSERT INTO measure VALUES (:newest, 'error:memory/made', 1)"
# One rule instead of another: the number of warnings stays.
change worse.db model-0008 "UPDATE measure SET name = 'warning:graph/other' WHERE build_id = :newest AND name = 'warning:graph/made'"
change worse.db model-0009 "DELETE FROM measure WHERE build_id = :newest AND name = 'file-size'"
change worse.db model-0010 "$(set_to flops 9e999)"
expect 0 report worse.db --fleet --format md
cp out worse.md
lines worse.md 'model-0007: error memory/made' 'model-0008: warning graph/other' 'model-0005: Peak of planned memory' \
    'model-0006: Latency' 'model-0003: Delegated operators' 'model-0001: File size' 'model-0004: Partitions'
grep -q '7 of 12 names became worse, by 7 regressions' worse.md || flunk 'regressions are not counted'
grep -q 'error | `memory/made` | 1 | 1 | 1 | model-0007 (new)' worse.md || flunk 'a new finding is not told'
grep -q 'warning | `graph/other` | 1 | 1 | 1 | model-0008 (new)' worse.md || flunk 'a new rule is not told'
grep -q 'warning | `graph/made` | 11 | 0 | 11 | model-0000, model-0001, model-0002 and 8 more' worse.md || flunk 'an old rule is not told'

# What became worse some builds ago is so against the best, and since then.
change worse.db model-0000 "UPDATE measure SET value = 2e6 WHERE name = 'file-size' AND build_id IN (SELECT id FROM build
    WHERE name = 'model-0000' ORDER BY id DESC LIMIT 3)"
expect 0 report worse.db --fleet --name model-0000 --format md
grep -Fq '| `model-0000` | File size | 1.9 MiB | 1.9 MiB (as before) | 976.6 KiB (+100.0 %) | 25 (day=00002) |' out ||
    flunk 'what became worse earlier is not told, or not since when'
expect 0 report worse.db --fleet --name model-0000 --last 2 --format md
lines out ''
expect 0 report worse.db --fleet --label day=00000 --format md
grep -q 'Nothing to compare: 12 names of one build' out || flunk 'builds without the label are compared'

# A store of an earlier version has numbers of findings, and no rules.
python3 made.py earlier.db 3 3
change earlier.db model-0001 "DELETE FROM measure WHERE name LIKE '%:%'" "$(set_to warnings 4)"
expect 0 report earlier.db --fleet --format md
lines out 'model-0001: Warnings'
grep -q 'Of 3 names the store has no findings by rule' out || flunk 'that rules are not known is not told'
# Measures of such a build are made anew, by rule, of those with rules copied.
program=$data/mutants/constant_external-fqn__external_without_name.pte
expect 0 load --append "$program" --name broken -o mutant.db
by_rule() {
    "$DELEGRAPH" query mutant.db --format plain -q "SELECT count(*) FROM measure WHERE name LIKE '%:%' GROUP BY build_id" | tail -n +2 |
        tr '\n' ' '
}
before=$(by_rule)
[ -n "$before" ] || flunk 'findings are not kept by rule'
expect 0 load --append "$program" --name broken -o mutant.db
[ "$(by_rule)" = "$before$before" ] || flunk 'a build of the same bytes has other findings by rule'
change mutant.db broken "DELETE FROM measure WHERE name LIKE '%:%'"
expect 0 load --append "$program" --name broken -o mutant.db
[ "$(by_rule)" = "$before" ] || flunk 'a build of bytes that were measured by an earlier version has no rules'

# Names and labels are text.
python3 - <<'END_OF_PYTHON'
import shutil
import sqlite3

hostile = 'x"><script>alert(1)</script>\n\'--\x1b[31m\u202e&amp;' + "\u00e9" * 10000
open("name", "w", encoding="utf-8").write(hostile)
shutil.copy("worse.db", "hostile.db")
db = sqlite3.connect("hostile.db")
db.execute("UPDATE build SET name = ? WHERE name = 'model-0001'", (hostile,))
db.execute("UPDATE build_label SET value = ? WHERE build_id % 3 = 1", (hostile,))
db.execute("INSERT INTO build_label SELECT id, ?, 'x' FROM build", (hostile,))
db.execute("UPDATE measure SET name = 'error:' || ? WHERE name = 'error:memory/made'", (hostile,))
db.execute("UPDATE measure SET value = 1.7e308 WHERE name = 'flops' AND build_id % 2 = 0")
db.execute("UPDATE measure SET value = -1.7e308 WHERE name = 'flops' AND build_id % 2 = 1")
db.commit()
END_OF_PYTHON
for form in html md txt; do
    expect 0 report hostile.db --fleet -o "hostile.$form"
done
expect 0 trend hostile.db "$(cat name)" -o hostile.svg
expect 0 trend hostile.db "$(cat name)"
expect 0 report hostile.db --fleet --name "$(cat name)" --label "$(printf 'day=00000')" -o name.html
grep -l '<script>alert' hostile.html hostile.md hostile.svg name.html && flunk 'a name is markup'
for file in hostile.txt hostile.md hostile.svg hostile.html; do
    grep -q "$(printf '\033')" "$file" && flunk "$file has control characters"
done
[ "$(wc -c <hostile.html)" -lt 200000 ] || flunk 'long names make a long page'
[ "$(wc -l <hostile.txt)" -lt 500 ] || flunk 'long names make a long text'

# Pictures are XML without scripts, by the ending of the file or by name.
expect 0 trend worse.db model-0009 -o gaps.svg
expect 0 trend worse.db model-0009 --format svg
cmp -s out gaps.svg || flunk 'a picture is another one on standard output'
expect 0 trend worse.db model-0000 -o rows.csv
[ "$(wc -l <rows.csv)" = 6 ] || flunk 'a name that ends with .csv is no table'
python3 - <<'END_OF_PYTHON' || flunk 'a picture is not what it should be'
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
for name in "hostile.svg", "gaps.svg":
    root = tree.parse(name).getroot()
    assert root.tag == SVG + "svg" and root.get("viewBox") and root.get("role") == "img"
    assert not [e for e in root.iter() if e.tag in (SVG + "script", SVG + "image", SVG + "foreignObject")]
    assert not [k for e in root.iter() for k in e.attrib if k.startswith("on") or k in ("style", "href")]
words = "".join(tree.parse("gaps.svg").getroot().itertext())
assert "Unchanged: File size 976.6 KiB, " in words, words
END_OF_PYTHON

# Wrong usage and bad input leave no page.
expect 2 report worse.db --fleet --select memory -o page.html
says 'is about one program'
expect 2 report worse.db --last 3 -o page.html
says 'is for --fleet'
expect 2 report "$data/mlp.pt2" --fleet -o page.html
expect 2 report worse.db --fleet --name model-0 -o page.html
says 'no build is called "model-0"'
expect 2 report worse.db --fleet --label day=never -o page.html
expect 2 report worse.db --fleet --label day -o page.html
expect 0 load "$data/mlp.pt2" -o single.db
expect 2 report single.db --fleet -o page.html
says 'it has no builds'
expect 2 trend worse.db --format svg
expect 2 trend worse.db model-0000 --label day=never -o page.html
expect 2 trend worse.db model-0000 --label day=never -o page.svg
expect 3 report nothing.db --fleet -o page.html
head -c 20000 worse.db >cut.db
expect 3 report cut.db --fleet -o page.html
expect 3 trend cut.db model-0000 -o page.svg
python3 - <<'END_OF_PYTHON'
import random

whole = open("worse.db", "rb").read()
for i in range(20):
    damaged = bytearray(whole)
    noise = random.Random(i)
    for _ in range(200):
        damaged[noise.randrange(100, len(damaged))] = noise.randrange(256)
    open(f"damaged{i}.db", "wb").write(damaged)
END_OF_PYTHON
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    "$DELEGRAPH" report "damaged$i.db" --fleet -o damaged.html 2>err
    code=$?
    [ "$code" = 0 ] || [ "$code" = 3 ] || flunk "a damaged store is exit $code: $(cat err)"
    "$DELEGRAPH" trend "damaged$i.db" model-0000 -o damaged.svg 2>err
    code=$?
    [ "$code" = 0 ] || [ "$code" = 2 ] || [ "$code" = 3 ] || flunk "a picture of a damaged store is exit $code: $(cat err)"
done
[ ! -e page.html ] && [ ! -e page.svg ] || flunk 'what was refused left a file'
[ "$(ls ./*.part 2>/dev/null | wc -l)" = 0 ] || flunk 'unfinished files are left'

# A name that looks like an option.
expect 0 load "$data/tiny.pte" --append --name=-x.pte -q -o dashed.db
expect 0 report dashed.db --fleet --format text
command=$(sed -n 's/^ *\$ delegraph \(trend .*\)/\1/p' out)
eval "expect 0 $command"

# Ten thousand builds: of a thousand names, and of one. Sanitizers and busy machines take longer than is promised.
for names in 1000 1; do
    python3 made.py "many$names.db" "$names" $((10000 / names))
    begun=$(date +%s)
    expect 0 report "many$names.db" --fleet -o many.html
    expect 0 report "many$names.db" --fleet -o many.md
    expect 0 trend "many$names.db" model-0000 -o many.svg
    expect 0 trend "many$names.db" model-0000
    [ $(($(date +%s) - begun)) -le 60 ] || flunk "10,000 builds of $names names take $(($(date +%s) - begun)) s"
    [ "$(wc -c <many.html)" -le 1000000 ] || flunk "a page about $names names has $(wc -c <many.html) bytes"
    [ "$(wc -c <many.md)" -le 65536 ] || flunk "a comment about $names names has $(wc -c <many.md) bytes"
    [ "$(wc -c <many.svg)" -le 200000 ] || flunk "a picture of builds has $(wc -c <many.svg) bytes"
done
finish
