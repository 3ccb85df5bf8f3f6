check tests/data/two_backends.pte --ops tests/golden/target/ops.txt --select plan
