# Stores of builds: what is added, what is refused, and that nothing is lost or doubled.
. "$top_srcdir/tests/robust/lib.sh"

# count TABLE NUMBER
count() {
    "$DELEGRAPH" query fleet.db --format plain -q "SELECT count(*) FROM $1" | tail -1 >count.out
    [ "$(cat count.out)" = "$2" ] || flunk "$1 has $(cat count.out) rows, not $2"
}

expect 0 load --append "$data/mlp.pt2" "$data/squeeze_portable.pte" --label branch=main -o fleet.db
count build 2
count artifact 2
count build_label 2

# A file that is there already is one more build of it.
expect 0 load --append "$data/squeeze_portable.pte" --name squeeze_portable.pte --label branch=dev --label day=2 -o fleet.db
count build 3
count artifact 2
expect 0 trend fleet.db squeeze_portable.pte --format json
[ "$(grep -c '"build":' out)" = 2 ] || flunk 'trend does not tell both builds'
expect 0 trend fleet.db squeeze_portable.pte --label branch=dev --format json
[ "$(grep -c '"build":' out)" = 1 ] || flunk 'trend tells builds without the label'
expect 0 trend fleet.db squeeze_portable.pte --last 1 --format csv
[ "$(wc -l <out)" = 2 ] || flunk 'trend tells more builds than it was asked for'
expect 0 trend fleet.db squeeze_portable.pte --last 9 --format csv
[ "$(wc -l <out)" = 3 ] || flunk 'trend tells not all builds'
for command in 'trend fleet.db' 'trend fleet.db squeeze_portable.pte' 'report fleet.db --fleet'; do
    expect 2 $command --last 0
    says 'last is "0", expected a whole number, 1 or more'
    # None is meant: everywhere that is wrong usage, as a name is that no build has.
    for format in text json csv svg; do
        case $command in report*) format=html ;; esac
        expect 2 $command --label branch=never --format $format -o never.out
        [ ! -e never.out ] || flunk "$command --label branch=never --format $format writes a file"
    done
    expect 2 $command --label branch=never
    says 'no build has those labels'
done
# Without a name, names have the builds that are meant.
expect 0 trend fleet.db --label branch=main --format plain
[ "$(tr '\t\n' '  ' <out)" = 'name builds programs newest mlp.pt2 1 1 1 squeeze_portable.pte 1 1 2 ' ] ||
    flunk "names of builds with a label: $(cat out)"
expect 0 trend fleet.db --label day=2 --format json
[ "$(cat out)" = '{"schema_version":1,"names":[
{"name":"squeeze_portable.pte","builds":1,"programs":1,"newest":3}]}' ] || flunk "names of builds of a day: $(cat out)"
expect 0 trend fleet.db --last 1 --format plain
[ "$(cut -f 2 out | tr '\n' ' ')" = 'builds 1 1 ' ] || flunk "names of the newest builds: $(cat out)"
# A store without builds is no other case.
expect 0 load "$data/mlp.pt2" -o program.db
for command in 'trend program.db' 'trend program.db --format json' 'report program.db --fleet'; do
    expect 2 $command
    says 'it has no builds; load --append adds them'
done
# The first of the newest is compared with the one before it, which is not told.
expect 0 load --append "$data/squeeze_portable.pte" --name squeeze --label branch=main -o change.db
expect 0 load --append "$data/squeeze_portable.pte" --name squeeze --label branch=dev -o change.db
expect 0 load --append "$data/squeeze_xnnpack.pte" --name squeeze --label branch=main -o change.db
expect 0 load --append "$data/squeeze_xnnpack.pte" --name squeeze --label branch=main -o change.db
expect 0 trend change.db squeeze
tail -2 out >both
for options in '--last 2' '--last 2 --label branch=main'; do
    expect 0 trend change.db squeeze $options
    [ "$(wc -l <out)" = 3 ] || flunk "trend $options tells more or less than two builds"
    tail -2 out | sed 's/  */ /g' >newest
    sed 's/  */ /g' both | cmp -s - newest || flunk "trend $options tells another change: $(cat out)"
done
grep -q '(+3.6 %)' newest || flunk 'a change since a build that is not told is lost'
expect 2 trend fleet.db squeeze_portable
says 'no build is called "squeeze_portable"; did you mean squeeze_portable.pte'
expect 2 trend fleet.db mlp.pt2 --label branch

