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

expect 5 load "$tiny" -o no/such/folder/store.db
expect 5 info "$tiny" -o no/such/folder/info.txt
expect 5 load "$tiny" -o .
expect 5 partition "$data/gate.pt2" -o no/such/folder/plan.json
expect 5 explain "$data/gate.pt2" -o no/such/folder/explain.txt

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
expect 5 report "$tiny" -o nowhere.html

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

# The same input gives the same bytes.
SOURCE_DATE_EPOCH=1700000000 && export SOURCE_DATE_EPOCH
expect 0 load "$tiny" -o one.db
expect 0 load "$tiny" -o two.db
cmp -s one.db two.db || flunk 'two loads of one file differ'
finish
