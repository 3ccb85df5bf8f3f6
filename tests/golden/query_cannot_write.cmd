query tests/data/tiny.pte 'DELETE FROM node'
