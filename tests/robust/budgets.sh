# Limits of growth: an older program is found, or the gate fails and says why; nothing that
# a store holds stands in for what the command line says.
. "$top_srcdir/tests/robust/lib.sh"
old=$data/two_backends.pte new=$data/xnnpack.pte

# grows CODE OLD: xnnpack.pte against that.
grows() {
    expect "$1" check "$new" --select budget --limit file-size=+1kB --against "$2"
}

cp "$new" same.pte
grows 1 "$old"
grows 0 same.pte
grows 2 "$new"
says 'the same file as'
ln -s "$new" link.pte
grows 2 link.pte
head -c 1000 "$old" >cut.pte
: >empty.pte
echo 'no program' >text.pte
for bad in cut.pte empty.pte text.pte none.pte /dev/null; do
    grows 3 "$bad"
    says 'against'
done
mkdir folder
grows 1 folder
grep -q budget/new-program out || flunk "a folder without the program is none"
grows 2 "$data/mlp.pt2"
says 'a .pt2; expected a .pte'
grows 3 ''

# A store of one program is as good as the program; of several it is refused.
expect 0 load "$old" -q -o old.db
expect 0 load "$new" -q -o new.db
grows 1 old.db
grows 0 new.db
expect 0 load "$old" "$new" -q -o both.db
grows 2 both.db
says 'a store of one program'
expect 2 check both.db --limit file-size=+1kB --against "$old"
expect 0 check both.db --artifact 2 --limit file-size=+1kB --against "$new" --select budget
printf 'SQLite format 3\000' | cat - "$old" >damaged.db
grows 3 damaged.db

# The data beside a program is that of a store of both.
external=$data/external.pte ptd=$data/external_default_external_constant.ptd
cp "$external" alone.pte
expect 1 check "$external" "$ptd" --select budget --limit file-size=+1 --against alone.pte
grep -q 'cannot be judged.*load makes a store' out || flunk "data of one program is compared with none"
expect 0 load "$external" "$ptd" -q -o external.db
expect 0 check "$external" "$ptd" --select budget --limit file-size=+0 --against external.db
expect 1 check "$external" --select budget --limit file-size=+0 --against external.db

# Namesakes in a folder: the longest end of the path.
mkdir -p build/a build/b yesterday/build/a yesterday/b
cp "$new" build/a/model.pte
cp "$new" build/b/model.pte
cp "$new" yesterday/build/a/model.pte
cp "$new" yesterday/b/model.pte
cp "$old" yesterday/model.pte
for start in build ./build "$scratch/build" ../"${scratch##*/}"/build; do
    expect 0 check -r "$start" --select budget --limit file-size=+1kB --against yesterday
done
expect 0 check -r build --select budget --limit file-size=+1kB --against yesterday/
# The program of a store goes by the name that it had.
expect 0 load build/a/model.pte -q -o kept.db
expect 0 check kept.db --select budget --limit file-size=+1kB --against yesterday
expect 0 load build/a/model.pte build/b/model.pte -q -o pair.db
expect 2 check pair.db --select budget --limit file-size=+1kB --against yesterday
says 'choose it with --artifact'
expect 0 check pair.db --artifact 2 --select budget --limit file-size=+1kB --against yesterday
expect 0 report kept.db --against yesterday --format text
grep -q 'What changed' out || flunk "a report does not compare the program of a store"
expect 0 dot kept.db --view diff --against yesterday
rm yesterday/b/model.pte
expect 1 check pair.db --artifact build/b/model.pte --select budget --limit file-size=+1kB --against yesterday
expect 1 check -r build --select budget --limit file-size=+1kB --against yesterday
rm yesterday/model.pte
expect 1 check -r build --select budget --limit file-size=+1kB --against yesterday
grep -q '^error.budget/new-program. build/b/model.pte' out || flunk "a program without a namesake passes"
grep -q 'build/a/model.pte: 0 errors' out || flunk "one without a namesake stops the others"
rm -r yesterday/build
expect 1 check -r build --select budget --limit file-size=+1kB --against yesterday
[ "$(grep -c budget/new-program. out)" -ge 2 ] || flunk "a folder without any of them passes"
expect 3 check -r build --select budget --limit file-size=+1kB --against nowhere
says "nowhere: cannot read"

