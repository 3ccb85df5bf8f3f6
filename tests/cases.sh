# Partitions equal those that PyTorch and ExecuTorch made of the same graphs, and the
# program that says so would see a difference.
run=$top_builddir/tests/cases/run_cases
status=0

"$run" "$top_srcdir"/tests/data/*_cases.json* || status=1

nodes='[{"name":"x","op":"placeholder","target":"x","inputs":[]},
{"name":"relu","op":"call_function","target":"torch.ops.aten.relu.default","inputs":["x"]}]'

# ends CODE CASE...: the cases, one per line, end with that exit code.
ends() {
    code=$1
    shift
    printf '%s\n' "$@" | "$run" /dev/stdin >/dev/null 2>&1
    got=$?
    [ "$got" = "$code" ] && return
    echo "exit $got instead of $code: $*"
    status=1
}

case_of() {
    printf '{"name":"a","nodes":%s,%s}' "$(echo "$nodes" | tr -d '\n')" "$1"
}

ends 0 "$(case_of '"expected":{"ids":[0],"partitions":[["relu"]],"tags":{"relu":"tag0"},"acyclic":true}')"
ends 1 "$(case_of '"expected":{"ids":[1],"partitions":[["relu"]]}')"
ends 1 "$(case_of '"expected":{"ids":[],"partitions":[]}')"
ends 1 "$(case_of '"expected":{"ids":[0],"partitions":[["x"]]}')"
ends 1 "$(case_of '"expected":{"ids":[0],"partitions":[["relu"]],"tags":{}}')"
ends 1 "$(case_of '"expected":{"ids":[0],"partitions":[["relu"]],"acyclic":false}')"
ends 1 "$(case_of '"expected":{"ids":[],"partitions":[],"endless":true}')"
ends 0 "$(case_of '"mode":"validate","sets":[["relu"]],"expected":{"convex":[true],"acyclic":true,"failing":null}')"
ends 1 "$(case_of '"mode":"validate","sets":[["relu"]],"expected":{"convex":[false]}')"
ends 1 "$(case_of '"mode":"validate","sets":[["relu"]],"expected":{"acyclic":false}')"
ends 1 "$(case_of '"mode":"validate","sets":[["relu"]],"expected":{"failing":0}')"
ends 3 "$(case_of '"mode":"validate","expected":{}')"
ends 3 "$(case_of '"mode":"none","expected":{"ids":[],"partitions":[]}')"
ends 3 "$(case_of '"supported":["y"],"expected":{"ids":[],"partitions":[]}')"
ends 3 '{"name":"a","nodes":[{"name":"x","op":"call_function","inputs":["x"]}]}'
ends 3 '{"name":"a"'
ends 3 ''
exit $status
