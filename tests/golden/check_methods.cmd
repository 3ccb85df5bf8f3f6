check tests/data/several_methods.pte --methods forward,encode --select plan/method-set
