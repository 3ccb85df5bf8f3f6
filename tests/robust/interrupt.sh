# A load that is interrupted or killed leaves the old store or none.
. "$top_srcdir/tests/robust/lib.sh"
# A shell lets its background jobs ignore SIGINT; this takes it back.
env --default-signal=INT true 2>/dev/null || exit 77
mkdir here
expect 0 load "$data/tiny.pte" -o here/store.db
cp here/store.db old.db
many="$data/*.pt2"

# begin: load much in the background, and wait until it writes.
begin() {
    env --default-signal=INT "$DELEGRAPH" load $many -o here/store.db >out 2>err &
    loader=$!
    tries=0
    while [ "$(ls -A here | wc -l)" -lt 2 ] && kill -0 $loader 2>/dev/null &&
        [ $tries -lt 200 ]; do
        sleep 0.01
        tries=$((tries + 1))
    done
}

# stored: the store is the old one, or a whole new one.
stored() {
    cmp -s old.db here/store.db && return
    "$DELEGRAPH" query here/store.db 'PRAGMA integrity_check' >out 2>err &&
        grep -qw ok out || flunk "$1 leaves a store that is neither old nor whole"
    cp old.db here/store.db
}

for signal in INT TERM HUP; do
    begin
    kill -s $signal $loader 2>/dev/null
    wait $loader
    code=$?
    case $signal:$code in
    *:0 | INT:130 | TERM:143 | HUP:129) ;;
    *) flunk "SIG$signal: exit $code" ;;
    esac
    stored SIG$signal
    [ "$(ls -A here)" = store.db ] || flunk "SIG$signal leaves $(ls -A here)"
done

# A signal that comes when the new file is there and nothing else was done with it.
cat >early.c <<'C'
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    va_list rest;
    int mode, file;

    va_start(rest, flags);
    mode = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= 0 && flags & O_EXCL)
        kill(getpid(), SIGTERM);
    return file;
}
C
if command -v cc >/dev/null; then
    cc -shared -fPIC -o early.so early.c || flunk "early.c"
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" \
        LD_PRELOAD="$PWD/early.so" "$DELEGRAPH" load "$data/tiny.pte" -o here/store.db \
        >out 2>err
    [ $? -eq 143 ] || flunk "an early SIGTERM: another exit than 143"
    stored "an early SIGTERM"
    [ "$(ls -A here)" = store.db ] || flunk "an early SIGTERM leaves $(ls -A here)"
fi

# Nothing can tidy up after SIGKILL, but the store stays right, at whatever time.
for delay in 0 0.02 0.05 0.1; do
    begin
    sleep $delay
    kill -KILL $loader 2>/dev/null
    wait $loader 2>/dev/null
    stored "SIGKILL after $delay s"
    find here -type f ! -name store.db -exec rm -f {} +
done
finish
