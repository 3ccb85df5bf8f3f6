# Reports as pages: HTML held to its rules, then opened and used in Chromium. What is not
# on this machine (html5lib, Chromium) is skipped, and so is the test then.
top=$top_srcdir
data=$top/tests/data
pages=$(mktemp -d) || exit 99
trap 'rm -rf "$pages"' EXIT
most_bytes=1500000
status=0
skipped=

report() {
    name=$1
    shift
    "$DELEGRAPH" report "$@" -o "$pages/$name.html" || status=1
}

# judged NAME COMMAND...: 77 is a word that something is missing.
judged() {
    "$@"
    case $? in
    0) ;;
    77) skipped=yes ;;
    *) status=1 ;;
    esac
}

"$top_builddir/tests/page/sample" >"$pages/sample.html" || status=1
report delegated "$data/bert_xnnpack.pte"
report plan "$data/after_xnnpack.pt2" --plan "$data/after_xnnpack_aoti.plan.json"
report wrong "$data/gate.pt2" --plan "$data/gate_one_tag.plan.json"
report devices "$data/on_cuda.pte"
"$DELEGRAPH" run "$data/bert.pt2" --store "$pages/run.db" >/dev/null && report run "$pages/run.db"
for build in squeeze_portable squeeze_xnnpack squeeze_portable mutants/constant_external-fqn__external_without_name; do
    "$DELEGRAPH" load --append "$data/$build.pte" --name squeeze --label branch=main -o "$pages/fleet.db" || status=1
done
"$DELEGRAPH" load --append "$data/profiled.pte" "$data/profiled_trace.etdp" -o "$pages/fleet.db" || status=1
report fleet "$pages/fleet.db" --fleet

for page in "$pages"/*.html; do
    [ "$(wc -c <"$page")" -le "$most_bytes" ] || {
        echo "${page##*/} has more than $most_bytes bytes"
        status=1
    }
done
cp "$pages/delegated.html" "$pages/first"
report delegated "$data/bert_xnnpack.pte"
cmp "$pages/first" "$pages/delegated.html" || status=1

for python in python3 /usr/bin/python3; do
    "$python" -c 'import html5lib' 2>/dev/null && break
done
command -v python3 >/dev/null || {
    echo "no python3 here: pages are not looked at"
    exit 77
}
judged "$python" "$top/tests/page/check_html.py" "$pages"/*.html
judged python3 "$top/tests/page/browser.py" "$pages"/*.html
[ "$status" = 0 ] || exit 1
[ -z "$skipped" ] || exit 77
