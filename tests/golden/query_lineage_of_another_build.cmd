query tests/data/squeeze_xnnpack.pte --program tests/data/profiled_record.etrecord @lineage
