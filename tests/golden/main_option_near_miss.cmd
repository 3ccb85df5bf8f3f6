info --formt json tests/data/tiny.pte
