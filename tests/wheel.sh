# A wheel of this build, installed where none of the libraries that it brings are: the program
# and the package give what the build gives.
for tool in patchelf strip readelf dpkg; do
    command -v $tool >/dev/null 2>&1 || {
        echo "skipped: $tool is not here"
        exit 77
    }
done
/usr/bin/python3 -c 'import setuptools, wheel, pip, ensurepip' 2>/dev/null || {
    echo 'skipped: pip, setuptools, venv or wheel of Python is not here'
    exit 77
}
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
data=$top_srcdir/tests/data
status=0

flunk() {
    echo "$*"
    status=1
}

sh "$top_srcdir/python/make_wheel.sh" "$top_builddir" "$scratch" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
wheel=$(find "$scratch" -name '*.whl')
case ${wheel##*/} in
delegraph-*-py3-none-manylinux_2_*.whl) ;;
*) flunk "the wheel is called ${wheel##*/}" ;;
esac
/usr/bin/python3 -m venv "$scratch/env" >"$scratch/log" 2>&1 &&
    "$scratch/env/bin/pip" -q install --no-index --no-deps "$wheel" >>"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
native=$(find "$scratch/env" -name _native)
program=$native/delegraph
grep -qF "$(cd "$top_srcdir" && pwd)" "$program" && flunk 'a path of this machine is in the program'

for file in "$program" "$native/libdelegraph.so.0"; do
    ldd "$file" | awk '/=>/ { print $3 }' | grep -vE "^$native/|/lib(c|m|dl|rt|pthread)\.so\.[0-9]*$" &&
        flunk "${file##*/} takes these from the machine"
done

# What the build gives.
"$DELEGRAPH" dot "$data/mobilenet_v3.pt2" -T svg -o "$scratch/right.svg"
"$DELEGRAPH" report "$data/bert_xnnpack.pte" -o "$scratch/right.html"

# And the wheel, run by inside.sh, beside libraries that are hidden: those that it brings but
# for what Python itself needs, Graphviz's plugins, and librsvg.
cat >"$scratch/inside.sh" <<END
hide() {
    mount --bind "\$1" "\$2" 2>/dev/null
}
if [ "\$1" = hidden ]; then
    : >"$scratch/nothing"
    mkdir -p "$scratch/empty"
    kept=\$(ldd "$scratch/env/bin/python3" | awk '{ print \$1 }')
    for name in \$(cd "$native" && ls lib*) librsvg-2.so.2; do
        echo "\$kept" | grep -qxF "\$name" && continue
        for path in \$(ldconfig -p | awk -v n="\$name" '\$1 == n { print \$NF }'); do
            hide "$scratch/nothing" "\$(readlink -f "\$path")"
        done
    done
    hide "$scratch/empty" "$(pkg-config --variable=libdir libgvc)/graphviz"
fi
cd "$scratch"
status=0
shows() {
    want=\$1
    shift
    env -i PATH="$scratch/env/bin:/usr/bin:/bin" "\$@" >"$scratch/said" 2>&1
    got=\$?
    [ \$got = "\$want" ] || { echo "\$*: exit \$got, expected \$want"; cat "$scratch/said"; status=1; }
}
shows 0 delegraph version
shows 0 delegraph check "$data/mlp.pt2"
shows 1 delegraph check "$data/on_cuda_planned_on_host.pte"
shows 0 delegraph dot "$data/mobilenet_v3.pt2" -T svg -o given.svg
shows 0 delegraph report "$data/bert_xnnpack.pte" -o given.html
shows 0 python3 -c 'import sys, delegraph
program = delegraph.load(sys.argv[1])
assert len(program.query("SELECT * FROM v_node")) > 5
assert delegraph.check(sys.argv[2])' "$data/mlp.pt2" "$data/on_cuda_planned_on_host.pte"
if [ "\$1" = hidden ]; then
    shows 4 delegraph dot "$data/mlp.pt2" -T png -o given.png
    grep -q 'cannot load librsvg' said || { echo 'PNG: another message'; cat said; status=1; }
fi
for kind in svg html; do
    cmp "right.\$kind" "given.\$kind" || status=1
done
exit \$status
END
if unshare -m true 2>/dev/null; then
    unshare -m sh "$scratch/inside.sh" hidden || status=1
else
    echo 'not hidden: this user cannot mount'
    sh "$scratch/inside.sh" plain || status=1
fi
exit $status
