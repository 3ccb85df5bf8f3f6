query --each 'tests/data/squeeze_*.pte' "SELECT count(*) AS n FROM node" --format jsonl
