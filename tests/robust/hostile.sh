# Archives and JSON made to hurt: refused with a reason, at once, in little memory.
. "$top_srcdir/tests/robust/lib.sh"
command -v python3 >/dev/null || exit 77

python3 "$top_srcdir/tests/robust/hostile.py" . >names || exit 99

# Half a gigabyte of addresses is plenty. Sanitizers reserve terabytes of them.
grep -q __asan_init "$DELEGRAPH" ||
    ulimit -v 524288

while read -r name; do
    begin=$(date +%s)
    expect 3 info "$name"
    [ $(($(date +%s) - begin)) -le 10 ] || flunk "$name takes more than ten seconds"
    says "$name"
    expect 3 check "$name"
done <names
finish
