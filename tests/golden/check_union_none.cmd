check tests/fuzz/corpus/pte/union-none
