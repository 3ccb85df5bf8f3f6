# The release tarball: all that git knows is in it but for what only a checkout needs, and
# nothing else but what Autotools wrote; owners, modes and times are fixed.
command -v git >/dev/null 2>&1 && [ -e "$top_srcdir/.git" ] || {
    echo 'skipped: this is no checkout'
    exit 77
}
scratch=$(mktemp -d) || exit 99
# Automake takes a name for this, no place.
name=dist-$$
trap 'rm -rf "$scratch" "$top_builddir/$name" "$top_builddir/$name".tar.xz' EXIT
cd "$top_srcdir" || exit 99
status=0

cat >"$scratch/left-out" <<'END'
.ci/run
.clang-format
.editorconfig
.gitignore
END
cat >"$scratch/written" <<'END'
Makefile.in
aclocal.m4
config.h.in
configure
packaging/epoch
END
ls build-aux/* >>"$scratch/written"
git ls-files | cat - "$scratch/written" | grep -vxF -f "$scratch/left-out" | sort -u >"$scratch/wanted"

(umask 077 && make -s -C "$top_builddir" dist XZ_OPT=-1 distdir="$name") >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
tar -tvJf "$top_builddir/$name.tar.xz" --numeric-owner --utc --full-time >"$scratch/listing" || exit 1
awk '{ print $6 }' "$scratch/listing" | sed "s,^$name/,," | grep -v '/$' | grep . >"$scratch/given"
sort "$scratch/given" | diff "$scratch/wanted" - || {
    echo 'git and the tarball have other files: see EXTRA_DIST in Makefile.am'
    status=1
}
when=$(date -u -d "@$(sh packaging/epoch.sh)" '+%Y-%m-%d %H:%M:%S')
awk '{ print $1, $2, $4, $5 }' "$scratch/listing" |
    grep -vxE "(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x) 0/0 $when" && status=1
exit $status
