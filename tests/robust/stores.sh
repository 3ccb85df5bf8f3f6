# Stores changed by hand to what no reader writes: drawn and told, or refused with a
# reason; at once, and never a crash.
. "$top_srcdir/tests/robust/lib.sh"
python3 -c 'import sqlite3' 2>/dev/null || {
    echo 'skipped: python3 with sqlite3 is not here'
    exit 77
}

# survives ARGUMENT...: shown, not there, or no store.
survives() {
    timeout 60 "$DELEGRAPH" "$@" >out 2>err
    code=$?
    case $code in
    0 | 1) ;;
    2 | 3) [ -s err ] || flunk "$damage: delegraph $* does not say why it exits with $code" ;;
    *)
        flunk "$damage: delegraph $* exits with $code"
        cat err
        ;;
    esac
    grep -E 'runtime error|Sanitizer' err && flunk "$damage: delegraph $*"
}

# shown STORE: in every way.
shown() {
    for view in graph modules partitions calls devices; do
        survives dot "$1" --view $view -T svg --layout plain
        survives dot "$1" --view $view -o "$view.dot"
        # Graphviz takes no string of more than 16384 bytes.
        [ $code != 0 ] || LC_ALL=C awk 'length > 16384 { exit 1 }' "$view.dot" ||
            flunk "$damage: view $view has a line that Graphviz cannot read"
    done
    for finding in 1 2 3; do
        survives dot "$1" --finding $finding
    done
    survives dot "$1" --around op_1
    for form in html md text; do
        survives report "$1" --format $form
    done
    survives info "$1"
    survives ls --tree "$1"
}

for program in after_xnnpack.pt2 control_flow_scan.pte; do
    expect 0 load "$data/$program" -o "${program%.*}.db"
done
while IFS='|' read -r program damage; do
    cp "$program.db" damaged.db
    python3 -c '
import sqlite3, sys
store = sqlite3.connect("damaged.db")
store.executescript(sys.argv[1])' "$damage" || flunk "cannot: $damage"
    shown damaged.db
done <<'END'
control_flow_scan|UPDATE edge SET src = 9223372036854775807; UPDATE OR IGNORE edge SET dst = -1
control_flow_scan|UPDATE edge SET src = dst
after_xnnpack|UPDATE edge SET src = dst + 1
control_flow_scan|UPDATE op SET id = 9223372036854775807 WHERE id = 2
control_flow_scan|UPDATE op SET id = -2147483648 WHERE id = 1
after_xnnpack|UPDATE op SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM op)
after_xnnpack|UPDATE node SET graph_id = 77 WHERE delegate_id IS NOT NULL
after_xnnpack|DELETE FROM node WHERE delegate_id IS NOT NULL
after_xnnpack|UPDATE artifact SET version = '{"schema'
control_flow_scan|UPDATE value SET shape = '[1,', dim_order = 'x', nbytes = -9223372036854775807
control_flow_scan|UPDATE value SET nbytes = 9223372036854775807, mem_offset = 9223372036854775807
control_flow_scan|UPDATE arena SET size_bytes = -1
control_flow_scan|UPDATE node SET jump = 9223372036854775807, idx = -idx
control_flow_scan|UPDATE operand SET value_id = 4000000000
control_flow_scan|DELETE FROM graph
control_flow_scan|DELETE FROM method
after_xnnpack|UPDATE node SET module_id = -1, trace_id = 99, value_id = 9223372036854775807
after_xnnpack|UPDATE module SET fqn = replace(printf('%9999d', id), ' ', 'a.')
after_xnnpack|UPDATE value SET device = replace(printf('%99999d', id), ' ', 'y'), shape = NULL
after_xnnpack|UPDATE graph SET kind = replace(printf('%99999d', id), ' ', '["')
after_xnnpack|UPDATE node SET name = replace(printf('%99999d', id), ' ', '\<>&"')
END
finish
