info tests/data/tiny.pte tests/data/initial_state.pte
