ls --tree tests/data/profiled.pte --program tests/data/profiled_record.etrecord --etdump tests/data/profiled_trace.etdp
