# Stores of builds are neither replaced, nor added to where others would not read the result.
. "$top_srcdir/tests/robust/lib.sh"
python3 -c 'import sqlite3' 2>/dev/null || {
    echo 'skipped: python3 with sqlite3 is not here'
    exit 77
}
tiny=$data/tiny.pte

# same FILE: it is what it was when it was copied to FILE.kept, and nothing unfinished lies beside it.
same() {
    cmp -s "$1" "$1.kept" || flunk "$1 was changed"
    [ "$(ls ./*.part* 2>/dev/null | wc -l)" = 0 ] || flunk "unfinished files are left beside $1"
}

expect 0 load --append "$tiny" "$data/mlp.pt2" "$data/squeeze_xnnpack.pte" --label day=1 -o fleet.db
cp fleet.db fleet.db.kept
ln -s fleet.db link.db
mkdir reduced
cp fleet.db reduced/repro.db

# Whatever would replace builds is refused, and says how many.
while read -r words; do
    eval "expect 2 $words"
    says 'it holds 3 builds, which would be lost; load --append adds to it'
    same fleet.db
done <<'END'
run "$tiny" --store link.db
run "$tiny" --store fleet.db
run "$tiny" --save fleet.db
run "$tiny" -o fleet.db
run "$data/mlp.pt2" --reduce reduced
diff "$tiny" "$data/mlp.pt2" --store fleet.db
diff "$tiny" "$data/mlp.pt2" -o fleet.db
check "$tiny" -o fleet.db
check "$tiny" --report sarif=fleet.db
partition "$data/mlp.pt2" -o fleet.db
explain "$data/mlp.pt2" -o fleet.db
info "$tiny" -o fleet.db
ls "$tiny" -o fleet.db
show "$tiny" 1 -o fleet.db
dot "$tiny" -o fleet.db
report "$tiny" --format text -o fleet.db
query "$tiny" @coverage -o fleet.db
schema -o fleet.db
rules -o fleet.db
END
cmp -s fleet.db reduced/repro.db || flunk 'a part was written over builds'

# Of any delegraph, and where it cannot be told any more how many there are.
gunzip -c "$top_srcdir/tests/robust/generation_12.db.gz" >old.db
cp old.db old.db.kept
expect 2 run "$tiny" --store old.db
says 'it holds 3 builds'
same old.db
head -c 9000 fleet.db >cut.db
cp cut.db cut.db.kept
expect 2 run "$tiny" --store cut.db
says 'may hold builds, which would be lost'
same cut.db

# What load -o is told to replace is replaced, and not without a word.
cp fleet.db replaced.db
expect 0 load "$tiny" -o replaced.db
says 'note: replaced.db held 3 builds, which this load took the place of; --append adds to them'
expect 0 query replaced.db 'SELECT count(*) FROM build' --format plain
[ "$(tail -1 out)" = 0 ] || flunk 'load -o leaves builds of the store that it replaces'
cp fleet.db replaced.db
expect 0 load "$tiny" --name tiny -o replaced.db
says 'held 3 builds'
cp fleet.db replaced.db
expect 3 load "$data/tiny.facts.json" -o replaced.db
cmp -s replaced.db fleet.db || flunk 'a load that fails loses builds'

# What has none is replaced as ever.
expect 0 load "$tiny" -o program.db
expect 0 load "$data/mlp.pt2" -o program.db
expect 0 run "$data/mlp.pt2" --store program.db
expect 0 diff "$tiny" "$tiny" --store program.db
echo 'no store' >text
expect 0 load "$tiny" -o text
: >empty.db
expect 0 load "$tiny" -o empty.db

# leave KIND FILE: a program that changed a build and was killed, with what it left beside the store.
cat >leave.py <<'END'
import os
import sqlite3
import sys

kind, path = sys.argv[1:]
store = sqlite3.connect(path, isolation_level=None)
if kind == "wal":
    store.execute("PRAGMA journal_mode = wal")
    store.execute("UPDATE build SET name = 'changed' WHERE id = 1")
elif kind == "journal":
    store.execute("PRAGMA cache_size = 1")
    store.execute("BEGIN")
    store.execute("UPDATE measure SET value = value + 1")
    store.execute("UPDATE artifact SET path = path || hex(zeroblob(50000))")
    os.stat(path + "-journal")
elif kind == "shm":
    open(path + "-shm", "w").close()
os._exit(0)
END
leave() {
    cp fleet.db "$2"
    rm -f "$2"-*
    python3 leave.py "$1" "$2" || flunk "cannot leave a $1"
    for file in "$2"*; do
        cp "$file" "kept.${file#"$2"}"
    done
}
for kind in wal journal shm; do
    leave $kind left.db
    expect 3 load --append "$tiny" -o left.db
    says "left.db-$kind lies beside the store"
    expect 3 load --append -o left.db
    [ $kind = shm ] || expect 3 trend left.db
    for file in left.db*; do
        cmp -s "$file" "kept.${file#left.db}" || flunk "a load beside a $kind changed $file"
    done
    [ -e left.db-$kind ] || flunk "the $kind is gone"
    # It would be laid over a store that is not there yet, too.
    rm left.db
    for words in 'load "$tiny" -o' 'load --append "$tiny" -o' 'run "$data/mlp.pt2" --store' 'diff "$tiny" "$tiny" --store'; do
        eval "expect 3 $words left.db"
        says "left.db-$kind lies beside the store"
        [ ! -e left.db ] || flunk "$words writes a store beside a $kind"
    done
    # When the program that it belongs to is done, all goes on.
    [ $kind = shm ] && continue
    leave $kind left.db
    python3 -c '
