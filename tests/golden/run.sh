# Run delegraph with the arguments in each NAME.cmd; compare with NAME.out, which holds
# its standard output, then its messages, then the exit code if it is not 0.
got=$(mktemp -d) || exit 99
trap 'rm -rf "$got"' EXIT
cd "$top_srcdir" || exit 99
count=0 failures=0

for test in tests/golden/*.cmd; do
    [ -f "$test" ] || exit 77
    wanted=${test%.cmd}.out
    eval "\"\$DELEGRAPH\" $(cat "$test")" >"$got/out" 2>"$got/err" </dev/null
    code=$?
    {
        cat "$got/out" "$got/err"
        [ $code = 0 ] || echo "exit $code"
    } >"$got/all"
    [ -z "${UPDATE_GOLDEN-}" ] || cp "$got/all" "$wanted"
    diff -u "$wanted" "$got/all" || failures=$((failures + 1))
    count=$((count + 1))
done
echo "100%: Checks: $count, Failures: $failures, Errors: 0"
[ $failures = 0 ]
