# What the tests of the command line share: a scratch folder, and expectations.
data=$top_srcdir/tests/data
scratch=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
failures=0

flunk() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE ARGUMENT...: delegraph exits so. Beyond 1 it prints nothing but a reason.
expect() {
    wanted=$1
    shift
    "$DELEGRAPH" "$@" >out 2>err
    code=$?
    [ "$code" = "$wanted" ] || {
        flunk "delegraph $* exits with $code, not $wanted"
        cat err
    }
    [ "$wanted" -lt 2 ] && return
    [ ! -s out ] || flunk "delegraph $* exits with $wanted, but prints data"
    [ -s err ] || flunk "delegraph $* does not say why it exits with $wanted"
}

# says PATTERN: the last reason matches.
says() {
    grep -Eq "$1" err || {
        flunk "the reason lacks '$1'"
        cat err
    }
}

finish() {
    [ "$failures" = 0 ]
    exit
}
