# The README's tour, word by word: after each `$ delegraph ...` line of a ```console block,
# what is printed must be what the README shows. UPDATE_GOLDEN=1 writes it there instead.
top=$top_srcdir
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/run"
ln -s "$DELEGRAPH" "$scratch/bin/delegraph"
PATH=$scratch/bin:$PATH && export PATH
cd "$scratch/run" || exit 99
ln -s "$top/tests" tests

awk -v folder="$scratch" '
    /^```console$/ { inside = 1; next }
    /^```$/        { inside = 0; next }
    !inside        { next }
    /^\$ /         { n++; print substr($0, 3) >(folder "/" n ".cmd"); printf "" >(folder "/" n ".wanted"); next }
    n              { print >(folder "/" n ".wanted") }
    END            { print n + 0 >(folder "/count") }' "$top/README.md"

read -r count <"$scratch/count"
failures=0
n=1
while [ "$n" -le "$count" ]; do
    sh "$scratch/$n.cmd" >"$scratch/$n.got" 2>&1 </dev/null
    diff -u --label README.md --label "$(cat "$scratch/$n.cmd")" \
        "$scratch/$n.wanted" "$scratch/$n.got" || failures=$((failures + 1))
    n=$((n + 1))
done
if [ -n "${UPDATE_GOLDEN-}" ]; then
    awk -v folder="$scratch" '
        /^```console$/ { inside = 1; print; next }
        /^```$/        { inside = 0 }
        !inside        { print; next }
        /^\$ /         { print; got = folder "/" ++n ".got"; while ((getline line <got) > 0) print line }
        ' "$top/README.md" >"$scratch/README.md" && cp "$scratch/README.md" "$top/README.md" &&
        failures=0
fi
echo "100%: Checks: $count, Failures: $failures, Errors: 0"
[ "$count" -gt 0 ] && [ "$failures" = 0 ]
