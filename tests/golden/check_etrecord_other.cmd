check tests/data/xnnpack.pte --program tests/data/profiled_record.etrecord --select profile
