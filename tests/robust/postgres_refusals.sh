# What is said of a connection that does not come about: why, and nothing of what was given.
. "$top_srcdir/tests/robust/postgres_server.sh"

"$DELEGRAPH" load "$data/tiny.pte" -o one.db
anew
uri='postgresql://ci:hunter2@db.example/fleet'

# refused CODE PATTERN [CONNINFO]: a push exits so, says so, and repeats no secret.
refused() {
    wanted=$1
    pattern=$2
    shift 2
    expect "$wanted" export one.db --to postgres "$@"
    says "$pattern"
    grep -Eq 'hunter|xY9|secret' out err && flunk "a reason tells what was given: $(cat err)"
}

# What is no connection, or has a password.
refused 2 'holds a password' 'host=there password=hunter2'
refused 2 'holds a password' "$uri"
refused 2 'holds a password' 'postgresql://ci:hunter2@db.example/fleet?sslpassword=secret'
refused 2 'holds a password' 'host=there sslpassword=secret'
refused 2 'not written as libpq has it' 'host there secret'
refused 2 'not written as libpq has it' 'ci:hunter2@db.example/fleet'
refused 2 'not written as libpq has it' 'postgresql://ci:hunter2%zz@db.example/fleet'
for password in hunter2/xY9 'hunter2?xY9/secret' 12345/hunter2 12345/ 12345/xY9?hunter2 /hunter2; do
    refused 2 'an "@" behind its first "/"' "postgresql://ci:$password@db.example/fleet"
    refused 2 'an "@" behind its first "/"' "postgres://$password@db.example/fleet"
done
refused 2 'service .* is in no service file' service=hunter2
PGSERVICE=hunter2 refused 2 'service .* is in no service file'
PGSERVICEFILE=/hunter2 refused 2 'service .* is in no service file' service=fleet
printf '[fleet]\nhunter2\n' >services
PGSERVICEFILE=services refused 2 'service .* is in no service file' service=fleet
refused 2 'does not take the connection: invalid sslmode value' sslmode=hunter2
PGSSLMODE='"hunter2' refused 2 'does not take the connection$'
PGSSLMODE='a
hunter2' refused 2 'does not take the connection$'
refused 2 'does not take the connection: could not match 2 port numbers' 'host=hunter2,a,b port=1,2'
refused 2 'does not take the connection: invalid port' port=hunter2
PGPORT=hunter2 refused 2 'does not take the connection: invalid port'
refused 2 'does not take the connection: invalid keepalives' 'host=localhost keepalives=hunter2'

# A connection in the place of something else.
for words in "$uri --to postgres one.db" "one.db --to $uri" "one.db -o $uri" \
    "one.db --format $uri" "one.db --to postgres --artifact $uri" "password=hunter2 --to postgres"; do
    expect 2 export $words
    says 'a connection stands where something else does'
    grep -q hunter2 err && flunk "a reason tells what was given: $(cat err)"
done

# Nobody answers.
refused 4 'cannot connect to /nowhere, port 5432: No such file' 'host=/nowhere'
refused 4 'cannot connect to localhost, port 1: Connection refused' 'host=localhost port=1'
refused 4 'cannot connect to 127.0.0.2, port 2: Connection refused' 'host=127.0.0.1,127.0.0.2 port=1,2'
refused 4 'cannot connect: could not translate host name \.\.\. to address' 'host=ci:hunter2@db.example'
PGHOST=$uri refused 4 'cannot connect: could not translate host name \.\.\. to address'

# Somebody does, and does not let in.
psql -q -d postgres -c 'CREATE ROLE walled LOGIN' -c "CREATE ROLE locked LOGIN PASSWORD 'right'" \
    -c 'CREATE ROLE shut LOGIN' -c 'REVOKE CONNECT ON DATABASE fleet FROM PUBLIC'
{
    printf 'local all locked scram-sha-256\nlocal all shut reject\n'
    cat server/data/pg_hba.conf
} >hba
cat hba >server/data/pg_hba.conf
as pg_ctl -D "$scratch/server/data" -s reload
refused 4 'server, port 5432: the server has no such database \(SQLSTATE 3D000\)' dbname=hunter2
refused 4 'the server has no such database' "dbname='$uri'"
PGDATABASE=$uri refused 4 'the server has no such database'
refused 4 'does not let this user in from here \(SQLSTATE 28000\)' user=hunter2
refused 4 'does not let this user in from here' user=shut
refused 4 'the server asks for a password' user=locked
printf '*:*:*:*:hunter2\n' >passwords
chmod 600 passwords
PGPASSFILE=passwords refused 4 'the server does not accept the password \(SQLSTATE 28P01\)' user=locked
PGPASSWORD=hunter2 refused 4 'the server does not accept the password' user=locked
refused 4 'this user may not connect to the database' user=walled
refused 4 'does not take an option' options=-chunter2=3
PGOPTIONS=-chunter2 refused 4 'does not take an option'

# It lets in, and repeats the name of the database in what it says of a statement.
psql -q -d postgres -c "CREATE DATABASE \"$uri\""
refused 4 'a statement failed: SQLSTATE 42501' "dbname='$uri' user=walled"
psql -q -d postgres -c 'CREATE DATABASE plain'
refused 4 'a statement failed: permission denied for database plain' 'dbname=plain user=walled'

# A server that repeats all that it is told.
python3 "$top_srcdir/tests/robust/postgres_refuse.py" repeat >port &
trap 'kill $(jobs -p); as pg_ctl -D "$scratch/server/data" -s -m immediate stop; cd /; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
until [ -s port ]; do
    :
done
refused 4 'the server refuses, and its log says why \(SQLSTATE XX000\)' "host=127.0.0.1 port=$(cat port) dbname='$uri'"
[ "$(wc -l <err)" = 1 ] || flunk "what a server warns of is printed: $(cat err)"

# A server that is mute: nobody waits for ever, and each may say how long.
python3 "$top_srcdir/tests/robust/postgres_refuse.py" mute >mute &
until [ -s mute ]; do
    :
done
mute="host=127.0.0.1 port=$(cat mute)"
PGCONNECT_TIMEOUT=2 refused 4 'no answer within 2 s \(connect_timeout\)' "$mute"
PGCONNECT_TIMEOUT=60 refused 4 'no answer within 2 s' "$mute connect_timeout=2"
printf '[fleet]\nconnect_timeout=3\n' >services
PGSERVICEFILE=services refused 4 'no answer within 3 s' "$mute service=fleet"
begun=$(date +%s)
refused 4 "cannot connect to 127.0.0.1, port $(cat mute): no answer within 10 s" "$mute"
[ $(($(date +%s) - begun)) -lt 30 ] || flunk 'a mute server is waited for beyond the time that is told'

expect 2 export one.db 'host=there'
expect 2 export one.db --to postgres -o folder
expect 2 export one.db --to postgres --format csv
expect 2 export one.db --to mysql
"$DELEGRAPH" load --no-hash "$data/tiny.pte" -o unhashed.db
expect 2 export unhashed.db --to postgres
says 'without a SHA-256'

finish
