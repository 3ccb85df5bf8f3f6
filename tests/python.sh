# The Python package, on the library of this build. What needs torch is in ./dev oracle.
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
    echo 'skipped: python3 of 3.9 or later is not here'
    exit 77
}
export DELEGRAPH_LIBRARY="$top_builddir/libdelegraph.so.0" PYTHONDONTWRITEBYTECODE=1
export DELEGRAPH_PROGRAM="$DELEGRAPH"
export PYTHONPATH="$top_srcdir/python"
exec python3 -W error "$top_srcdir/tests/python/check_package.py" "$top_srcdir/tests/data" \
    "$top_srcdir/doc/python.md"
