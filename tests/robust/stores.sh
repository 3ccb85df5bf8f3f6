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
after_xnnpack|UPDATE delegate SET blob_bytes = 9223372036854775807; INSERT INTO delegate_key SELECT id, 99, 'k', 'weights', 9223372036854775807 FROM delegate
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

# make STORE PYTHON: from control_flow_scan, with `store` at hand and a schema to write.
make() {
    cp control_flow_scan.db "$1"
    python3 -c '
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("PRAGMA writable_schema = ON")

def say(name, sql, type="table"):
    store.execute("UPDATE sqlite_schema SET type = ?, sql = ? WHERE name = ?", (type, sql, name))

def said(name):
    return store.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0]

exec(sys.argv[2])
store.commit()' "$1" "$2" || flunk "cannot make $1"
}

# refused STORE PATTERN: by all verbs, at once and with this reason; nothing is made.
refused() {
    ls -A >before
    for verb in ${verbs:-info check run query}; do
        question=
        [ "$verb" != query ] || question='SELECT 1'
        [ "$verb" != diff ] || question=$1
        timeout 20 "$DELEGRAPH" $verb "$1" ${question:+"$question"} >out 2>err
        code=$?
        [ $code = 3 ] || flunk "delegraph $verb $1 exits with $code, not 3"
        [ ! -s out ] || flunk "delegraph $verb $1 prints data"
        says "$2"
    done
    : >>out
    ls -A | cmp -s before - || flunk "$1 made a file: $(ls -A | diff before -)"
}

# The schema of a file is compared, never executed.
verbs='info check ls dot report explain partition devices diff run query'
make vacuum.db 'say("finding", said("finding") + "; COMMIT; VACUUM INTO '\''made.db'\''")'
refused vacuum.db 'finding|malformed'
make vacuum_view.db 'say("v_finding", said("v_finding") + "; COMMIT; VACUUM INTO '\''made.db'\''", "view")'
refused vacuum_view.db 'v_finding|malformed'
verbs=
make attach.db 'say("cost", said("cost") + "; ATTACH '\''made.db'\'' AS made; CREATE TABLE made.t (a)")'
refused attach.db 'cost|malformed'
make tokenizer.db 'say("v_cost", "CREATE VIEW v_cost AS SELECT fts3_tokenizer('\''simple'\'', x'\''4141414141414141'\'')", "view")'
refused tokenizer.db 'view v_cost is not what delegraph writes'
make endless.db 'say("v_remark", "CREATE VIEW v_remark AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "view")'
refused endless.db 'view v_remark is not what delegraph writes'
make view_for_table.db '
store.execute("DROP TABLE segment")
store.execute("CREATE VIEW segment AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT i AS id, 1 AS artifact_id FROM n")'
refused view_for_table.db 'view segment is not what delegraph writes'
make virtual.db 'store.execute("CREATE VIRTUAL TABLE trap USING fts3(a)")'
refused virtual.db 'trap'
make trigger.db 'store.execute("CREATE TRIGGER trap AFTER INSERT ON finding BEGIN DELETE FROM node; END")'
refused trigger.db 'trigger trap is not what delegraph writes'
make index.db 'store.execute("CREATE INDEX trap ON node (abs(idx))")'
refused index.db 'index trap is not what delegraph writes'
make table.db 'store.execute("CREATE TABLE trap (a DEFAULT (randomblob(9)), b AS (abs(a)))")'
refused table.db 'table trap is not what delegraph writes'
make check.db 'say("node", said("node").replace("NOT NULL", "NOT NULL CHECK (abs(idx) < 999)", 2))'
refused check.db 'table node is not what delegraph writes'
make lacking.db 'store.execute("DROP TABLE operand")'
refused lacking.db 'lacks the .*operand'
make lacking_view.db 'store.execute("DROP VIEW v_edge")'
refused lacking_view.db 'lacks the view v_edge'
make generation.db 'store.execute("PRAGMA user_version = 3")'
refused generation.db 'generation 3'
make other_tool.db 'store.execute("PRAGMA application_id = 7")'
refused other_tool.db 'not a delegraph store'

# Comments, white space and statistics are no difference.
make plain.db '
import re
for name, sql in store.execute("SELECT name, sql FROM sqlite_schema").fetchall():
    bare = re.sub("--[^\n]*", "", sql)
    store.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (re.sub("[ \n]+", " /* - */ ", bare), name))'
python3 -c 'import sqlite3; sqlite3.connect("plain.db").executescript("ANALYZE; VACUUM")'
expect 0 info plain.db
expect 0 query plain.db 'SELECT count(*) FROM v_cost'

