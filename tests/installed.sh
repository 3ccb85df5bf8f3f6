# What is installed can be built against: header, pkg-config file and library, whose symbols
# are the functions of the header and no others.
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
status=0

flunk() {
    echo "$*"
    status=1
}

make -s -C "$top_builddir" install DESTDIR="$scratch/root" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
pc=$(find "$scratch/root" -name delegraph.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")
lib=$scratch/root$prefix/lib
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$scratch/root" LD_LIBRARY_PATH="$lib"

sed -n 's/^[a-z].*\(delegraph_[a-z]*\)(.*/\1/p' "$top_srcdir/src/delegraph.h" |
    grep -v '_fn$' | sort >"$scratch/promised"
nm -D --defined-only "$lib/libdelegraph.so" | awk '{ print $NF }' | sort >"$scratch/given"
diff "$scratch/promised" "$scratch/given" || flunk 'the library has other symbols than its header'
sed -n 's/^ \(delegraph_[a-z]*\)@.*/\1/p' "$top_srcdir/packaging/debian/libdelegraph0.symbols" |
    diff "$scratch/promised" - || flunk "the symbols of Debian's package are others"
[ "$(pkg-config --modversion delegraph)" = "$("$DELEGRAPH" version | awk '{ print $2 }')" ] ||
    flunk 'the version of the pkg-config file is another'

# built NAME STANDARD...: an example, as a user compiles it.
built() {
    name=$1
    shift
    "$@" -Wall -Wextra -Werror "$top_srcdir/doc/examples/$name.c" -o "$scratch/$name" \
        $(pkg-config --cflags --libs delegraph) || flunk "$name.c does not compile"
}

# shows CODE NAME ARGUMENT...: what it prints is what stands here, on standard input.
shows() {
    code=$1
    name=$2
    shift 2
    "$scratch/$name" "$@" >"$scratch/$name.out" 2>&1
    got=$?
    [ "$got" = "$code" ] || flunk "$name: exit $got, expected $code"
    diff - "$scratch/$name.out" || flunk "$name prints something else"
}

built check "${CC:-cc}" -std=c99
built partition "${CC:-cc}" -std=c99
shows 0 partition <<'END'
partition 1: c d
partition 2: a
END
shows 1 check "$top_srcdir/tests/data/tiny.pte" \
    "$top_srcdir/tests/data/mutants/control-flow_jump-target-range__jumps_past_the_end.pte" <<'END'
tiny.pte
control-flow_jump-target-range__jumps_past_the_end.pte
  error control-flow/jump-target-range op_2: jumps to instruction 99 of 8
  warning control-flow/unreachable op_6: no way from the first instruction leads to this one and those behind it
  error memory/output-defined op_2: value 8 is returned, and nothing has written it on a way to the end, op_2
2 errors
END
shows 3 check "$scratch/none.pte" <<'END'
none.pte
  cannot be read: No such file or directory
0 errors
END
exit $status
