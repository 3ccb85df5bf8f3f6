info tests/data/profiled.pte --etdump tests/data/profiled_record.etrecord
