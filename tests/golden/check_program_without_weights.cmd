check tests/data/xnnpack.pte --program tests/fuzz/corpus/pt2/weights-absent.pt2 --select constant/program-data
