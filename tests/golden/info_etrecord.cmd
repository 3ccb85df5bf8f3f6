info tests/data/profiled_record.etrecord
