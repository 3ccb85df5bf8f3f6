# The README and the pages of doc/ that show commands, word by word: after each `$ ...` line of a
# ```console block, what is printed must be what the page shows, and each picture must have
# the words of the one that the page makes. A command that ends with a backslash goes on in
# the next line. UPDATE_GOLDEN=1 writes all that there instead.
top=$top_srcdir
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" || exit 99
ln -s "$DELEGRAPH" "$scratch/bin/delegraph"
PATH=$scratch/bin:$PATH && export PATH
checks=0
failures=0

split() {
    awk -v folder="$2" '
        /^```console$/ { inside = 1; next }
        /^```$/        { inside = 0; next }
        !inside        { next }
        goes_on        { print >(folder "/" n ".cmd"); goes_on = /\\$/; next }
        /^\$ /         { n++; print substr($0, 3) >(folder "/" n ".cmd")
                         printf "" >(folder "/" n ".wanted"); goes_on = /\\$/; next }
        n              { print >(folder "/" n ".wanted") }
        END            { print n + 0 >(folder "/count") }' "$1"
}

update() {
    awk -v folder="$2" '
        /^```console$/ { inside = 1; print; next }
        /^```$/        { inside = 0 }
        !inside        { print; next }
        goes_on        { print }
        !goes_on && /^\$ / { print; n++ }
        goes_on || /^\$ / { goes_on = /\\$/
                            got = folder "/" n ".got"
                            while (!goes_on && (getline line <got) > 0) print line }
        ' "$1" >"$2/page" && cp "$2/page" "$1" && failures=0
}

# Layouts differ between versions of Graphviz; words do not.
words() {
    sed -n 's/.*<text[^>]*>\(.*\)<\/text>.*/\1/p' "$1" |
        sed 's/&#45;/-/g; s/&#160;/ /g; s/<[^>]*>/\n/g' | sort
}

pictures() {
    for picture in $(sed -n 's/.*](pictures\/\(.*\.svg\))$/\1/p' "$1"); do
        shown=$top/doc/pictures/$picture
        [ -z "${UPDATE_GOLDEN-}" ] || cp "$2/$picture" "$shown"
        words "$2/$picture" >"$scratch/made"
        words "$shown" >"$scratch/shown"
        [ -s "$scratch/shown" ] && diff -u --label "doc/pictures/$picture" --label "$1" \
            "$scratch/shown" "$scratch/made" || failures=$((failures + 1))
        checks=$((checks + 1))
    done
}

for page in README doc/tour doc/cuda doc/devices doc/delegates doc/partitions doc/numerics doc/pictures doc/user-rules doc/policy doc/ci doc/fleet; do
    file=$top/$page.md
    parts=$scratch/${page#doc/}
    mkdir "$parts" "$parts/run"
    ln -s "$top/tests" "$parts/run/tests"
    mkdir "$parts/run/doc" && ln -s "$top/doc/rules.d" "$parts/run/doc/rules.d"
    split "$file" "$parts"
    read -r count <"$parts/count"
    n=1
    while [ "$n" -le "$count" ]; do
        (cd "$parts/run" && sh "$parts/$n.cmd") >"$parts/$n.got" 2>&1 </dev/null
        diff -u --label "$page.md" --label "$(head -n 1 "$parts/$n.cmd")" \
            "$parts/$n.wanted" "$parts/$n.got" || failures=$((failures + 1))
        n=$((n + 1))
    done
    checks=$((checks + count))
    pictures "$file" "$parts/run"
    [ -z "${UPDATE_GOLDEN-}" ] || update "$file" "$parts"
done
echo "100%: Checks: $checks, Failures: $failures, Errors: 0"
[ "$checks" -gt 0 ] && [ "$failures" = 0 ]
