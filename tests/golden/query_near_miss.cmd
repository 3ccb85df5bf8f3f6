query tests/data/tiny.pte 'SELECT * FROM v_nodes'
