ls tests/data/initial_state.pte --what values