# What belongs to a program stands behind it, and is there once.
expect 0 load --append "$data/profiled.pte" "$data/profiled_trace.etdp" -o fleet.db
expect 0 load --append "$data/profiled.pte" "$data/profiled_trace.etdp" -o fleet.db
count artifact 4
count 'measure WHERE name = '"'time'" 2
expect 0 trend fleet.db profiled.pte
grep -q ' T ' out && flunk 'FLOPs that nobody knows are told'
# Of the same bytes measured anew only the new build has the new times, and none of another one.
expect 0 load --append "$data/profiled.pte" --name profiled.pte -o fleet.db
count 'measure WHERE name = '"'time'" 2
expect 0 load --append "$data/xnnpack.pte" "$data/profiled_trace.etdp" -o fleet.db
grep -q 'no method of' err || flunk 'an ETDump of another build is taken without a word'
count 'measure WHERE name = '"'time'" 2
expect 2 load --append "$data/profiled_trace.etdp" -o fleet.db
says 'it belongs to a program, which stands before it'

# An ETRecord belongs to the program before it, and is no build of its own.
expect 0 load --append "$data/profiled.pte" "$data/profiled_record.etrecord" "$data/profiled_trace.etdp" -o fleet.db
count 'build WHERE name LIKE '"'%.etrecord'" 0
expect 0 query fleet.db @slowest
grep -q 'model.py' out || flunk 'an ETRecord of a store gives no lines'

# What nothing came from is told: here nothing of that, then a view that is no more.
expect 0 query "$data/profiled.pte" --program "$data/profiled_record.etrecord" --format plain @lost
[ "$(wc -l <out)" = 1 ] || flunk 'something is lost of a program that is whole'
expect 0 load "$data/profiled.pte" "$data/profiled_record.etrecord" -o lost.db
python3 -c '
import sqlite3
store = sqlite3.connect("lost.db")
store.execute("DELETE FROM instruction_handle WHERE debug_handle = 8")
store.commit()'
expect 0 query lost.db --format plain @lost
[ "$(cut -f 3 out | tr '\n' ' ')" = 'node aten_view_copy_default ' ] || flunk 'a node that is lost is not told'

# What fails leaves the store as it was.
cp fleet.db before.db
printf 'no program' >damaged.pte
expect 3 load --append "$data/external.pte" damaged.pte -o fleet.db
expect 2 load --append "$data/external.pte" --label main -o fleet.db
says 'expected NAME=VALUE'
expect 2 load --append "$data/external.pte" --label "$(printf 'note=a\001b')" -o fleet.db
says 'a control character, 0x01, at byte 6'
# What is no UTF-8 would be kept and never found.
expect 2 load --append "$data/external.pte" --label "$(printf 'note=x\377y')" -o fleet.db
says '"note": expected UTF-8, 0xff, at byte 6'
expect 2 load --append "$data/external.pte" --label "$(printf 'n\300\200=x')" -o fleet.db
says 'expected UTF-8, 0xc0, at byte 1'
expect 2 load --append "$data/external.pte" --label branch=main --label day=1 --label branch=dev -o fleet.db
says '"branch": given twice'
expect 2 load "$data/external.pte" --label a=1 --label a=1 -o twice.db
expect 2 trend fleet.db squeeze_portable.pte --label "$(printf 'branch=x\377y')"
says 'expected UTF-8'
expect 2 trend fleet.db squeeze_portable.pte --label branch=main --label branch=dev
expect 2 report fleet.db --fleet --label branch=main --label branch=dev -o fleet.md
expect 0 load "$data/external.pte" --label a=1 --label aa=1 --label "$(printf 'n\303\266te=\342\202\254')" -o labels.db
expect 0 trend labels.db external.pte --label "$(printf 'n\303\266te=\342\202\254')" --format json
grep -q '"build":1' out || flunk 'a label of other letters is not found'
expect 2 load --append before.db -o fleet.db
cmp -s fleet.db before.db || flunk 'what was refused changed the store'
printf 'no store at all, but longer than a header of one hundred bytes is, as it must be to be looked at at all' >other.db
cp other.db same.db
expect 3 load --append "$data/mlp.pt2" -o other.db
cmp -s other.db same.db || flunk 'what is no store was replaced'
[ "$(ls ./*.part 2>/dev/null | wc -l)" = 0 ] || flunk 'unfinished files are left'

