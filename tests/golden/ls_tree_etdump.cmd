ls tests/data/profiled.pte --tree --etdump tests/data/profiled_trace.etdp
