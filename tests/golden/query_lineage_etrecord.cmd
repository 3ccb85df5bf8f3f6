query tests/data/profiled.pte --program tests/data/profiled_record.etrecord @lineage
