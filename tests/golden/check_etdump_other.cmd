check tests/data/xnnpack.pte --etdump tests/data/profiled_trace.etdp
