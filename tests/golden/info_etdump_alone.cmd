info tests/data/profiled_trace.etdp
