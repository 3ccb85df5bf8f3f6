# What an option says is heeded or refused, never dropped or guessed.
. "$top_srcdir/tests/robust/lib.sh"
gate=$data/gate.pt2

# Of two values nobody knows which one is meant; a flag says the same again.
expect 2 info --format json --format text "$gate"
says 'format is given twice'
expect 2 info -o a "$gate" -o a
expect 2 run "$gate" --seed 1 --seed=1
expect 2 dot "$gate" -T svg --type svg
expect 2 load --hash "$gate" --no-hash -o a.db
says 'hash and --no-hash exclude each other'
expect 0 info -q -q "$gate"
expect 0 query "$gate" -p a=1 -p b=2 'SELECT :a, :b'

# Numbers are digits to their end, and fit.
for number in '' ' 5' '5 ' +5 -5 0x10 5x 1e3 1.5 99999999999999999999; do
    expect 2 run "$gate" --seed "$number"
    says 'expected a whole number'
    expect 2 query "$gate" --max-output "$number$number" 'SELECT 1'
    expect 2 run "$gate" --device "cuda:$number"
    expect 2 show "$gate" "node#$number"
done
for number in '' ' 5' '5 ' +5 -5 0x10 1e3x inf nan 1e999 . e5 1-; do
    expect 2 run "$gate" --rtol "$number"
    expect 2 query "$gate" --timeout "$number" 'SELECT 1'
done
expect 0 run "$gate" --rtol 1e-3 --atol .5 --seed 007
for text in +5 ' 5' 0x5 5e0 99999999999999999999 --5; do
    expect 0 query "$gate" --format csv -p "a=$text" 'SELECT typeof(:a)'
    grep -q text out || flunk "the parameter '$text' is taken for a number"
done
expect 0 query "$gate" --format csv -p a=-5 'SELECT typeof(:a), :a'
grep -q 'integer,-5' out || flunk 'a negative number is no number'

# What needs another option says which one.
while read -r reason words; do
    expect 2 $words "$gate"
    says "$reason"
done <<'END'
around run --hops 2
around dot --hops 2
cuda run --tf32
cuda run --require-gpu
inputs run --seed 1 --inputs x.npz
PLAN partition --as-torch
PLAN partition --plan-version 1
tree ls --depth 2
END
expect 0 run "$data/tiny.pte" --seed 1 --save out.npz
expect 1 run "$data/tiny.pte" --expected out.npz
says 'without --inputs'

# What is not there is said, with what is near.
expect 2 ls "$gate" addd
says 'none of the nodes matches "addd"; did you mean add\?'
expect 2 ls "$gate" --what ops aten::add.Tensr
says 'did you mean aten::add.Tensor'
expect 0 ls "$gate" 'zz*'
says 'none of the nodes matches'
expect 0 ls -q "$gate" 'zz*'
[ ! -s err ] || flunk 'ls -q is not quiet'
expect 2 query "$gate" @impact -p node=addd
says 'no node "addd"; did you mean add\?'
expect 2 query "$gate" @depends -p node=nowhere
says 'no node "nowhere"'

# torch.export.save() calls a program forward, whatever method it was exported from.
LC_ALL=C sed 's/forward/encoded/g' "$data/squeeze_xnnpack.pte" >encoded.pte
expect 0 run encoded.pte --method encoded --against "$data/squeeze.pt2"
expect 0 run "$data/squeeze.pt2" --method encoded --against encoded.pte
expect 2 run "$data/squeeze.pt2" --method encoded
expect 2 run "$data/squeeze.pt2" --method encoded --against "$data/squeeze_xnnpack.pte"
finish
