run tests/data/external.pte tests/data/external_default_external_constant.ptd
