check tests/data/branch_linear.pt2 --for executorch --backends VulkanBackend --select partition,control-flow