# All that cannot be read are named.
for append in --append ''; do
    expect 3 load $append "$data/mlp.pt2" gone.pte "$data/external.pte" . missing.pte -o other.db
    for why in 'gone.pte: cannot read: No such file' '\.: a folder, not a file' 'missing.pte: cannot read: No such file'; do
        says "$why"
    done
done

# Pipes are read once, though a program is looked at several times; they need a name where the shell made theirs.
mkfifo pipe.pte pipe.etdp
cat "$data/profiled.pte" >pipe.pte &
cat "$data/profiled_trace.etdp" >pipe.etdp &
timeout 60 "$DELEGRAPH" load --append pipe.pte pipe.etdp -o pipes.db || flunk 'pipes are not loaded'
for name in - /dev/stdin; do
    cat "$data/profiled.pte" | "$DELEGRAPH" load --append $name "$data/profiled_trace.etdp" --name in -o pipes.db ||
        flunk "$name is not loaded"
    expect 2 load --append $name -o pipes.db <"$data/profiled.pte"
    says 'no name for a build; expected --name NAME'
done
expect 0 load --append "$data/profiled.pte" "$data/profiled_trace.etdp" -o pipes.db
expect 0 query pipes.db --format plain -q 'SELECT count(*), count(DISTINCT artifact_id), count(DISTINCT companions), group_concat(name) FROM build'
[ "$(tail -1 out)" = "$(printf '4\t1\t1\tpipe.pte,in,in,profiled.pte')" ] || flunk "builds of pipes: $(cat out)"
expect 0 query pipes.db --format plain -q 'SELECT count(*) FROM measure GROUP BY name, value HAVING count(*) != 4'
[ "$(wc -l <out)" = 1 ] || flunk 'a program has other measures when it comes out of a pipe'
expect 0 query pipes.db --format plain -q "SELECT DISTINCT count(*) FROM measure WHERE name = 'time'"
[ "$(tail -1 out)" = 4 ] || flunk 'what was measured is lost in a pipe'

# Two at once: one waits for the other.
for i in 1 2 3 4; do
    "$DELEGRAPH" load --append "$data/external.pte" --name "at once" -o fleet.db &
done
wait
count 'build WHERE name = '"'at once'" 4
count artifact 8

# Also where one of them goes by a link out of another folder.
mkdir linked
ln -s ../fleet.db linked/fleet.db
python3 -c '
import fcntl
import os
import subprocess
import sys

folder = os.open(".", 0)
fcntl.flock(folder, fcntl.LOCK_EX)
load = subprocess.Popen(sys.argv[1:])
try:
    load.wait(2)
    sys.exit("it does not wait")
except subprocess.TimeoutExpired:
    pass
fcntl.flock(folder, fcntl.LOCK_UN)
sys.exit(load.wait())' "$DELEGRAPH" load --append "$data/external.pte" --name linked -o linked/fleet.db ||
    flunk 'a load by a link does not wait for others'
count 'build WHERE name = '"'linked'" 1
[ -h linked/fleet.db ] || flunk 'a link to a store is replaced by it'

# Nor are builds lost where none of them finds a store.
for i in 1 2 3 4; do
    "$DELEGRAPH" load --append "$data/external.pte" --name new -o new.db &
done
wait
"$DELEGRAPH" query new.db --format plain -q "SELECT count(*) FROM build" | tail -1 >count.out
[ "$(cat count.out)" = 4 ] || flunk "of four builds of a new store $(cat count.out) are there"

# Tables as files: the manifest says what is there, and quotes tell empty text from NULL.
expect 0 export fleet.db -o tables
python3 - <<'END' || flunk 'an export is not what its manifest says'
import csv
import json

