# Programs of more than two gigabytes, in holes: pictures, reports and checks are those of
# small ones, in time and in memory.
. "$top_srcdir/tests/robust/lib.sh"
command -v python3 >/dev/null || exit 77
grep -q __asan_init "$DELEGRAPH" && exit 77

PYTHONPATH=$top_srcdir/tests/bench python3 - "$data" <<'EOF' || exit 77
import pathlib, sys
import programs
data = pathlib.Path(sys.argv[1])
programs.wide_mlp(data / "mlp.pt2", "large.pt2", 58_000_000)
programs.grow_constants(data / "portable.pte", "large.pte", 2_400_000_000)
EOF

# frugal ARGUMENT...: exits with 0, and takes no more than 100 MB.
frugal() {
    expect 0 "$@"
    peak=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$DELEGRAPH" "$@")
    [ "$peak" -le 100 ] || flunk "delegraph $* takes $peak MB"
}

for program in large.pt2 large.pte; do
    frugal dot "$program" -T svg -o large.svg
    frugal check "$program"
    frugal report "$program" -o large.html
done

# A plan is for one program: its digest is of all bytes, which are let go.
frugal partition large.pt2 -o large.plan.json
frugal check large.pt2 --plan large.plan.json
finish
