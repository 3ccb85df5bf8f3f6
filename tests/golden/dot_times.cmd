dot tests/data/profiled.pte --view partitions --etdump tests/data/profiled_trace.etdp
