show tests/data/xnnpack.pte 'valu#3'
