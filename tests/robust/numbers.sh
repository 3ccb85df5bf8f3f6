# Sizes whose sums no integer holds: every verb answers as of any other program. Inputs
# that inflate stay below the bound of memory, which sanitizers do not.
. "$top_srcdir/tests/robust/lib.sh"
command -v python3 >/dev/null || exit 77

grep -q __asan_init "$DELEGRAPH" && bombs= || bombs=$DELEGRAPH
python3 "$top_srcdir/tests/robust/numbers.py" "$data" . $bombs >names ||
    flunk "numbers.py: see above"

while read -r name; do
    expect 0 info "$name"
    expect 0 info "$name" --memory --format json
    expect 0 check "$name" --exit-zero
    for form in html md text; do
        expect 0 report "$name" --format $form --fail-on never
    done
    expect 0 query "$name" @arenas
    expect 0 query "$name" 'SELECT sum(size_bytes), total(size_bytes) FROM arena'
    expect 0 ls "$name" --what arenas
    expect 0 dot "$name" --view calls
done <names
finish
