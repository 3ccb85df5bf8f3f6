partition tests/data/parameter_mutation_core.pt2 -o - | "$DELEGRAPH" check tests/data/parameter_mutation_core.pt2 --plan - --select constant
