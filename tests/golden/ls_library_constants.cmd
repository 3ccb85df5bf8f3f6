ls tests/data/aoti_by_name.pte -w library-constants
