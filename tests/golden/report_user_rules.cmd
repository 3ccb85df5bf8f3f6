report tests/data/two_backends.pte --rules doc/rules.d --select user --fail-on error --format md
