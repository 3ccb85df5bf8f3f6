#!/bin/sh
# make_deb.sh TARBALL OUT: a Debian source package of a release tarball, and the binary packages
# of it; without arguments: whether what that needs is here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

fail() {
    echo "make_deb.sh: $1" >&2
    exit 4
}

command -v dpkg-buildpackage >/dev/null 2>&1 || fail 'please install dpkg-dev and debhelper'
# Whoever packages has `make check` for tests.
export DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck ${DEB_BUILD_OPTIONS-}"
lacks=$(dpkg-checkbuilddeps "$here/debian/control" 2>&1) ||
    fail "please install ${lacks#*dependencies: }"
[ $# = 0 ] && exit

tarball=$1
out=$2
name=$(basename "$tarball" .tar.xz)
version=${name#delegraph-}
SOURCE_DATE_EPOCH=$(sh "$here/epoch.sh")
export SOURCE_DATE_EPOCH
umask 022

rm -rf "$out"
mkdir -p "$out"
cp "$tarball" "$out/delegraph_$version.orig.tar.xz"
tar -xJf "$tarball" -C "$out"
cp -R "$here/debian" "$out/$name/debian"
# The version is that of configure.ac. Revision 0upstream1 is older than any of Debian's own.
cat >"$out/$name/debian/changelog" <<END
delegraph ($version-0upstream1) unstable; urgency=medium

  * What is new stands in NEWS.md, which is installed as changelog.gz.

 -- $(sed -n 's/^Maintainer: //p' "$here/debian/control")  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
# Of the make that runs this, no option is meant for the package's own.
(unset MAKEFLAGS MFLAGS MAKELEVEL XZ_OPT && cd "$out/$name" &&
    dpkg-buildpackage --no-sign -Jauto) >"$out/build.log" 2>&1 || {
    tail -n 20 "$out/build.log" >&2
    echo "make_deb.sh: dpkg-buildpackage failed: see $out/build.log" >&2
    exit 5
}
rm -rf "${out:?}/$name"
