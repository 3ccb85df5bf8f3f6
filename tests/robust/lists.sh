# 15,000 calls that name a list of 100,000 values, in a file of 2 MB: each verb answers in
# time and memory of the file's size, not of their product.
. "$top_srcdir/tests/robust/lib.sh"
command -v python3 >/dev/null || exit 77

grep -q __asan_init "$DELEGRAPH" || ulimit -v 1500000
ulimit -t 30
python3 "$top_srcdir/tests/robust/lists.py" . 100000 15000 >names || flunk "lists.py: see above"

# answers ARGUMENT...: with a result or a reason.
answers() {
    "$DELEGRAPH" "$@" >out 2>err
    code=$?
    [ "$code" -le 3 ] && return
    flunk "delegraph $* exits with $code"
    cat err
}

while read -r name; do
    expect 0 info "$name"
    expect 0 check "$name" --exit-zero
    expect 0 dot "$name"
    expect 0 report "$name" --fail-on never
    answers run "$name"
    expect 0 load "$name" -o "$name.db"
    expect 0 check "$name.db" --exit-zero
done <names
grep -q 'calls name long lists too often' out || flunk "check does not say what it leaves out"
finish
