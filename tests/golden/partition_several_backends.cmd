partition tests/data/llama_core.pt2 --backend xnnpack --backend vulkan
