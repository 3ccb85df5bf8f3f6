# Control characters in names never leave raw, by no verb in no format; in CSV no text is
# a formula.
. "$top_srcdir/tests/robust/lib.sh"
command -v python3 >/dev/null || exit 77

case $DELEGRAPH in
/*) ;;
*) DELEGRAPH=$OLDPWD/$DELEGRAPH ;;
esac
programs='two_backends.pte mlp.pt2'
[ -n "${SANITIZED-}" ] || programs="$programs stack_traces.pte xnnpack.pte"
python3 "$top_srcdir/tests/robust/controls.py" "$DELEGRAPH" "$data" $programs ||
    flunk "control characters"
finish
