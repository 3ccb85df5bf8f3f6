# Rules of users: whatever they hold, a gate with them ends, writes nothing, and passes no
# program that they did not look at.
. "$top_srcdir/tests/robust/lib.sh"
tiny=$data/tiny.pte
shipped=$top_srcdir/doc/rules.d

# rule SQL...: the only one of folder r; SQL goes on over several words.
rule() {
    rm -rf r
    mkdir r
    printf '%s\n' '-- id: user/x' '-- severity: error' '-- text: something holds' "$@" >r/x.sql
}

# refused CODE PATTERN ARGUMENT...: where folder r is the gate.
refused() {
    code=$1 pattern=$2
    shift 2
    expect "$code" check "$tiny" --select user --rules r "$@"
    says "r/x.sql:[0-9]+: user/x: $pattern"
}

endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
rule "$endless SELECT i AS message FROM n"
refused 4 'query stopped: it ran out of time' --rules-timeout 0.3
expect 4 report "$tiny" --rules r --rules-timeout 0.3 --format text
expect 4 check "$tiny" "$data/mlp.pt2" --rules r --rules-timeout 0.3 -j 2
rule "$endless SELECT count(*) AS message FROM n"
refused 4 'query stopped: it ran out of time' --rules-timeout 0.3
# One instruction of SQLite, for minutes.
rule "SELECT instr(hex(zeroblob(30000000)), hex(zeroblob(15000000)) || name) AS message FROM v_node"
refused 4 'query stopped: it ran out of time' --rules-timeout 0.3
rule "SELECT zeroblob(70000000 + node_id) AS message FROM v_node"
refused 4 'query stopped: a value is beyond 64 MiB'
many='hex(zeroblob(30000000 + node_id))'
for i in 1 2 3 4 5; do
    many="$many, $many"
done
rule "SELECT coalesce(message, x) AS message FROM (SELECT max($many) AS message, 1 AS x FROM v_node)"
refused 4 'query stopped: it took more than 1 GiB'
rule "$endless SELECT i AS message FROM n LIMIT 1000000"
expect 1 check "$tiny" --select user --rules r
grep -q '999000 more findings of this rule' out || flunk 'a million rows are not counted'
[ "$(wc -l <out)" -lt 1010 ] || flunk 'a million rows are a million findings'
rule "SELECT hex(zeroblob(30000000)) AS message FROM v_node"
expect 1 check "$tiny" --select user --rules r
[ "$(wc -c <out)" -lt 10000 ] || flunk 'a message has no bound'

for sql in 'DELETE FROM node' 'DROP VIEW v_node' "ATTACH 'copy.db' AS c" 'PRAGMA user_version = 7' \
    'CREATE TEMP TABLE t AS SELECT 1 AS message' 'BEGIN' 'REINDEX' \
    "INSERT INTO finding (rule) VALUES ('x') RETURNING 1 AS message" \
    'SELECT 1 AS message FROM pragma_journal_mode'; do
    rule "$sql"
    refused 2 ''
done
rule "VACUUM INTO 'copy.db'"
refused 2 ''
rule "SELECT writefile('copy.db', 'x') AS message"
refused 2 'no such function'
rule "SELECT load_extension('x') AS message"
refused 2 'not authorized'
[ ! -e copy.db ] || flunk 'a rule wrote a file'

# What stands in a folder.
rm -rf r
mkdir r
expect 2 check "$tiny" --rules r
says 'no .sql file'
mkfifo r/x.sql
expect 3 check "$tiny" --rules r
says 'no regular file'
rm r/x.sql
ln -s /nowhere/at/all r/x.sql
expect 3 check "$tiny" --rules r
rm r/x.sql
ln -s "$shipped/only-xnnpack.sql" r/x.sql
touch r/.x.sql r/y.sql~ r/README
mkdir r/more
expect 0 check "$tiny" --rules r
head -c 70000 /dev/zero | tr '\0' ' ' >r/y.sql
expect 2 check "$tiny" --rules r
says 'larger than'
printf '%b' '-- id: user/x\n-- severity: error\n-- text: t\nSELECT 1 AS message\n\0;' >r/y.sql
expect 2 check "$tiny" --rules r
says 'y.sql:5: a NUL byte'
rm r/y.sql
expect 3 check "$tiny" --rules r/x.sql
expect 3 check "$tiny" --rules ''
expect 3 check "$tiny" --rules r --rules nowhere
if [ "$(id -u)" != 0 ]; then
    chmod 0 r
    expect 3 check "$tiny" --rules r
    chmod 755 r
fi
escape=$(printf 'r\033[31m')
mkdir "$escape"
echo '-- id: none' >"$escape/x.sql"
expect 2 check "$tiny" --rules "$escape"
says 'x1b.31m/x.sql:1: the header lacks'
mkdir many
i=0
while [ $i -lt 1001 ]; do
    printf '%s\n' "-- id: user/x$i" '-- severity: note' '-- text: t' 'SELECT 1 AS message WHERE 0' >many/$i.sql
    i=$((i + 1))
done
expect 2 check "$tiny" --rules many
says 'more than 1000 rules'
rm many/0.sql
expect 0 check "$tiny" --rules many

# An output is no rule that was read.
cp "$shipped/only-xnnpack.sql" many/0.sql
expect 2 rules --rules many -o many/0.sql
cmp -s "$shipped/only-xnnpack.sql" many/0.sql || flunk 'an output went over a rule'

# The same of a file as of a store, of one file after the other as of several at a time.
for kind in pte pt2; do
    for file in "$data"/*.$kind; do
        expect 0 check "$file" --rules "$shipped" --select user --exit-zero -q
        sed 's/\[[^]]*\]//; s/^\([a-z]*\) [^ ]*/\1/' out >"$(basename "$file").alone"
        cat out >>all
    done
done
[ "$(wc -l <all)" -gt 40 ] || flunk 'the shipped rules find little'
for jobs in 1 8; do
    expect 0 check "$data"/*.pte "$data"/*.pt2 --rules "$shipped" --select user --exit-zero -q -j $jobs
    cmp -s out all || flunk "with $jobs jobs something else is found"
done
for file in two_backends.pte llama.pt2 on_cuda_exir.pt2; do
    rm -f one.db
    expect 0 load "$data/$file" -o one.db
    expect 0 check one.db --rules "$shipped" --select user --exit-zero -q
    sed 's/\[[^]]*\]//; s/^\([a-z]*\) [^ ]*/\1/' out >stored
    cmp -s stored $file.alone || flunk "of $file in a store something else is found"
done

# The third of them, with a weight of less.
rm -rf r
mkdir r
sed 's/16 \* 1048576/64/' "$shipped/no-large-f32-weights.sql" >r/x.sql
for file in resnet.pt2 external.pte portable.pte; do
    expect 0 check "$data/$file" --rules r --select user
    grep -q 'MiB as f32' out || flunk "no weight of $file is large"
done
finish
