info tests/data/external_tagged_weights.ptd
