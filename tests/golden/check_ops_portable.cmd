check tests/data/custom_ops_portable.pte --ops portable --select plan
