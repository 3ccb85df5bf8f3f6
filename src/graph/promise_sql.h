/* SQL of what a file promises in its header and does not hold. */
#ifndef DG_GRAPH_PROMISE_SQL_H
#define DG_GRAPH_PROMISE_SQL_H

/* How many bytes of row `artifact` are missing at its end; NULL where no header says. */
#define DG_SQL_MISSING_BYTES                                                           \
    "(CASE WHEN container IS NOT 'bundled program' AND"                                \
    "  version ->> '$.segment_base_offset' > 0 AND"                                    \
    "  version ->> '$.segment_data_size' > 0 THEN"                                     \
    "  max(0, (version ->> '$.segment_base_offset') +"                                 \
    "   (version ->> '$.segment_data_size') - size_bytes) END)"

#endif
