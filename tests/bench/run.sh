# run.sh BUILD_DIR OUT_DIR: measure speed and memory of BUILD_DIR/delegraph; a table on
# standard output, bench.json and what it was measured on in OUT_DIR.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
build=${1:?build folder} out=${2:?output folder}

command -v python3 >/dev/null || {
    echo "bench: needs python3" >&2
    exit 4
}
make -s -C "$build" delegraph tests/bench/bench_load tests/bench/bench_partition \
    tests/bench/bench_rules >&2 || exit 1
mkdir -p "$out" || exit 1
exec python3 "$here/bench.py" "$build" "$out"
