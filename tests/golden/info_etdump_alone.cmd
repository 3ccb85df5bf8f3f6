info tests/data/profiled_trace.etdump