# Two with one older program are told; not where older ones are stored once, and not where no
# limit of growth holds.
# against CODE WORDS...: with limits of growth against yesterday.
against() {
    code=$1
    shift
    expect "$code" check "$@" --select budget --limit file-size=+1kB --against yesterday
}
cp "$new" yesterday/model.pte
against 1 -r build
grep -q '^error.budget/same-old. build/b/model.pte: .*yesterday/model.pte, as build/a/' out ||
    flunk "two programs are compared with one"
against 0 build/a/model.pte ./build/a/model.pte
against 0 -r build --ignore budget/same-old
mkdir yesterday/a
ln yesterday/model.pte yesterday/a/
mv yesterday/model.pte yesterday/b/
against 0 -r build/ -r "$scratch/build"
printf 'programs: [{files: build/a/*, budgets: {file-size: +1kB}, against: yesterday/b}]\n' >part.yaml
expect 0 check -r build --select budget --config part.yaml

# A limit of growth is not known, and report takes the same options.
expect 0 baseline write "$new" --baseline known.json --limit file-size=+0 --against "$old"
grep -q budget known.json && flunk "a limit of growth is known"
expect 1 report "$new" --format text --fail-on error --select budget --limit file-size=+0 \
    --against "$old"
says_out() { grep -q "$1" out || flunk "the report lacks '$1'"; }
says_out 'more than the'

python3 -c 'import sqlite3' 2>/dev/null || finish
plant() {
    python3 -c '
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.executescript(sys.argv[2])
store.commit()' "$@" || flunk "cannot plant $2"
}

# What a store says of the target, of limits and of an older program is not heard.
plant new.db "INSERT INTO setting VALUES ('against', 'planted.pte'),
    ('was.file-size', '{\"number\":1e9,\"basis\":\"alone\"}'), ('limit.file-size', '1'),
    ('limit.peak-memory', 'no number'), ('op', 'aten::add.out'), ('backend', 'XnnpackBackend')"
expect 0 check new.db --select budget --limit host-calls=99
expect 1 check new.db --select budget --limit file-size=+1kB --against "$old"
grep -q planted out && flunk "a store plants an older program"
expect 1 check new.db --select partition/backend-known --backends none
# An old store that is hostile is refused, or measured as it is; nothing of it runs.
for damage in "UPDATE artifact SET size_bytes = -9223372036854775808" \
    "UPDATE artifact SET size_bytes = 9223372036854775807" \
    "UPDATE method SET name = char(10) || 'cpu' || char(27)" \
    "UPDATE arena SET size_bytes = -1, device = char(10)" \
    "UPDATE arena SET size_bytes = 9223372036854775807" \
    "UPDATE artifact SET kind = 'pt2'" \
    "UPDATE artifact SET companion_of = 1" \
    "DELETE FROM method" \
    "CREATE TABLE more (x)"; do
    cp old.db hostile.db
    plant hostile.db "PRAGMA foreign_keys = OFF; $damage"
    "$DELEGRAPH" check "$new" --select budget --against hostile.db --limit file-size=+0 \
        --limit peak-memory=+0 --limit planned-memory=+0 --limit delegated-share=-1% \
        --limit host-calls=+0 --limit boundary-bytes=+0% >out 2>err
    case $? in
    1) ;;
    2 | 3) [ -s err ] || flunk "$damage: no reason" ;;
    *) flunk "$damage: exit $?" ;;
    esac
    LC_ALL=C grep -q "$(printf '\033')" out err && flunk "$damage: a control character leaves raw"
done
finish
