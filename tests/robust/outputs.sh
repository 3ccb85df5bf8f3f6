# What cannot be written is an error that leaves things as they were.
. "$top_srcdir/tests/robust/lib.sh"
tiny=$data/tiny.pte

# full ARGUMENT...: standard output on a full disk fails, and says so.
full() {
    "$DELEGRAPH" "$@" >/dev/full 2>err
    code=$?
    [ "$code" = 5 ] || flunk "delegraph $* >/dev/full exits with $code, not 5"
    [ -s err ] || flunk "delegraph $* >/dev/full says nothing"
}

full info "$tiny"
full info --format json "$tiny"
full ls "$tiny"
full check --format json "$tiny"
full dot "$tiny"
full dot "$tiny" --view calls -T svg --layout plain
full dot "$tiny" --view calls -T png --layout plain
full query "$tiny" 'SELECT 1'
full explain "$data/gate.pt2"
full explain --format json "$data/gate.pt2"
full partition "$data/gate.pt2"
full partition --format json --mode aoti "$data/gate.pt2"
full partition "$data/gate.pt2" -o -
full partition "$data/gate.pt2" -o /dev/full
full check --format json "$data/gate_tagged.pt2" --plan "$data/gate_tagged.plan.json"
full dot "$data/gate_tagged.pt2" --plan "$data/gate_tagged.plan.json"
full report "$data/gate.pt2"
full report "$data/gate.pt2" --format md
full report "$data/gate.pt2" --format text -o /dev/full
full rules
full schema

# A reader that goes away early is no failure of ours to shout about.
"$DELEGRAPH" ls "$data/llama_core.pt2" 2>err | head -n 1 >/dev/null
[ ! -s err ] || flunk 'a closed pipe makes noise'

# A missing folder is a slip of the pen, and known before the work.
expect 2 load "$tiny" -o no/such/folder/store.db
says 'no such folder'
expect 2 info "$tiny" -o no/such/folder/info.txt
expect 2 partition "$data/gate.pt2" -o no/such/folder/plan.json
expect 2 explain "$data/gate.pt2" -o no/such/folder/explain.txt
expect 2 run "$tiny" --save no/such/folder/out.npz
expect 2 run "$tiny" --store "$tiny/run.db"
expect 2 load "$tiny" -o .
says 'a folder, expected the name of a file'
expect 2 info "$tiny" -o ''
expect 2 run "$tiny" --save .

# What cannot be replaced is written where that is possible, and refused where not.
expect 2 load "$tiny" -o -
says 'standard output'
expect 2 run "$tiny" --store -
expect 2 run "$tiny" --save -
mkfifo pipe
expect 2 load "$tiny" -o pipe
says 'pipe or device'
expect 2 run "$tiny" --store pipe
# A device of our own: root could really replace the one that all share.
device=/dev/null
if [ "$(id -u)" = 0 ]; then
    device=device
    mknod device c 1 3 2>/dev/null && (echo >device) 2>/dev/null || device=
fi
if [ -n "$device" ]; then
    expect 2 load "$tiny" -o "$device"
    expect 0 run "$tiny" --save "$device"
    [ -c "$device" ] || flunk 'a device was replaced'
fi
"$DELEGRAPH" run "$tiny" --save pipe >out 2>err &
cat pipe >piped.npz
wait $! || flunk 'outputs cannot be saved through a pipe'
expect 0 run "$tiny" --save saved.npz
cmp -s piped.npz saved.npz || flunk 'a pipe gets other outputs than a file'
"$DELEGRAPH" info "$tiny" -o pipe >out 2>err &
grep -q pte pipe || flunk 'a pipe gets no text'
wait
[ -p pipe ] || flunk 'a pipe was replaced'

