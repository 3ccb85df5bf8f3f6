show tests/data/xnnpack.pte librar#1
