check tests/fuzz/corpus/pt2/weights-absent.pt2 --select format/pt2-archive
