/* Every file format, the most specific first. */
READER(pte)
READER(ptd)
READER(pt2)
