check tests/data/tiny.pte --select memory/extent,format/pt2-archive -v 2>/dev/null
