# The man page names every verb and every option, doc/rules.md every rule, and no file of
# the tree names a place of somebody's machine.
page=$top_srcdir/doc/delegraph.1
status=0

named() {
    sed 's/\\-/-/g; s/\\f.//g' "$page" | grep -q -e "$2" && return
    echo "doc/delegraph.1 lacks $1"
    status=1
}

verbs=$(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$top_srcdir/src/cli/list.h")
for verb in $verbs; do
    named "$verb" "^\.SS $verb\( \|$\)"
    "$DELEGRAPH" help "$verb" >/dev/null || status=1
    for option in $("$DELEGRAPH" help "$verb" | grep -Eo -e '(^|[ ,])--[a-z][a-z0-9-]*' |
        tr -d ' ,' | sort -u); do
        named "$verb $option" "$option\b"
    done
done

places=$(grep -rIlE '(^|[^a-z])/(home|root|Users)/[a-z]' "$top_srcdir/src" "$top_srcdir/doc" \
    "$top_srcdir/verifiers" "$top_srcdir/reports" "$top_srcdir/kernels" \
    "$top_srcdir"/*.md)
[ -z "$places" ] || {
    echo "machine paths in: $places"
    status=1
}

# doc/rules.md is what the rules and their tests say.
python3 "$top_srcdir/doc/make_rules.py" "$DELEGRAPH" --check || status=1

# doc/ops.md is what the operator table says.
python3 "$top_srcdir/doc/make_ops_page.py" --check || status=1
exit $status
