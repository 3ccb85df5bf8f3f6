info tests/data/README.md
