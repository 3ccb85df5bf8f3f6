dot tests/data/two_backends.pte --view calls -T svg --layout plain
