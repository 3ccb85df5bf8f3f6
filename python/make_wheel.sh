#!/bin/sh
# make_wheel.sh BUILD OUT: a wheel of the package with the program and the library of BUILD,
# and with every library that these need but glibc's. They find each other by where they lie.
# CUDA and librsvg are opened when they are asked for, and come from the machine.
set -eu
build=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
stage=$build/wheel/stage
native=$stage/delegraph/_native
plugins=$(pkg-config --variable=libdir libgvc)/graphviz
layout=libgvplugin_dot_layout.so.6

# Libraries that FILE needs, but for those of glibc.
needs() {
    ldd "$1" | awk '/=> \// && $1 !~ /^(libc|libm|libdl|librt|libpthread|ld-linux.*)\.so/ { print $3 }'
}

# take FROM TO RPATH: a copy without what only a debugger reads, which finds libraries in RPATH.
take() {
    install -m 755 "$1" "$2"
    strip "$2"
    patchelf --set-rpath "$3" "$2"
}

# The licence of the Debian package that FILE came with.
take_licence() {
    for path in "$1" "$(readlink -f "$1")" "/usr$(readlink -f "$1")"; do
        package=$(dpkg -S "$path" 2>/dev/null | sed 's/:.*//' | head -n 1)
        [ -n "$package" ] && break
    done
    [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ] || {
        echo "make_wheel.sh: no licence is known of $1" >&2
        exit 1
    }
    cp "/usr/share/doc/$package/copyright" "$stage/licenses/LICENSE.$package"
}

rm -rf "$stage"
mkdir -p "$native/graphviz" "$stage/licenses" "$out"
cp -R "$here/pyproject.toml" "$here/setup.py" "$here/delegraph" "$stage"
find "$stage" -name __pycache__ -exec rm -rf {} +
cp "$here/../LICENSE" "$stage/licenses/LICENSE"

take "$build/delegraph" "$native/delegraph" '$ORIGIN'
take "$build/libdelegraph.so.0" "$native/libdelegraph.so.0" '$ORIGIN'
take "$plugins/$layout" "$native/graphviz/$layout" '$ORIGIN/..'
take_licence "$plugins/$layout"
# Graphviz asks a list what is in which plugin.
for list in "$plugins"/config*; do
    awk -v plugin="$layout" '$1 == plugin { on = 1 } on { print } /^}/ { on = 0 }' "$list" \
        >"$native/graphviz/${list##*/}"
done
for file in "$build/delegraph" "$build/libdelegraph.so.0" "$plugins/$layout"; do
    needs "$file"
done | sort -u | while read -r library; do
    take "$library" "$native/${library##*/}" '$ORIGIN'
    take_licence "$library"
done

glibc=$(find "$native" -type f -exec readelf -VW {} + 2>/dev/null |
    grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2n -u | tail -n 1)
DELEGRAPH_WHEEL_PLATFORM=manylinux_$(echo "${glibc#GLIBC_}" | tr . _)_$(uname -m)
export DELEGRAPH_WHEEL_PLATFORM
# Times of files do not make another wheel.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-315532800} /usr/bin/python3 -m pip -q wheel --no-deps \
    --no-build-isolation --no-cache-dir -w "$out" "$stage"
