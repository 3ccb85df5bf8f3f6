report tests/data/profiled.pte --etdump tests/data/profiled_trace.etdp --program tests/data/profiled_record.etrecord --format text -o - | sed -n '/device measured/,/^Modules/p'
