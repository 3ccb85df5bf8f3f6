# The Debian packages of `make deb`: lintian is silent; in a clean root of this release of Debian
# they install, run, go without a trace, and are built again to the same bytes from their source
# and its build dependencies alone. What the root says is in the log, and it is kept nowhere.
skip() {
    echo "skipped: $*"
    exit 77
}

for tool in lintian debootstrap dpkg-buildpackage unshare; do
    command -v $tool >/dev/null 2>&1 || skip "$tool is not here"
done
[ "$(id -u)" = 0 ] || skip 'debootstrap and chroot need root'
unshare -m true 2>/dev/null || skip 'this user cannot mount'
suite=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME-}")
[ -n "$suite" ] || skip 'this is no release of Debian'
# What this machine installs from: lines "URI suite components".
archives() {
    apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' | sort -u
}
mirror=$(archives | awk -v suite="$suite" '$2 == suite { print $1; exit }')
[ -n "$mirror" ] || skip "apt knows no archive of $suite: apt-get update"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
packages=$top_builddir/deb
data=$top_srcdir/tests/data
status=0

flunk() {
    echo "FAILED: $*"
    status=1
}

# step WHAT COMMAND...: nothing that follows makes sense where it fails.
step() {
    echo "== $1"
    shift
    "$@" || {
        echo "FAILED: $*"
        exit 1
    }
}

inside() {
    # A mount namespace: /proc goes with the command, whatever becomes of it.
    unshare -m sh -c 'mount -t proc proc "$1/proc"; exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${http_proxy+http_proxy="$http_proxy"} \
        chroot "$1" sh -c "$2"' sh "$root" "$1"
}

apt() {
    inside "apt-get -qq -y -o Dpkg::Use-Pty=0 $* </dev/null" >"$scratch/apt" 2>&1 || {
        cat "$scratch/apt"
        return 1
    }
}

# shows CODE COMMAND: its output is in $scratch/said.
shows() {
    inside "cd /tmp && $2" >"$scratch/said" 2>&1
    got=$?
    [ $got = "$1" ] && return
    flunk "$2: exit $got, expected $1"
    cat "$scratch/said"
}

says() {
    grep -q -e "$1" "$scratch/said" && return
    flunk "no '$1' in:"
    cat "$scratch/said"
}

# gone: removed, and nothing of it left but what apt and dpkg write down.
gone() {
    step "remove $*" apt purge "$@"
    step 'remove what that needed' apt -o APT::AutoRemove::RecommendsImportant=false \
        -o APT::AutoRemove::SuggestsImportant=false autoremove --purge
    inside 'find / -xdev -iname "*delegraph*" -not -path "/var/log/*" -not -path "/tmp/*"' >"$scratch/left"
    [ -s "$scratch/left" ] && flunk 'left behind:' && cat "$scratch/left"
    inside 'dpkg-query -W -f "\${Package}\n"' | sort >"$scratch/now"
    diff "$scratch/before" "$scratch/now" || flunk 'other packages than before'
}