import sqlite3
store = sqlite3.connect("left.db")
store.execute("SELECT count(*) FROM build").fetchone()
store.close()'
    expect 0 load --append "$tiny" --name more -o left.db
    expect 0 trend left.db
    python3 -c '
import sqlite3
store = sqlite3.connect("left.db")
store.create_function("dg_half", 1, lambda text: text, deterministic=True)
assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
assert store.execute("SELECT count(*) FROM build").fetchone() == (4,)' || flunk "a build is lost beside a $kind"
    rm -f left.db*
done

# A store that another program changes while it is added to is not replaced, nor is one that it is writing.
cat >meanwhile.py <<'END'
import glob
import os
import signal
import sqlite3
import subprocess
import sys
import time

done, delegraph, *programs = sys.argv[1:]
load = subprocess.Popen([delegraph, "load", "--append", *programs, "-o", "busy.db"], stderr=subprocess.PIPE, text=True)
while load.poll() is None and not any(map(os.path.getsize, glob.glob("busy.db.*.part"))):
    time.sleep(0.001)
load.send_signal(signal.SIGSTOP)
store = sqlite3.connect("busy.db", isolation_level=None)
store.execute("BEGIN IMMEDIATE")
store.execute("UPDATE build SET name = 'changed' WHERE id = 1")
if done == "done":
    store.execute("COMMIT")
load.send_signal(signal.SIGCONT)
print(load.communicate()[1].splitlines()[-1], load.returncode)
store.close()
END
for done in done open; do
    cp fleet.db busy.db
    python3 meanwhile.py $done "$DELEGRAPH" "$data"/*.pte >told
    grep -q ' 3$' told || flunk "a store that another program changed ($done) is replaced: $(cat told)"
    expect 0 query busy.db --format plain -q 'SELECT count(*) FROM build'
    [ "$(tail -1 out)" = 3 ] || flunk "a store that another program changed ($done) has a build more"
done

# What readers refuse is not added to: nobody would read the result, night after night.
cat >damage.py <<'END'
import random
import sys

whole = bytearray(open("fleet.db", "rb").read())
for number in range(int(sys.argv[1])):
    noise = random.Random(number)
    damaged = bytearray(whole)
    for _ in range(6):
        at = noise.randrange(100, len(whole) - 512)
        damaged[at:at + 512] = bytes(512) if number % 2 else noise.randbytes(512)
    open(f"damaged{number}.db", "wb").write(damaged)
END
python3 damage.py 60
python3 - <<'END'
import shutil
import sqlite3

for name, statement in (("reference", "UPDATE build SET artifact_id = 99 WHERE id = 2"),
                        ("word", "UPDATE artifact SET kind = 'what'"),
                        ("hole", "DELETE FROM node WHERE id = 2")):
    shutil.copy("fleet.db", f"damaged{name}.db")
    store = sqlite3.connect(f"damaged{name}.db")
    store.execute(statement)
    store.commit()
END
refused=0
for store in damaged*.db; do
    cp "$store" "$store.kept"
    "$DELEGRAPH" trend "$store" >/dev/null 2>&1
    code=$?
    if [ $code = 0 ]; then
        expect 0 load --append "$tiny" -o "$store"
        expect 0 trend "$store"
    else
        refused=$((refused + 1))
        expect 3 load --append "$tiny" -o "$store"
        says "^delegraph: $store: "
        same "$store"
    fi
    rm "$store" "$store.kept"
done
[ $refused -ge 20 ] || flunk "of 63 damaged stores readers refuse $refused"

# A full disk is named by the file that does not fit.
if unshare -m true 2>/dev/null; then
    mkdir full
    cat >full.sh <<'END'
mount -t tmpfs -o size="$1" tmpfs full || exit 77
[ -z "$2" ] || cp "$2" full/f.db
shift 2
"$@" 2>err
code=$?
ls full >left
exit $code
END
    # full SIZE STORE COMMAND...
    full() {
        unshare -m sh full.sh "$1" "$2" "$DELEGRAPH" $3 >/dev/null
        code=$?
        [ $code = 77 ] && return
        [ $code = 5 ] || flunk "$3 on a full disk exits with $code"
        grep -Eq ' ([^ ]*/)?full/f.db: .*(is full|No space)' err || flunk "$3 on a full disk does not say where: $(cat err)"
        [ "$(cat left)" = "${2:+f.db}" ] || flunk "$3 on a full disk leaves $(cat left)"
    }
    full 256k '' "load $data/llama.pt2 -o full/f.db"
    full 256k '' "load --append $data/llama.pt2 -o full/f.db"
    full 256k '' "run $data/llama.pt2 --store full/f.db"
    full 256k '' "diff $data/llama.pt2 $data/llama.pt2 --store full/f.db"
    size=$(($(stat -c %s fleet.db) / 1024))
    full $((size + 100))k fleet.db "load --append $data/llama.pt2 -o full/f.db"
    full $((size * 2 + 16))k fleet.db "load --append $data/llama.pt2 -o full/f.db"
fi

finish
