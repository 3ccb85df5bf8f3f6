/* Every file format, the most specific first. */
READER(pte)
READER(bpte)
READER(ptd)
READER(etdump)
READER(pt2)