step 'make deb' make -s -C "$top_builddir" deb
version=$("$DELEGRAPH" version | awk '{ print $2 }')
echo '== lintian'
lintian --allow-root --fail-on error,warning -L '>=warning' "$packages"/*.changes >"$scratch/said" 2>&1 ||
    flunk 'lintian finds something'
[ -s "$scratch/said" ] && flunk 'lintian says' && cat "$scratch/said"

echo "== debootstrap $suite"
unshare -m debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
archives | sed 's/^/deb /' >"$root/etc/apt/sources.list"
rm -f "$root"/etc/apt/sources.list.d/*
step 'what is new' apt update
step 'what is newer' apt upgrade
cp "$packages"/*.deb "$data/mlp.pt2" "$data/on_cuda_planned_on_host.pte" "$root/tmp"
inside 'dpkg-query -W -f "\${Package}\n"' | sort >"$scratch/before"
arch=$(dpkg --print-architecture)
full=$(sed -n 's/^Version: //p' "$packages"/*.dsc)
program=/tmp/delegraph_${full}_$arch.deb

step 'without what is recommended' apt install --no-install-recommends "$program"
shows 0 'delegraph version'
says "^delegraph $version\$"
shows 0 'delegraph info mlp.pt2'
says '^mlp.pt2'
shows 1 'delegraph check on_cuda_planned_on_host.pte'
shows 4 'delegraph dot mlp.pt2 -T svg -o mlp.svg'
says 'cannot load Graphviz (Debian: libgvc6)'
shows 0 'delegraph dot mlp.pt2 --layout plain -T svg -o plain.svg'
shows 4 'delegraph dot mlp.pt2 --layout plain -T png -o plain.png'
says 'cannot load librsvg (Debian: librsvg2-2)'
gone delegraph

step 'with what is recommended' apt install --install-recommends "$program" man-db bash-completion
shows 0 'delegraph dot mlp.pt2 -T svg -o mlp.svg && grep -q "</svg>" mlp.svg'
shows 0 'delegraph dot mlp.pt2 -T png -o mlp.png && head -c 4 mlp.png'
says PNG
shows 0 'delegraph report mlp.pt2 -o mlp.html'
shows 4 'delegraph export mlp.pt2 --to postgres'
says 'cannot load libpq (Debian: libpq5)'
shows 0 'man -w delegraph'
says 'man1/delegraph.1.gz$'
shows 0 'bash -c ". /usr/share/bash-completion/bash_completion; _completion_loader delegraph
    COMP_WORDS=(delegraph che) COMP_CWORD=1; _delegraph; echo \${COMPREPLY[@]}"'
says '^check'
shows 0 'ls /usr/share/zsh/vendor-completions/_delegraph /usr/share/fish/vendor_completions.d/delegraph.fish'
shows 0 'delegraph check mlp.pt2 --rules /usr/share/doc/delegraph/rules.d --fail-on never'
gone delegraph man-db bash-completion

step 'the library' apt install "/tmp/libdelegraph0_${full}_$arch.deb" \
    "/tmp/libdelegraph-dev_${full}_$arch.deb" gcc libc6-dev pkgconf
cat >"$root/tmp/five.c" <<'END'
#include <delegraph.h>
#include <stdio.h>
static int count(void *n, const struct delegraph_finding *finding) { return finding->rule ? ++*(int *)n, 0 : 1; }
int main(void) { int n = 0, code = delegraph_check("on_cuda_planned_on_host.pte", count, &n, NULL, 0);
    return printf("%s: %d, %d findings\n", delegraph_version(), code, n) < 0; }
END
shows 0 'gcc -Wall -Werror five.c $(pkg-config --cflags --libs delegraph) -o five && ./five'
says "^$version: 0, [1-9][0-9]* findings\$"
gone libdelegraph0 libdelegraph-dev gcc libc6-dev pkgconf

# From source, where there is nothing but what it asks for.
mkdir "$root/tmp/again"
cp "$packages"/*.dsc "$packages"/*.orig.tar.* "$packages"/*.debian.tar.* "$root/tmp/again"
sed -i 's/^deb \(.*\)/&\ndeb-src \1/' "$root/etc/apt/sources.list"
step 'build-essential' apt install build-essential
step 'build dependencies' apt build-dep -P nocheck /tmp/again/*.dsc
shows 0 'cd again && dpkg-source -x *.dsc other-place >/dev/null && cd other-place && umask 077 &&
    TZ=Asia/Tokyo DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -Pnocheck -b --no-sign -Jauto'
tools() {
    grep -E '^ (gcc-[0-9]+|binutils|libc6-dev|dpkg-dev|debhelper|autoconf|automake|strip-nondeterminism) ' "$1"
}
tools "$packages"/*.buildinfo >"$scratch/here"
tools "$root"/tmp/again/*.buildinfo >"$scratch/there"
echo '== the same bytes'
for deb in "$packages"/*.deb; do
    cmp "$deb" "$root/tmp/again/${deb##*/}" && continue
    if cmp -s "$scratch/here" "$scratch/there"; then
        flunk "${deb##*/} has other bytes when it is built again"
    else
        echo "${deb##*/} is not compared: other tools built it"
        diff "$scratch/here" "$scratch/there"
    fi
done
[ $status = 0 ] && echo 'all is well'
exit $status
