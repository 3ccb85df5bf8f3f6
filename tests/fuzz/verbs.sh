# Every verb on some hundred mutants of every kind of file; ./dev fuzz all makes more.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$top_srcdir" || exit 99

mkdir "$work/failures"
"$top_builddir/tests/harness" --runs 800 --work "$work/failures" \
    $(sh tests/fuzz/harness.sh "$DELEGRAPH" "$work/seeds") >"$work/report" && exit 0
tail -n 1 "$work/report"
cat "$work/failures"/*.txt
exit 1
