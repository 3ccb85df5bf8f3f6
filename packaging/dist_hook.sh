#!/bin/sh
# dist_hook.sh DISTDIR: what `make dist` copied becomes what is released. Folders are copied whole,
# with what tests and editors left in them, here and in the build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
epoch=$(sh "$here/epoch.sh")
cd "$1"
known=$PWD.known
trap 'rm -f "$known"' EXIT
if [ -e "$here/../.git" ]; then
    git -C "$here/.." -c core.quotePath=false ls-files
else
    (cd "$here/.." && find * -type f)
fi | sort >"$known"
find contrib doc packaging python tests -type f | sort | comm -23 - "$known" |
    while read -r file; do
        [ ! -e "$here/../$file" ] || echo "left out, as git does not know it: $file" >&2
        rm -f "$file"
    done
find . -depth -type d -empty -exec rmdir {} +
rm -f packaging/epoch # of whom this was made from, and not to be written
echo "$epoch" >packaging/epoch
