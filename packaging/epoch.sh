#!/bin/sh
# The time that packages are of, in seconds: SOURCE_DATE_EPOCH, or that of the last commit, which
# `make dist` writes into the tarball; a fixed one where neither is known.
top=$(dirname "$0")/..
if [ -n "${SOURCE_DATE_EPOCH-}" ]; then
    echo "$SOURCE_DATE_EPOCH"
elif [ -e "$top/.git" ]; then
    git -C "$top" log -1 --format=%ct
else
    cat "$top/packaging/epoch" 2>/dev/null || echo 315532800
fi
