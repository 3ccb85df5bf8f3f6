check tests/data/two_backends.pte --ops tests/golden/target/no_ops.txt
