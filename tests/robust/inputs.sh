# Each kind of bad input has its exit code and its reason; nothing reaches standard output.
. "$top_srcdir/tests/robust/lib.sh"
tiny=$data/tiny.pte

for verb in info check ls dot; do
    expect 3 $verb missing.pte
    says 'missing\.pte'
    : >empty.pte
    expect 3 $verb empty.pte
    says 'empty'
    echo 'just a line of text' >text.pte
    expect 3 $verb text.pte
done

expect 3 info .
head -c 900 "$tiny" >truncated.pte
expect 3 info truncated.pte
head -c 3000 "$data/unicode_names.pt2" >truncated.pt2
expect 3 info truncated.pt2
head -c 300 "$data/external_tagged_weights.ptd" >truncated.ptd
expect 3 info truncated.ptd

# A later file identifier is a version that nobody here can know.
{
    head -c 4 "$tiny"
    printf 'ET99'
    tail -c +9 "$tiny"
} >version.pte
expect 3 info version.pte
says 'ET99'

# The name does not matter, nor does the way in.
cp "$tiny" looks_like.pt2
expect 0 info looks_like.pt2
expect 0 info - <"$tiny"
expect 0 info --format json - <"$data/unicode_names.pt2"
expect 3 info - </dev/null

# No list has a zero between its words, which would end the first.
printf 'aoti_torch_a\0aoti_torch_b\n' >zero.txt
expect 3 check --shims zero.txt "$tiny"
says 'zero\.txt: a byte of 0 among its symbols'

# Plans, lists of operators and groups, cut anywhere or of another kind.
for option in 'check --plan' 'dot --plan' 'explain --plan' 'info --plan' \
    'partition --prior' 'partition --support' 'partition --mode group --groups'; do
    case $option in
    *plan | *prior) whole=$data/crossed_two_tags.plan.json ;;
    *support) whole=$top_srcdir/src/partition/backends/aoti.json ;;
    *)
        whole=groups.json
        echo '{"forward": [["add", "mul"], ["relu"]]}' >groups.json
        ;;
    esac
    size=$(wc -c <"$whole")
    for at in 0 1 17 31 $((size / 2)) $((size - 3)); do
        head -c $at "$whole" >cut.json
        expect 3 $option cut.json "$data/crossed.pt2"
    done
    expect 3 $option missing.json "$data/crossed.pt2"
    says 'missing\.json'
    expect 3 $option "$tiny" "$data/crossed.pt2"
    expect 3 $option . "$data/crossed.pt2"
    head -c 100000 /dev/zero | tr '\0' '[' >deep.json
    expect 3 $option deep.json "$data/crossed.pt2"
done

# What check is told of the target.
echo 'no operators yet' >no_operators.txt
for list in text.pte empty.pte no_operators.txt "$tiny" "$DELEGRAPH"; do
    expect 3 check --ops "$list" "$tiny"
    says 'operator'
done
printf '# all\r\n\n aten::add.out,aten::mul.out # two\r\naten::sub' >operators.txt
expect 0 check --select plan/op-arity --ops operators.txt "$tiny"
for limit in '' =5 peak-memory peak-memory= peak-memory=0x10 peak-memory=-1 peak-memory=nan \
    'peak-memory= 5' 'peak-memory=5 ' peak-memory=1e400 peak-memory=. peak-memory=1,5; do
    expect 2 check --limit "$limit" "$tiny"
    says 'limit'
done
for names in '' , ' , '; do
    expect 2 check --methods "$names" "$tiny"
    expect 2 check --backends "$names" "$tiny"
done
expect 1 check --methods "it's,a\"b
'; DROP TABLE setting; --" --format json "$tiny"
grep -q "no method it's" out || flunk 'a name with a quote is lost'

