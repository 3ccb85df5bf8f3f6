# Wrong programs, made by oracle/check_mutants.py: data/mutants/NAME.pte is told what
# data/mutants/expected.txt says, a line for each rule that finds an error or a warning.
got=$(mktemp -d) || exit 99
trap 'rm -rf "$got"' EXIT
cd "$top_srcdir/tests/data/mutants" || exit 99

"$DELEGRAPH" check --exit-zero ./*.pte >"$got/out" 2>"$got/err" || {
    cat "$got/err"
    exit 1
}
sed -n 's,^\(error\|warning\)\[\([^]]*\)\] \./\([a-z0-9_-]*\.pte\).*,\3 \1 \2,p' "$got/out" |
    LC_ALL=C sort -u >"$got/told"
[ -z "${UPDATE_GOLDEN-}" ] || cp "$got/told" expected.txt
diff -u expected.txt "$got/told" || failed=1

# Each file is named after the rule that it breaks, with _ for the slash.
count=0
for file in *.pte; do
    count=$((count + 1))
    rule=$(echo "${file%%.*}" | sed 's,__.*,,; s,_,/,')
    grep -q "^$file .* $rule\$" expected.txt || {
        echo "$file: nothing is told of $rule"
        failed=1
    }
done
echo "100%: Checks: $count, Failures: ${failed-0}, Errors: 0"
[ -z "${failed-}" ]
