info tests/data/profiled.pte --etdump tests/data/profiled_trace.etdp
