# A PostgreSQL server of the test's own, in server/ of its scratch folder; the database fleet is
# not there yet. Skips the test where no server is installed.
. "$top_srcdir/tests/robust/lib.sh"
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
PATH=$PATH:$bin
command -v initdb >/dev/null && command -v psql >/dev/null || {
    echo 'no PostgreSQL server here (Debian: postgresql)'
    exit 77
}

# The server does not run as root.
if [ "$(id -u)" = 0 ]; then
    chmod 755 .
    mkdir server
    chown nobody server
    as() { setpriv --reuid nobody --clear-groups env HOME=/ "$@"; }
else
    mkdir server
    as() { "$@"; }
fi
start() { as pg_ctl -D "$scratch/server/data" -l "$scratch/server/log" -w -s \
    -o "-k '$scratch/server' -c listen_addresses='' -c fsync=off" start; }
trap 'as pg_ctl -D "$scratch/server/data" -s -m immediate stop; cd /; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
as initdb -D "$scratch/server/data" -U tester -A trust -E UTF8 --locale=C >init.log 2>&1 && start || {
    cat init.log
    exit 99
}
export PGHOST="$scratch/server" PGUSER=tester PGDATABASE=fleet PSQLRC=/dev/null

ask() { psql -qAtc "SET search_path = delegraph; $1"; }
anew() { psql -q -d postgres -c 'DROP DATABASE IF EXISTS fleet' -c 'CREATE DATABASE fleet' 2>psql.err; }