# Rows that no reader writes. A query shows what is there, and relies on nothing.
verbs='info check run ls'
make null.db 'say("node", said("node").replace("NOT NULL", ""))'
python3 -c 'import sqlite3; s = sqlite3.connect("null.db"); s.execute("UPDATE node SET name = NULL WHERE id = 2"); s.commit()'
make_right() {
    python3 -c '
import sqlite3, sys
whole, store = sqlite3.connect("control_flow_scan.db"), sqlite3.connect(sys.argv[1])
store.execute("PRAGMA writable_schema = ON")
for name, sql in whole.execute("SELECT name, sql FROM sqlite_schema").fetchall():
    store.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, name))
store.commit()' "$1"
}
make_right null.db
refused null.db 'damaged store: NULL value in node.name'
make type.db 'say("value", said("value").replace("STRICT", ""))'
python3 -c 'import sqlite3; s = sqlite3.connect("type.db"); s.execute("UPDATE value SET mem_offset = '\''here'\'' WHERE id = 3"); s.commit()'
make_right type.db
refused type.db 'damaged store: .*value.mem_offset'
while IFS='|' read -r name reason damage; do
    make "$name.db" "store.executescript('''$damage;''')"
    refused "$name.db" "damaged store: $reason"
done <<'END'
stray_node|edge [0-9]+, 0: src is 9223372036854775807, which refers to nothing|UPDATE edge SET src = 9223372036854775807
stray_value|operand 1, 0: value_id is 0, which refers to nothing|UPDATE operand SET value_id = 0
stray_graph|node 1: graph_id is 78, which refers to nothing|UPDATE node SET graph_id = graph_id + 77
no_method|graph 1: method_id is 1, which refers to nothing|DELETE FROM method
gap|value 2: id is 2, expected 1, 2, 3|DELETE FROM value WHERE id = 1
far_id|op 9223372036854775807: id is 9223372036854775807, expected 1, 2, 3|UPDATE op SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM op)
mixed|node 3: graph_id is 1, expected the rows of a graph together|INSERT INTO graph SELECT 2, method_id, 'b', 'branch' FROM graph; UPDATE node SET graph_id = 2, idx = 0 WHERE id = 2
size|artifact 1: size_bytes is -1, expected 0 or more|UPDATE artifact SET size_bytes = -1
bytes|value 2: nbytes is -5, expected 0 or more|UPDATE value SET nbytes = -5 WHERE id = 2
place|constant 2: file_offset is -8, expected 0 or more|UPDATE constant SET file_offset = -8 WHERE id = 2
memory|value [0-9]+: mem_offset is -9223372036854775808, expected|UPDATE value SET mem_offset = -9223372036854775807 - 1 WHERE mem_offset IS NOT NULL
arena|value [0-9]+: mem_id is 99999999999, expected -2147483648 to 4294967295|UPDATE value SET mem_id = 99999999999 WHERE mem_id IS NOT NULL
idx|value 5: idx is 4000000000, expected its position in its graph, 4|UPDATE value SET idx = 4000000000 WHERE id = 5
twice|node 2: idx is 0, expected its position in its graph, 1|UPDATE node SET idx = 0 WHERE id = 2
far_idx|method 1: idx is 9223372036854775807, expected 0 to 4294967295|UPDATE method SET idx = 9223372036854775807
pos|operand 2, -1: pos is -1, expected|UPDATE operand SET pos = -1 WHERE node_id = 2 AND pos = 0
jump|node 1: jump is 4294967296, expected|UPDATE node SET jump = 4294967296 WHERE id = 1
shape|value [0-9]+: shape is \[1,, expected a list in JSON|UPDATE value SET shape = '[1,' WHERE shape IS NOT NULL
object|value [0-9]+: shape is \{\}, expected a list in JSON|UPDATE value SET shape = '{}' WHERE shape IS NOT NULL
args|node 3: args is \[\{"name":"self"\}, expected a list in JSON|UPDATE node SET args = '[{"name":"self"}' WHERE id = 3
meta|node 3: meta is \{"a":01\}, expected an object in JSON|UPDATE node SET meta = '{"a":01}' WHERE id = 3
handle|node 3: debug_handle is nul, expected JSON|UPDATE node SET debug_handle = 'nul' WHERE id = 3
version|artifact 1: version is \{"schema, expected an object|UPDATE artifact SET version = '{"schema'
kind|node 1: kind is call_functions, expected one of call_function|UPDATE node SET kind = 'call_functions' WHERE id = 1
file|artifact 1: kind is red, expected one of pte pt2 ptd|UPDATE artifact SET kind = 'red'
where|value 1: storage is lost, expected one of constant|UPDATE value SET storage = 'lost' WHERE id = 1
ir|method 1: ir is c, expected one of aten edge pte|UPDATE method SET ir = 'c'
access|operand 1, 0: access is reads, expected one of read write both|UPDATE operand SET access = 'reads'
compared|comparison 1: result is maybe, expected one of same different unknown|INSERT INTO comparison VALUES (1, 1, 'old', 'maybe', '', '[]', '[]')
left_out|comparison 1: ignored is names, expected a list in JSON|INSERT INTO comparison VALUES (1, 1, 'old', 'same', '', 'names', '[]')
other|difference 1: change is renamed, expected one of added removed changed moved|INSERT INTO comparison VALUES (1, 1, 'old', 'different', '', '[]', '[]'); INSERT INTO difference VALUES (1, 1, 'op', 'renamed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL)
other_node|difference 1: node_id is 999999, which refers to nothing|INSERT INTO comparison VALUES (1, 1, 'old', 'different', '', '[]', '[]'); INSERT INTO difference VALUES (1, 1, 'op', 'added', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 999999, NULL)
removed|removed_edge 1, 0: src_old is 0, expected 1 or more|INSERT INTO comparison VALUES (1, 1, 'old', 'different', '', '[]', '[]'); INSERT INTO removed_edge VALUES (1, 0, NULL, NULL, 1)
flag|value [0-9]+: requires_grad is 2, expected 0 to 1|UPDATE value SET requires_grad = 2
deep|value 1: shape is .*, expected a list|UPDATE value SET shape = replace(printf('%9999d', 1), ' ', '[')
END

expect 0 query null.db 'SELECT count(*) FROM node WHERE name IS NULL'
verbs=

# Pages that are missing or exchanged: refused or, where nothing was there, shown.
size=$(wc -c <control_flow_scan.db)
for at in 100 8191 8192 16384 $((size / 2)) $((size - 8192)) $((size - 1)); do
    head -c $at control_flow_scan.db >cut.db
    refused cut.db 'cut\.db'
done
pages=$((size / 8192))
page=1
while [ $page -lt $pages ]; do
    cp control_flow_scan.db torn.db
    dd if=control_flow_scan.db of=torn.db bs=8192 count=1 skip=$((pages - page)) seek=$page conv=notrunc 2>/dev/null
    damage="page $page is exchanged"
    for verb in info report; do
        survives $verb torn.db
    done
    page=$((page + 1))
done

# Of a large store, a thread looks at the pages.
verbs='info check run ls'
pad() {
    cp "$1" "$2"
    python3 -c '
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("INSERT INTO meta VALUES (?, ?)", ("padding", "x" * (33 << 20)))
store.commit()' "$2"
}
pad control_flow_scan.db large.db
expect 0 info large.db
# Nodes and what they read, values and names are read side by side: that changes nothing.
"$DELEGRAPH" load -q "$data/mobilenet_v3.pt2" -o program.db
pad program.db large_program.db
for question in 'check -v' explain 'partition --mode min --format json' 'report --format md' \
    'dot --view partitions' 'diff large_program.db'; do
    for store in program large_program; do
        # shellcheck disable=SC2086 # words
        expect 0 $question "$store.db"
        sed 's/large_program/program/g' out >"$store.out"
    done
    [ -s program.out ] || flunk "$question: no answer"
    diff program.out large_program.out || flunk "$question: a large store has another answer"
done
pad null.db large_null.db
refused large_null.db 'damaged store: NULL value in node.name'
make far_src.db "store.execute('UPDATE edge SET src = 9223372036854775807')"
pad far_src.db large_far_src.db
refused large_far_src.db 'damaged store: edge [0-9]+, 0: src is 9223372036854775807, which refers'
cp large.db large_torn.db
python3 -c '
import sqlite3
root, = sqlite3.connect("large.db").execute("SELECT rootpage FROM sqlite_schema WHERE name = '\''node'\''").fetchone()
with open("large_torn.db", "r+b") as store:
    store.seek((root - 1) * 8192)
    store.write(bytes(range(256)) * 32)'
refused large_torn.db 'damaged store: '

# Trees that SQLite walks for ever, or a level for each page: the stack is small here.
python3 -c '
import shutil, sqlite3, struct
PAGE, MORE = 8192, 4300
def root(table):
    return sqlite3.connect("control_flow_scan.db").execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
def tree(child, n_cells):
    cell = struct.pack(">I", child) + bytes([8, 5, 1, 1, 1, 0, 1, 1, 1])
    begin = PAGE - n_cells * len(cell)
    pointers = b"".join(struct.pack(">H", begin + i * len(cell)) for i in range(n_cells))
    head = struct.pack(">BHHHBI", 2, 0, n_cells, begin, 0, child) + pointers
    return head.ljust(begin, b"\0") + cell * n_cells
def level_of_one(child):
    return struct.pack(">BHHHBI", 5, 0, 0, PAGE, 0, child)
def write(name, pages):
    shutil.copy("control_flow_scan.db", name)
    with open(name, "r+b") as store:
        store.seek(0, 2)
        old = store.tell() // PAGE
        for page, content in pages(old).items():
            store.seek((page - 1) * PAGE)
            store.write(content.ljust(PAGE, b"\0"))
        store.truncate((old + MORE) * PAGE)
        store.seek(28)
        store.write(struct.pack(">I", old + MORE))
def endless(old):
    trees = {root("edge") if not i else old + i: tree(old + i + 1, 500) for i in range(5)}
    return trees | {old + 5: struct.pack(">BHHHB", 10, 0, 0, PAGE, 0)}
def deep(old):
    return {root("named_data") if not i else old + i: level_of_one(old + i + 1) for i in range(MORE)}
write("large_endless.db", endless)
write("large_deep.db", deep)'
refused large_endless.db 'damaged store: '
(ulimit -s 512 && timeout 60 "$DELEGRAPH" info large_deep.db >out 2>err)
[ $? = 3 ] || flunk "delegraph info large_deep.db on a small stack: $(cat err)"
python3 -c '
import shutil, sqlite3
shutil.copy("control_flow_scan.db", "small_pages.db")
store = sqlite3.connect("small_pages.db")
store.executescript("PRAGMA page_size = 512; VACUUM")'
refused small_pages.db 'its pages have 512 bytes, expected 8192'
verbs=

# What another program has not finished writing is not finished by us.
python3 -c '
import shutil, sqlite3
shutil.copy("control_flow_scan.db", "busy.db")
store = sqlite3.connect("busy.db")
store.execute("PRAGMA journal_mode = WAL")
store.execute("UPDATE artifact SET path = '\''changed'\''")
store.commit()
shutil.copy("busy.db", "wal.db")
shutil.copy("busy.db-wal", "wal.db-wal")'
refused wal.db 'wal\.db-wal lies beside'
cp control_flow_scan.db torn_write.db
: >torn_write.db-journal
refused torn_write.db 'torn_write\.db-journal lies beside'
cp control_flow_scan.db "odd ?name#%41.db"
expect 0 info "odd ?name#%41.db"
mkdir alone
cp wal.db alone/was_wal.db
survives info alone/was_wal.db
[ "$(ls -A alone)" = was_wal.db ] || flunk "reading a store leaves $(ls -A alone)"

# A store names the file that it was made from: run reads that, if it is one.
mkfifo pipe
for path in pipe - /dev/zero . control_flow_scan.db; do
    make elsewhere.db "store.execute('UPDATE artifact SET path = ?', ('$path',))"
    timeout 20 "$DELEGRAPH" run elsewhere.db </dev/null >out 2>err
    code=$?
    [ $code = 3 ] || flunk "run on a store made from '$path' exits with $code, not 3"
done

# Without a digest it runs nothing: whatever lies there now may be another program.
cp "$data/gate.pt2" moving.pt2
expect 0 load moving.pt2 -o hashed.db
expect 0 load --no-hash moving.pt2 -o unhashed.db
expect 0 run hashed.db
expect 3 run unhashed.db
says 'unhashed\.db has no SHA-256 of moving\.pt2'
cp "$data/gate_tagged.pt2" moving.pt2
expect 3 run hashed.db
says 'no longer the file'
expect 3 run unhashed.db
# Numbers of MLX have slots behind those of tensors.
"$DELEGRAPH" load "$data/mlx.pte" -o mlx.db || flunk 'an MLX program is not loaded'
python3 -c 'import sqlite3
store = sqlite3.connect("mlx.db")
store.execute("UPDATE delegate_value SET idx = 4294967296 + idx WHERE id = (SELECT max(id) FROM delegate_value)")
store.execute("UPDATE delegate_operand SET value_idx = 4294967296 WHERE node_id = 1 AND pos = 0")
store.commit()'
expect 0 query mlx.db 'SELECT max(idx) FROM v_delegate_value'

finish
