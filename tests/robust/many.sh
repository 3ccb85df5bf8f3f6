# Many files at once: what is printed is what each of them alone gives, in the order in
# which they were named; a bad one stops no other; the worst exit code counts.
. "$top_srcdir/tests/robust/lib.sh"

"$DELEGRAPH" load "$data/tiny.pte" -q -o store.db || flunk "no store"
head -c 2000 "$data/bert.pt2" >cut.pt2
files="$data/tiny.pte cut.pt2 $data/bert.pt2 $data/external.pte $data/external_default_external_constant.ptd store.db
    none.pte $data/mlp.pt2 $data/portable.pte $data/on_cuda.pte $data/control_flow_cond.pte"

: >alone
for file in $files; do
    case $file in
    *.ptd) continue ;;
    */external.pte) "$DELEGRAPH" check "$file" "$data/external_default_external_constant.ptd" >>alone 2>>alone.err ;;
    *) "$DELEGRAPH" check "$file" >>alone 2>>alone.err ;;
    esac
done
for jobs in 1 2 7 0; do
    "$DELEGRAPH" check -j $jobs $files >together 2>together.err
    [ $? = 3 ] || flunk "check -j $jobs with a bad file exits with $?, not 3"
    tail -n 1 together | grep -q 'programs: .*could not be read: FAIL$' || flunk "check does not say how many there are"
    sed '$d' together | cmp alone - || flunk "check -j $jobs says something else than check of each"
    cmp alone.err together.err || flunk "check -j $jobs has other reasons than check of each"
done

# One store serves one small file after another: nothing of one is told of the next.
wrong=$data/mutants/$(ls "$data/mutants" | grep '\.pte$' | head -1)
for copy in 1 2 3; do
    cp "$wrong" "wrong$copy.pte"
done
"$DELEGRAPH" check -j 1 wrong1.pte "$data/tiny.pte" wrong2.pte "$data/bert.pt2" wrong3.pte \
    --format json >after 2>err
python3 - after <<'PYTHON' || flunk "findings of one file are told of the next"
import json, sys
told = [one["findings"] for one in json.load(open(sys.argv[1]))["artifacts"]]
assert told[0] and told[0] == told[2] == told[4] and told[0] != told[1], told
PYTHON

# Of the programs of a store the same rules run as of their files.
"$DELEGRAPH" load "$data/tiny.pte" "$data/mlp.pt2" -q -o both.db || flunk "no store of both"
"$DELEGRAPH" check "$data/tiny.pte" "$data/mlp.pt2" -v 2>err | sed -n 's/.*notes*; //p' >of_files
"$DELEGRAPH" check both.db -v 2>err | sed -n 's/.*notes*; //p' | cmp - of_files || flunk "a store of two kinds runs other rules"
[ "$(wc -l <of_files)" = 2 ] || flunk "check -v does not say which rules ran"
finish
