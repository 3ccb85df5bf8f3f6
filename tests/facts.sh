# The shipped programs, held to what the real libraries say of them.
command -v python3 >/dev/null || exit 77
exec python3 "$top_srcdir/tests/compare_facts.py" "$DELEGRAPH" "$top_srcdir/tests/data"
