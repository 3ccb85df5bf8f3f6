check tests/data/none_output.pt2 tests/data/on_cuda_planned_on_host.pte --select plan,device --report csv=- --source-root tests/golden/checkout
