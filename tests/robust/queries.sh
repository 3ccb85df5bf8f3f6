# A query takes what time and room it was given, whatever it does with them.
. "$top_srcdir/tests/robust/lib.sh"
tiny=$data/tiny.pte

# stopped PATTERN ARGUMENT...: with exit 4 and this reason, and long before it would end.
stopped() {
    pattern=$1
    shift
    timeout 50 "$DELEGRAPH" query "$tiny" "$@" >out 2>err
    code=$?
    [ $code = 4 ] || flunk "delegraph query $* exits with $code, not 4"
    [ ! -s out ] || flunk "delegraph query $* prints a part of its answer"
    says "$pattern"
}

endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
stopped 'out of time' --timeout 0.3 "$endless SELECT count(*) FROM n"
# One instruction of SQLite, for minutes.
stopped 'out of time' --timeout 0.3 \
    "SELECT instr(hex(zeroblob(30000000)), hex(zeroblob(15000000)) || '1')"
stopped 'out of time' --timeout 0.3 \
    "SELECT length(replace(hex(zeroblob(20000000)), '0', '0'))
          + instr(hex(zeroblob(30000000)), hex(zeroblob(10000000)) || '1')"
# A reader who does not read.
mkfifo pipe
sleep 30 <pipe &
sleeper=$!
timeout 20 "$DELEGRAPH" query "$tiny" --timeout 0.5 --format csv \
    "$endless SELECT i FROM n LIMIT 100000" >pipe 2>err
code=$?
kill $sleeper
[ $code = 4 ] || flunk "a query whose reader sleeps exits with $code, not 4"
says 'out of time'
expect 0 query "$tiny" --timeout 0 'SELECT 1'

for format in text plain json jsonl csv; do
    stopped 'larger than 1048576 bytes' --max-output 1MiB --format $format \
        "$endless SELECT i, 'x' FROM n"
    stopped 'larger than 1048576 bytes' --max-output 1048576 --format $format \
        'SELECT 1, zeroblob(30000000)'
done
stopped 'larger than 65536 bytes' --max-output 64k "$endless SELECT NULL FROM n"
stopped 'beyond 64 MiB' 'SELECT zeroblob(70000000)'
stopped 'beyond 64 MiB' "$endless SELECT group_concat(hex(zeroblob(100000))) FROM (SELECT i FROM n LIMIT 1000)"
# SQLite's own printf() gives NULL.
for width in 70000000 2000000000 .2000000000; do
    stopped 'beyond 64 MiB' "SELECT printf('%${width}d', 1), format('%s', 2)"
done
expect 0 query "$tiny" --format csv "SELECT printf('%3d|%s|%%', 7, NULL), typeof(printf('')), typeof(format(NULL, 1))"
grep -q '^  7||%,null,null' out || flunk 'printf() is not that of SQLite'
# A cell counts as it is written: what is escaped or doubled as several bytes.
for format in text plain json jsonl csv; do
    stopped 'larger than 20000000 bytes' --max-output 20000000 --format $format \
        "SELECT replace(hex(zeroblob(15000000)), '00', char(1))"
done
stopped 'larger than 20000000 bytes' --max-output 20000000 --format csv \
    "SELECT replace(hex(zeroblob(15000000)), '00', '\"')"
# What is wrong with the SQL shows only while it runs.
wrong() {
    expect 2 query "$tiny" "$2"
    says "query: $1"
}
wrong 'queries can only read' "VACUUM INTO '$scratch/copy.db'"
wrong 'queries can only read' VACUUM
[ ! -e copy.db ] || flunk 'a query wrote a file'
wrong 'malformed JSON' "SELECT json('{')"
wrong 'integer overflow' 'SELECT abs(-9223372036854775807 - 1)'
wrong 'ESCAPE expression' "SELECT 'a' LIKE 'b' ESCAPE 'cc'"
wrong 'no such column: nme; did you mean name' 'SELECT nme FROM v_node'
wrong 'no such column: n.opp; did you mean op' 'SELECT n.opp FROM v_node AS n'
wrong 'no such table: nodes; did you mean v_node' 'SELECT 1 FROM nodes'

many='zeroblob(60000000)'
for i in 1 2 3 4; do
    many="$many, $many"
done
stopped 'larger than|1 GiB' --format csv "SELECT $many, $many"
expect 0 query "$tiny" --max-output 0 --format csv 'SELECT hex(zeroblob(1000000))'
expect 0 query "$tiny" --max-output 1T 'SELECT 1'
for size in 1x -1 '' k 1KiBB 99999999999G; do
    expect 2 query "$tiny" --max-output "$size" 'SELECT 1'
    says 'max-output'
done

# Graphviz ends with whoever asked for it.
if python3 -c '' 2>/dev/null && [ -r /proc/self/task/self/children ] ||
    [ -r "/proc/$$/task/$$/children" ]; then
    python3 -c '
import os, signal, subprocess, sys, time

def state(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"

for _ in range(40):
    dot = subprocess.Popen([sys.argv[1], "dot", sys.argv[2], "-T", "svg", "--layout", "graphviz",
                            "--no-fold", "--max-boxes", "9999"], stdout=subprocess.DEVNULL)
    children = ""
    while not children and dot.poll() is None:
        children = open(f"/proc/{dot.pid}/task/{dot.pid}/children").read()
    if not children:
        continue
    child = int(children.split()[0])
    time.sleep(0.02)
    try:
        os.kill(child, signal.SIGSTOP)
    except OSError:
        continue
    time.sleep(0.02)
    running = state(child) == "T"
    dot.kill()
    dot.wait()
    if not running:
        continue
    for _ in range(200):
        if state(child) in ("gone", "Z", "X"):
            sys.exit(0)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    sys.exit("the child outlives its parent")
' "$DELEGRAPH" "$data/llama_core.pt2" || flunk 'Graphviz goes on after its parent was killed'
fi
finish
