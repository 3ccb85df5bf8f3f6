# Every descriptor is on its folder's list, and the other way round.
cd "$top_srcdir" || exit 99
status=0

# same FOLDER ENTRY KIND: `const struct dg_KIND dg_KIND_x` are ENTRY(x) in list.h.
same() {
    folder=$1 entry=$2 kind=$3
    defined=$(sed -n "s/^const struct dg_$kind dg_${kind}_\([a-z0-9_]*\) =.*/\1/p" \
        "$folder"/*.c | sort)
    listed=$(sed -n "s/^$entry(\([a-z0-9_]*\).*/\1/p" "$folder/list.h" | sort)
    test "$defined" = "$listed" && return
    printf '%s\ndefined:\n%s\nlist.h:\n%s\n' "$folder" "$defined" "$listed"
    status=1
}

same verifiers   VERIFIER verifier
same reports     REPORT   report
same reports/views    VIEW    view
same reports/sections SECTION section
same reports/fleet FLEET_SECTION fleet_section
same src/formats READER   reader
same src/cli     COMMAND  command

suites=$(sed -n 's/^Suite \*\([a-z0-9_]*\)_suite(void)$/\1/p' tests/unit/test_*.c | sort)
listed=$(sed -n 's/^SUITE(\([a-z0-9_]*\))/\1/p' tests/unit/list.h | sort)
test "$suites" = "$listed" || {
    printf 'tests/unit\ndefined:\n%s\nlist.h:\n%s\n' "$suites" "$listed"
    status=1
}

targets=$(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/' | sort)
listed=$(sed -n '/^fuzz_targets/,/[^\\]$/p' tests/fuzz/Makemodule.am | sed 's/.*=//; s/\\//' | tr -s ' \t' '\n' | sed '/^$/d' | sort)
test "$targets" = "$listed" || {
    printf 'tests/fuzz\nthere:\n%s\nfuzz_targets:\n%s\n' "$targets" "$listed"
    status=1
}

# What JSON names a class by is in its schema.
for class in $(sed -n '/^const char \*const dg_tolerance_names/,/};/p' src/exec/run.c | grep -o '"[a-z]*"'); do
    grep -q "$class" doc/schema/run.schema.json && continue
    echo "doc/schema/run.schema.json: $class"
    status=1
done

# What the oracle keeps hangs on each script that one imports: a package, or a file of that name
# that is in none.
if command -v python3 >/dev/null; then
    PYTHONPATH=tests/oracle PYTHONDONTWRITEBYTECODE=1 python3 - <<'END' || status=1
import sources

mutants = {path for path in sources.HERE.glob("mutants/*.py")}
assert mutants and mutants <= set(sources.sources_of("check_mutants.py")), "a package is left out"
found = set(sources.sources_of("check_blob_mutants.py"))
assert sources.HERE / "runtime.py" in found and not mutants & found, "runtime.py is another"
END
fi
exit $status
