# Programs and builds pushed to a server of this test's own: the same answers there, nothing
# lost and nothing doubled whatever ends a push.
. "$top_srcdir/tests/robust/postgres_server.sh"

# Under a sanitizer those of all programs once: the questions of the others are the same.
is_equal() {
    [ -z "${SANITIZED-}" ] || [ "$1" = all.db ] || return 0
    python3 "$top_srcdir/tests/robust/postgres_compare.py" "$DELEGRAPH" "$@" >answer ||
        flunk "$2: the server answers otherwise: $(cat answer)"
}
counts() { ask "SELECT (SELECT count(*) FROM artifact), (SELECT count(*) FROM node),
    (SELECT count(*) FROM edge), (SELECT count(*) FROM value), (SELECT count(*) FROM build),
    (SELECT count(*) FROM measure)"; }

# Every table, every view and every named query, of all shipped programs and of builds with a measured run,
# labels, plans, runs and differences.
"$DELEGRAPH" load $(sha256sum "$data"/*.pt2 "$data"/*.pte "$data"/*.bpte | awk '!seen[$1]++ { print $2 }') \
    -o all.db 2>load.err || flunk 'the programs are not loaded'
anew
expect 0 export all.db --to postgres
is_equal all.db ''
[ "$failures" = 0 ] || finish # what follows waits for rows that are there
before=$(counts)
expect 0 export all.db --to postgres
grep -q '^0 programs pushed, ' out || flunk 'a second push pushes'
[ "$(counts)" = "$before" ] || flunk 'a second push doubles rows'

"$DELEGRAPH" load --append "$data/squeeze_portable.pte" --name squeeze --label day=1 -o fleet.db
"$DELEGRAPH" load --append "$data/squeeze_xnnpack.pte" --name squeeze --label day=2 -o fleet.db
"$DELEGRAPH" load --append "$data/squeeze_xnnpack.pte" --name squeeze --label day=2 -o fleet.db
"$DELEGRAPH" load --append "$data/bert.pt2" "$data/external.pte" \
    "$data/external_default_external_constant.ptd" "$data/mobilenet_v3.pt2" -o fleet.db
"$DELEGRAPH" load --append "$data/profiled.pte" "$data/profiled_trace.etdp" \
    "$data/profiled_record.etrecord" --label day=2 --label 'note=a	\b "c"' -o fleet.db
anew
expect 0 export fleet.db --to postgres
is_equal fleet.db ''
expect 0 export fleet.db --to postgres
grep -q '; 0 builds, 7 there already' out || flunk 'builds are pushed twice'
expect 0 export all.db --to postgres
grep -q '^1[0-9]* programs pushed, [1-9]' out || flunk 'what another store pushed is not known'

# The same program with another trace each day: one program, and the traces beside it.
for day in 1 2 3; do
    cp "$data/profiled_trace.etdp" "trace$day.etdp"
    printf "day $day" >>"trace$day.etdp"
done
anew
for day in 1 2 3; do
    "$DELEGRAPH" load --append "$data/profiled.pte" "trace$day.etdp" --label "day=$day" -o days.db
    expect 0 export days.db --to postgres
done
is_equal days.db '' moved

# A store that cannot be read to its end: nothing of that program is there.
cp all.db torn.db
chmod u+w torn.db
at=$((($(wc -c <torn.db) / 8192 / 2) * 8192))
for page in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    printf '\377\377\377\377\377\377\377\377' |
        dd of=torn.db bs=1 seek=$((at + page * 8192)) conv=notrunc 2>dd.err
done
anew
"$DELEGRAPH" export torn.db --to postgres >torn.out 2>torn.err && flunk 'a torn store is pushed'
expect 0 export all.db --to postgres
[ "$(counts)" = "$before" ] || flunk "behind a torn store: $(counts), expected $before"

# Who may write needs to own nothing, and waits for no reader.
psql -q -d postgres -c 'CREATE ROLE pusher LOGIN' \
    -c 'ALTER DATABASE fleet OWNER TO tester' 2>role.err
ask 'GRANT USAGE ON SCHEMA delegraph TO pusher; GRANT ALL ON ALL TABLES IN SCHEMA delegraph TO pusher'
PGAPPNAME=reader psql -qAtc 'BEGIN; SELECT count(*) FROM delegraph.v_node; SELECT pg_sleep(60)' >reader.out 2>&1 &
until ask "SELECT state FROM pg_stat_activity WHERE application_name = 'reader'
           AND query LIKE '%pg_sleep%'" | grep -q active; do
    :
done
expect 0 export fleet.db --to postgres 'user=pusher'
psql -qAtc "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'reader'" >terminate.out
psql -q -d postgres -c "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0"
expect 4 export fleet.db --to postgres 'dbname=latin'
says 'the database is in LATIN1'

# Killed in the middle, again and again; two at once; a server that dies. These programs have rows for
# every table.
"$DELEGRAPH" load "$data/after_xnnpack.pt2" "$data/squeeze_xnnpack.pte" "$data/aoti_blobs.pte" "$data/aoti_package.pt2" \
    "$data/bert.pt2" "$data/cond.pt2" -o few.db 2>load.err || flunk 'the programs are not loaded'
anew
expect 0 export few.db --to postgres
all=$(counts)
anew
waits() { psql -qAtc "SELECT count(*) > 0 FROM pg_stat_activity
    WHERE application_name = 'delegraph' AND wait_event_type = 'Lock'"; }
"$DELEGRAPH" export "$data/after_xnnpack.pt2" --to postgres >first.out # the tables are there
kill_before() { # TABLE: false where the push ends without a row for it
    PGAPPNAME=locker psql -qc "BEGIN; LOCK delegraph.$1 IN EXCLUSIVE MODE; SELECT pg_sleep(60)" \
        >lock.out 2>&1 &
    locker=$!
    until ask "SELECT 'locked' FROM pg_locks JOIN pg_class AS c ON c.oid = relation
               WHERE relname = '$1' AND mode = 'ExclusiveLock' AND granted" | grep -q locked; do
        :
    done
    "$DELEGRAPH" export few.db --to postgres >killed.out 2>&1 &
    until [ "$(waits)" = t ] || ! kill -0 $! 2>kill.err; do
        :
    done
    kill -9 $! 2>kill.err
    killed=$?
    wait $! 2>wait.err
    psql -qAtc "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
        AND application_name IN ('locker', 'delegraph')" >terminate.out 2>&1
    wait $locker
    return $killed
}
# Where all programs that have rows of a table are there, the push ends: nothing is lost by then, and it
# begins anew.
for table in artifact segment method graph op module trace frame delegate delegate_graph \
    compile_spec delegate_key delegate_value delegate_node library value node edge operand \
    signature constant named_data; do
    kill_before $table && continue
    [ "$(counts)" = "$all" ] || flunk "killed before $table: $(counts), expected $all"
    anew
    "$DELEGRAPH" export "$data/after_xnnpack.pt2" --to postgres >first.out
    kill_before $table || flunk "nothing waits for $table"
done
expect 0 export few.db --to postgres
[ "$(counts)" = "$all" ] || flunk "killed in the middle: $(counts), expected $all"
is_equal few.db '' moved
anew
"$DELEGRAPH" export all.db --to postgres >one 2>&1 &
one=$!
"$DELEGRAPH" export all.db --to postgres >two 2>&1 || flunk 'the second of two pushes fails'
wait $one || flunk 'the first of two pushes fails'
[ "$(counts)" = "$before" ] || flunk "two at once: $(counts), expected $before"
anew
"$DELEGRAPH" export all.db --to postgres >dies.out 2>&1 &
sleep 0.2
as pg_ctl -D "$scratch/server/data" -s -m immediate stop
wait $! && grep -q '^0' dies.out && flunk 'a push passes without a server'
expect 4 export all.db --to postgres
says 'PostgreSQL: cannot connect to .*/server, port 5432: '
start
expect 0 export all.db --to postgres
[ "$(counts)" = "$before" ] || flunk "a server that died: $(counts), expected $before"

# Text that PostgreSQL cannot hold, and back.
bytes=$(printf 'a\377\\x41')
"$DELEGRAPH" load --append "$data/tiny.pte" --name "$bytes" -o bytes.db
anew
expect 0 export bytes.db --to postgres
[ "$(ask 'SELECT name FROM v_build')" = 'a\xff\x5cx41' ] ||
    flunk "bad UTF-8 is told as $(ask 'SELECT name FROM v_build')"

# Names and labels of any length, also where an earlier version made the keys.
long() { head -c "$1" /dev/urandom | base64 -w 0; }
"$DELEGRAPH" load --append "$data/tiny.pte" --name "$(long 3000)" --label "$(long 40000)=$(long 40000)" -o long.db
anew
expect 0 export bytes.db --to postgres
ask "DROP INDEX build_name; CREATE INDEX build_name ON build (name); ALTER TABLE build_label ADD PRIMARY KEY (build_id, name);
     DROP INDEX build_label_leads; UPDATE pushed SET value = '' WHERE key = 'made'"
expect 0 export long.db --to postgres
expect 0 export long.db --to postgres
grep -q '; 0 builds, 1 there already' out || flunk 'a build with a long name is pushed twice'
anew
expect 0 export long.db --to postgres
is_equal long.db ''
[ "$(ask "SET enable_seqscan = off; EXPLAIN SELECT * FROM build WHERE name = 'squeeze'" | grep -c build_name)" = 1 ] ||
    flunk 'builds are not found by their name'

# Schemas of other versions.
ask 'ALTER TABLE node DROP COLUMN meta CASCADE; DROP TABLE cost CASCADE' 2>psql.err
ask "UPDATE pushed SET value = '3' WHERE key = 'generation'; UPDATE pushed SET value = '' WHERE key = 'made'"
expect 0 export all.db --to postgres
[ "$(ask 'SELECT count(meta) > 0 FROM v_node')" = t ] || flunk 'an older schema stays as it was'
ask "CREATE SCHEMA mine; CREATE VIEW mine.builds AS SELECT * FROM v_build;
     CREATE VIEW q_mine AS SELECT * FROM v_op; GRANT USAGE ON SCHEMA delegraph TO pusher; GRANT SELECT ON v_build TO pusher;
     UPDATE pushed SET value = '' WHERE key = 'made'"
expect 0 export all.db --to postgres
[ "$(ask 'SELECT count(*) FROM q_mine')" -gt 0 ] || flunk 'a view of somebody else is gone'
[ "$(ask 'SELECT count(*) FROM mine.builds')" = 1 ] || flunk 'a view over ours is gone'
PGUSER=pusher psql -qAtc 'SELECT count(*) FROM delegraph.v_build' >rights.out 2>&1 ||
    flunk "rights of views are gone: $(cat rights.out)"
ask "UPDATE pushed SET value = '999' WHERE key = 'generation'"
expect 3 export all.db --to postgres
says 'a newer delegraph made the schema .* generation 999, expected [0-9]+ or older'

finish
