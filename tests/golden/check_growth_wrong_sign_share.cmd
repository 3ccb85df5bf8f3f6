check tests/data/tiny.pte --against tests/data/tiny.pte --limit delegated-share=+2%