# No output is a file that the same command reads, by whatever name, whichever verb and
# option it is; nothing is written then.
spares() {
    before=$(cksum <"$kept")
    expect 2 "$@"
    says 'both an input and the output'
    [ "$(cksum <"$kept")" = "$before" ] || flunk "delegraph $* wrote over its input"
}
kept=own.pt2
cp "$data/gate.pt2" own.pt2
ln -s own.pt2 link.pt2
ln own.pt2 twin.pt2
for name in own.pt2 ./own.pt2 "$PWD/own.pt2" link.pt2 twin.pt2; do
    spares load own.pt2 -o "$name"
done
for verb in info ls check partition explain dot report; do
    spares "$verb" own.pt2 -o own.pt2
done
spares show own.pt2 node#1 -o own.pt2
spares query own.pt2 'SELECT 1' -o own.pt2
spares devices own.pt2 -o own.pt2
spares diff own.pt2 "$data/mlp.pt2" -o own.pt2
spares diff "$data/mlp.pt2" own.pt2 -o own.pt2
spares load "$tiny" own.pt2 -o own.pt2
spares info "$tiny" own.pt2 -o own.pt2
spares check "$tiny" own.pt2 -o own.pt2
for option in --save --store -o; do
    spares run own.pt2 "$option" own.pt2
    spares run "$data/gate.pt2" --against own.pt2 "$option" own.pt2
done
spares info "$tiny" --program own.pt2 -o own.pt2
spares check "$tiny" --program own.pt2 -o own.pt2
spares query - 'SELECT 1' -o own.pt2 <own.pt2

kept=own.db
expect 0 load own.pt2 -o own.db
spares query own.db 'SELECT 1' -o own.db
spares report own.db -o own.db
kept=own.pt2
spares run own.db --store own.pt2

kept=own.json
cp "$data/gate_tagged.plan.json" own.json
for verb in check info explain report dot; do
    spares "$verb" "$data/gate_tagged.pt2" --plan own.json -o own.json
done
spares run "$data/gate_tagged.pt2" --plan own.json --save own.json
spares partition "$data/gate_tagged.pt2" --prior own.json -o own.json
spares partition "$data/gate.pt2" --support own.json -o own.json
spares partition "$data/gate.pt2" --mode group --groups own.json -o own.json
spares check "$tiny" --ops own.json -o own.json
kept=own.npz
expect 0 run "$tiny" --save own.npz
for option in --inputs --expected --data; do
    spares run "$tiny" "$option" own.npz --save own.npz
done
spares run "$tiny" --expected "$data/gate.pt2" --actual own.npz -o own.npz
mkdir inputs
cp own.npz inputs/in0.npy
kept=inputs/in0.npy
spares run "$tiny" --inputs inputs --save inputs/in0.npy

# Outputs that came from elsewhere have the form that the program says, however equal the
# files are: those of another program have not.
mkdir forms
expect 0 run "$data/mlp.pt2" --seed 1 --save forms/mlp.npz
expect 0 run "$data/mlp.pt2" --expected forms/mlp.npz --actual forms/mlp.npz
expect 1 run "$tiny" --expected forms/mlp.npz --actual forms/mlp.npz
grep -q 'shape is \[2,4\], the program gives \[2,3\]' out || flunk "--actual takes any form"

# Nor do two outputs go to one file, be it there or not.
ln -s . here
for pair in 'new new' 'new ./new' 'new here/new' 'own.npz here/own.npz'; do
    before=$(cksum <own.npz)
    expect 2 run "$tiny" --save "${pair% *}" --store "${pair#* }"
    says 'two outputs'
    expect 2 run "$tiny" --store "${pair% *}" -o "${pair#* }"
    expect 2 run "$tiny" -o "${pair% *}" --save "${pair#* }"
    [ "$(cksum <own.npz)" = "$before" ] || flunk 'one of two outputs was written'
    [ ! -e new ] || flunk 'one of two outputs was written'
done
expect 0 run "$tiny" --save new.npz --store new.db -o new.txt
expect 0 run "$tiny" --save new.npz --store new.db -o new.txt

# Root may write anywhere, so nothing is refused to it.
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    echo old >locked/store.db
    chmod a-w locked
    expect 5 load "$tiny" -o locked/store.db
    [ "$(cat locked/store.db)" = old ] || flunk 'a store in a read-only folder changed'
