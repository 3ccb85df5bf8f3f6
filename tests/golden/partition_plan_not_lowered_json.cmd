partition tests/data/parameter_mutation_core.pt2 --format json -o /dev/null
