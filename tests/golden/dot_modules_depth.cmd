dot tests/data/whisper_encoder.pt2 --view modules --depth 2
