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
load "$tiny" -o fleet.db
load "$tiny" -o link.db
load "$tiny" --name tiny -o fleet.db
load "$tiny" --no-hash -o fleet.db
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
expect 2 load "$tiny" -o old.db
says 'it holds 3 builds'
same old.db
head -c 9000 fleet.db >cut.db
cp cut.db cut.db.kept
expect 2 load "$tiny" -o cut.db
says 'may hold builds, which would be lost'
same cut.db

# What has none is replaced as ever.
expect 0 load "$tiny" -o program.db
expect 0 load "$data/mlp.pt2" -o program.db
expect 0 run "$data/mlp.pt2" --store program.db
expect 0 diff "$tiny" "$tiny" --store program.db
echo 'no store' >text
expect 0 load "$tiny" -o text
: >empty.db
expect 0 load "$tiny" -o empty.db

finish