fi

# A link stays one.
echo old >real.html
ln -s real.html link.html
expect 0 report "$tiny" -o link.html
[ -L link.html ] && grep -q '<html' real.html || flunk 'a link is not followed'
ln -s no/such/file nowhere.html
expect 2 report "$tiny" -o nowhere.html

# Each way to fail leaves the old store, byte for byte, and nothing beside it.
mkdir kept
expect 0 load "$tiny" -o kept/store.db
cp kept/store.db before
head -c 900 "$tiny" >truncated.pte
expect 3 load truncated.pte -o kept/store.db
expect 3 load "$tiny" missing.pte -o kept/store.db
(
    ulimit -f 8
    trap '' XFSZ
    exec "$DELEGRAPH" load "$data/llama_core.pt2" -o kept/store.db
) >out 2>err
code=$?
[ $code = 5 ] || flunk "a load beyond the size limit exits with $code, not 5"
cmp -s before kept/store.db || flunk 'a failed load changed the store'
(
    ulimit -f 1
    trap '' XFSZ
    exec "$DELEGRAPH" partition "$data/llama_core.pt2" -o kept/store.db
) >out 2>err
code=$?
[ $code = 5 ] || flunk "a plan beyond the size limit exits with $code, not 5"
cmp -s before kept/store.db || flunk 'a plan that did not fit changed the old file'
[ "$(ls -A kept)" = store.db ] || flunk "a failed load leaves $(ls -A kept)"

# The same where nobody asked for the signal to be ignored.
(
    ulimit -f 8
    exec "$DELEGRAPH" load "$data/llama_core.pt2" -o kept/store.db
) >out 2>err
code=$?
[ $code = 5 ] && [ -s err ] || flunk "a load beyond the size limit exits with $code, not 5"
(
    ulimit -f 1
    exec "$DELEGRAPH" report "$data/gate.pt2" -o kept/report.html
) >out 2>err
code=$?
[ $code = 5 ] && [ -s err ] || flunk "a report beyond the size limit exits with $code, not 5"
cmp -s before kept/store.db || flunk 'what did not fit changed the store'
[ "$(ls -A kept)" = store.db ] || flunk "what did not fit leaves $(ls -A kept)"

# In a container processes have the same numbers again and again.
sh -c 'echo left >kept/store.db.$$.part; echo $$ >number; exec "$DELEGRAPH" load "$1" -o kept/store.db' \
    sh "$data/gate.pt2" >out 2>err || flunk 'what a killed load left stops the next one'
cmp -s before kept/store.db && flunk 'the store was not replaced'
[ "$(cat "kept/store.db.$(cat number).part")" = left ] || flunk 'what another left was touched'
[ "$(ls -A kept | wc -l)" = 2 ] || flunk "a load leaves $(ls -A kept)"

# What a dead process left goes, whatever number it had; what looks alike stays.
sh -c 'echo left >"kept/store.db.$$.part"; echo left >"kept/store.db.$$-2.part"
    for other in "store.db.$$.partly" "store.db.$$" "store.db.x.part" "other.db.$$.part" "store.db.-1.part"; do
        echo kept >"kept/$other"
    done'
before=$(ls -A kept | wc -l)
expect 0 load "$data/gate.pt2" -o kept/store.db
[ "$(ls -A kept | wc -l)" = $((before - 3)) ] || flunk "a load leaves $(ls -A kept)"
echo left >kept/store.db.1.part
mkdir kept/store.db.999999999.part
expect 0 load "$data/gate.pt2" -o kept/store.db
[ -f kept/store.db.1.part ] && [ -d kept/store.db.999999999.part ] || flunk 'what may be in use was removed'

# The same input gives the same bytes.
SOURCE_DATE_EPOCH=1700000000 && export SOURCE_DATE_EPOCH
expect 0 load "$tiny" -o one.db
expect 0 load "$tiny" -o two.db
cmp -s one.db two.db || flunk 'two loads of one file differ'
finish