# Companions of the wrong kind.
expect 3 check --data "$tiny" "$tiny"
expect 3 check --data "$data/crossed.pt2" "$tiny"
expect 3 check --program "$data/external_tagged_weights.ptd" "$tiny"
expect 2 check --program "$data/crossed.pt2" "$data/crossed.pt2"
expect 2 check --data "$data/external_tagged_weights.ptd" "$data/crossed.pt2"

# With several inputs the others are still looked at, and the worst code wins.
for order in "$tiny empty.pte" "empty.pte $tiny"; do
    "$DELEGRAPH" check $order >out 2>err
    code=$?
    [ $code = 3 ] || flunk "check $order exits with $code, not 3"
    says 'empty\.pte'
done

# A database that is not ours; and a store with a hole.
printf 'SQLite format 3\000' >other.db
head -c 5000 /dev/zero >>other.db
expect 3 info other.db
expect 0 load "$tiny" -o store.db
head -c 8192 store.db >short.db
expect 3 info short.db

# A pipe is read once.
mkfifo pipe
cat "$tiny" >pipe &
expect 0 check pipe

# A file that is cut while it is read: hashing takes long, so one of these is in time.
mkdir cut
code=0
for delay in 0.05 0.1 0.2 0.02 0.3 0.5 0.01 1; do
    [ $code = 0 ] || break
    rm -f cut/*
    cp "$tiny" cut/large.pte
    dd if=/dev/zero of=cut/large.pte bs=1 count=0 seek=1G 2>/dev/null
    "$DELEGRAPH" load cut/large.pte -o cut/store.db >out 2>err &
    until [ -e "$(echo cut/*.part)" ] || ! kill -0 $! 2>/dev/null; do
        :
    done
    sleep $delay
    dd if=/dev/null of=cut/large.pte bs=1 seek=4096 2>/dev/null
    wait $!
    code=$?
done
[ $code = 3 ] || flunk "a load whose file is cut exits with $code, not 3"
says 'large\.pte: cut .*while it was read'
[ "$(ls -A cut)" = large.pte ] || flunk "a load whose file is cut leaves $(ls -A cut)"

# The program is mapped when its inputs are read, and cut before its weights are.
cp "$data/mlp.pt2" cut.pt2
mkfifo inputs
"$DELEGRAPH" run cut.pt2 --inputs inputs --save cut.npz >out 2>err &
{
    : >cut.pt2
    printf '\223NUMPY\001\000\166\000%-117s\n' \
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"
    head -c 32 /dev/zero
} >inputs
wait $!
code=$?
[ $code = 3 ] || flunk "a run whose program is cut exits with $code, not 3"
says 'cut\.pt2: cut .*while it was read'

# A folder of inputs holds files; what else is in it is not waited for.
mkdir folder
mkfifo folder/0.npy
timeout 10 "$DELEGRAPH" run "$tiny" --inputs folder >out 2>err
code=$?
[ $code = 3 ] || flunk "run --inputs with a pipe in the folder exits with $code, not 3"
says '0\.npy: a pipe or device'
rm folder/0.npy
ln -s /dev/zero folder/0.npy
timeout 10 "$DELEGRAPH" run "$tiny" --inputs folder >out 2>err
code=$?
[ $code = 3 ] || flunk "run --inputs with a device in the folder exits with $code, not 3"

# Usage.
expect 2 inof "$tiny"
says 'info'
expect 2 "$tiny"
says 'delegraph info'
expect 2 info
expect 2 info --fromat json "$tiny"
says 'did you mean --format'
expect 2 rules memory/no-live-overlp
says 'memory/no-live-overlap'
expect 2 check --select no-such/rule "$tiny"
expect 2 info --format yaml "$tiny"
# A bundle whose test sets are of another method: the program's own inputs.
cp "$data/bundled.bpte" other.bpte
printf another | dd of=other.bpte bs=1 seek=5336 conv=notrunc 2>/dev/null
expect 0 run other.bpte
grep -q 'inputs: random, seed 0' out || flunk 'a bundle without tests of the method'
finish
