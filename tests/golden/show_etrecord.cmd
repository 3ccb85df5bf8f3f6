show tests/data/profiled.pte op_5 --program tests/data/profiled_record.etrecord
