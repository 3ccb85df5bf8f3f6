/* Every verifier, in the order they run. */
VERIFIER(format)
VERIFIER(graph)
VERIFIER(signature)
VERIFIER(plan)
VERIFIER(value)
VERIFIER(delegate)
VERIFIER(device)
VERIFIER(memory)