manifest = json.load(open("tables/manifest.json", encoding="utf-8"))
assert {table["name"] for table in manifest["tables"]} >= {"build", "node", "measure"}
for table in manifest["tables"]:
    with open("tables/" + table["file"], encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == [column["name"] for column in table["columns"]], table
    assert len(rows) == table["rows"] + 1, table
    assert all(len(row) == len(rows[0]) for row in rows), table
END
expect 0 export fleet.db --format jsonl -o lines
python3 -c '
import json
manifest = json.load(open("lines/manifest.json"))
for table in manifest["tables"]:
    lines = [json.loads(line) for line in open("lines/" + table["file"], encoding="utf-8")]
    assert len(lines) == table["rows"]' || flunk 'lines of JSON are not what the manifest says'
expect 0 export fleet.db -o tables

# Bytes are what doc/fleet.md says.
expect 0 export "$data/on_cuda.pte" -o csv
grep -q '^1,0,"max_value","04"' csv/compile_spec.csv || flunk "bytes as CSV: $(cat csv/compile_spec.csv)"
grep -q '{"name":"value","type":"BLOB"}' csv/manifest.json || flunk 'the manifest does not tell bytes from text'
expect 0 export "$data/on_cuda.pte" --format jsonl -o json
grep -q '"value":"hex:04"' json/compile_spec.jsonl && grep -q '"value":"cuda:0"' json/compile_spec.jsonl ||
    flunk "bytes as JSON: $(cat json/compile_spec.jsonl)"
mkdir elsewhere
touch elsewhere/file
expect 2 export fleet.db -o elsewhere
[ "$(ls elsewhere)" = file ] || flunk 'a folder with something else was written to'
mkdir site
echo '{"name": "A site"}' >site/manifest.json
echo mine >site/node.csv
expect 2 export fleet.db -o site
[ "$(cat site/manifest.json site/node.csv)" = '{"name": "A site"}
mine' ] || flunk 'the manifest of somebody else was taken for one of an export'
expect 2 export fleet.db -o before.db

# An export that fails leaves nothing, and one that is killed nothing that stops the next.
(
    ulimit -f 4
    expect 5 export fleet.db -o full
    finish
) || flunk 'a full disk is no failure'
[ ! -e full ] || flunk "an export that failed left $(ls full)"
expect 0 export fleet.db -o full
mkdir empty
(
    ulimit -f 4
    expect 5 export fleet.db -o empty
    finish
) || flunk 'a full disk is no failure'
[ "$(ls -A empty)" = '' ] || flunk "an export that failed left $(ls empty)"
python3 - "$DELEGRAPH" <<'END' || flunk 'no export was killed in the middle'
import os
import shutil
import signal
import subprocess
import sys
import time

killed = 0
for wait in range(1, 60, 4):
    shutil.rmtree("killed", ignore_errors=True)
    os.mkdir("killed")
    process = subprocess.Popen([sys.argv[1], "export", "fleet.db", "-o", "killed"])
    while process.poll() is None and len(os.listdir("killed")) < wait:
        time.sleep(0.0002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if "manifest.json" not in os.listdir("killed"):
        killed += 1
        left = os.listdir("killed")
        done = subprocess.run([sys.argv[1], "export", "fleet.db", "--format", "jsonl", "-o", "killed"])
        assert done.returncode == 0, left
        assert all(name.endswith((".jsonl", ".json")) for name in os.listdir("killed")), os.listdir("killed")
sys.exit(killed < 5)
END
mkdir held
touch held/export.unfinished
flock held/export.unfinished "$DELEGRAPH" export fleet.db -o held 2>err && flunk 'two write into one folder'
says 'another export writes into it'
expect 0 export fleet.db -o held
expect 2 export fleet.db

# Threads that measure change nothing, and one that fails takes all with it.
for jobs in 1 5; do
    expect 0 load --append "$data"/*.pte "$data/profiled.pte" "$data/profiled_trace.etdp" -j $jobs -o jobs.db
    "$DELEGRAPH" query jobs.db --format csv "SELECT * FROM measure ORDER BY 1, 2" >"measures_$jobs"
    rm jobs.db
done
[ "$(wc -l <measures_1)" -gt 500 ] || flunk 'there are hardly any measures'
cmp -s measures_1 measures_5 || flunk 'measures depend on the number of threads'
expect 3 load --append "$data"/*.pte damaged.pte "$data"/*.pt2 -j 3 -o jobs.db
[ ! -e jobs.db ] || flunk 'a load that failed left a store'

# Killed in the middle, it is the store that it was, or the one that it becomes.
for i in 1 2 3 4 5 6; do
    "$DELEGRAPH" load --append "$data"/*.pte --name killed -o fleet.db &
    sleep "0.0$i"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    "$DELEGRAPH" query fleet.db --format plain -q "SELECT count(*) FROM build WHERE name = 'killed'" >killed.out 2>&1 ||
        flunk "a store whose writer was killed cannot be read: $(cat killed.out)"
done

finish
