/* Constants and initial states in the segments of a .pte: queries of data.c. */
#include "verifiers/data_parts.h"

/* clang-format off */

#define COUNTS(kinds)                                                                  \
    "counts AS (SELECT artifact_id, max(idx) AS last FROM constant"                    \
    "  WHERE kind IN (" kinds ") GROUP BY artifact_id)"

const char dg_query_constant_index[] =
    "WITH " COUNTS("'constant', 'reserved'")
    "SELECT v.id AS value, printf('value %lld is constant %lld, the program %s', v.idx,"
    "   v.data_index, iif(last > 0, printf('has constants 1..%lld', last), 'has none'))"
    "   AS message "
    PTE_VALUES "LEFT JOIN counts USING (artifact_id)"
    " WHERE" IN_FILE "AND v.storage = 'constant' AND v.data_index > coalesce(last, 0)"
    " ORDER BY v.id";

/* Constants without a user have no size. */
const char dg_query_constant_extent[] =
    "WITH placed AS (SELECT c.*, s.size_bytes AS room, s.idx AS segment,"
    "   min(c.offset) OVER (PARTITION BY c.segment_id ORDER BY c.offset"
    "    GROUPS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS next"
    "  FROM constant AS c JOIN segment AS s ON s.id = c.segment_id"
    " WHERE c.kind = 'constant' AND c.offset IS NOT NULL)"
    "SELECT artifact_id AS artifact, printf('constant %lld (%s) spans %llu..%llu of"
    " segment %lld, %s', idx, coalesce(fqn, dtype || ' ' || shape), offset,"
    "   offset + nbytes, segment, iif(offset NOT BETWEEN 0 AND room - nbytes,"
    "    printf('which has %lld bytes', room),"
    "    printf('where another one begins at %lld', next))) AS message"
    "  FROM placed WHERE nbytes IS NOT NULL"
    "   AND (offset NOT BETWEEN 0 AND room - nbytes OR nbytes > next - offset)"
    " ORDER BY id";

const char dg_query_constant_offset_order[] =
    "WITH placed AS (SELECT c.*, lag(c.offset) OVER (PARTITION BY c.artifact_id"
    "   ORDER BY c.idx) AS before FROM constant AS c"
    "  WHERE c.kind IN ('constant', 'reserved') AND c.offset IS NOT NULL)"
    "SELECT artifact, message FROM ("
    "SELECT artifact_id AS artifact, id, printf('constant %lld lies at %llu, the one"
    " before it at %llu', idx, offset, before) AS message"
    "  FROM placed WHERE offset < before AND offset >= 0"
    " UNION ALL "
    "SELECT artifact_id, id, printf('entry 0, which is no constant, lies at %llu',"
    "   offset) FROM placed WHERE kind = 'reserved' AND offset <> 0"
    " UNION ALL "
    "SELECT artifact_id, min(id), printf('%lld of %lld constants lie at no multiple of"
    " 16, first constant %lld at %llu', count(*) FILTER (WHERE offset % 16 <> 0),"
    "   count(*), min(idx) FILTER (WHERE offset % 16 <> 0),"
    "   min(offset) FILTER (WHERE offset % 16 <> 0))"
    "  FROM placed WHERE kind = 'constant' GROUP BY artifact_id"
    " HAVING sum(offset % 16 <> 0)) ORDER BY id";

const char dg_query_constant_unused[] =
    "WITH unused AS (SELECT c.artifact_id, c.kind, c.idx,"
    "   row_number() OVER (PARTITION BY c.artifact_id, c.kind ORDER BY c.id) AS number"
    "  FROM constant AS c JOIN artifact AS a ON a.id = c.artifact_id AND a.kind = 'pte'"
    " WHERE c.kind IN ('constant', 'mutable') AND c.idx > 0"
    "   AND c.dtype IS NULL AND c.shape IS NULL)"
    "SELECT artifact_id AS artifact, printf('no value is %s %s',"
    "   iif(kind = 'mutable', 'initial state', 'constant'), " DG_FIRST("idx")
    ") AS message FROM unused GROUP BY artifact_id, kind ORDER BY artifact_id, kind";

const char dg_query_constant_typed_twice[] =
    "WITH used AS MATERIALIZED (SELECT m.artifact_id, v.storage, v.data_index, v.id,"
    "   v.idx, v.dtype, v.shape, v.nbytes " IN_FILE_OF_PTE
    "   AND v.data_index > 0 AND v.storage <> 'external' AND v.nbytes IS NOT NULL),"
    "twice AS MATERIALIZED (SELECT artifact_id, storage, data_index,"
    "   min(nbytes) AS least, max(nbytes) AS most FROM used GROUP BY 1, 2, 3"
    "  HAVING min(nbytes) <> max(nbytes)),"
    "pair AS (SELECT twice.*, min(iif(nbytes = least, id, NULL)) AS a,"
    "   min(iif(nbytes = most, id, NULL)) AS b"
    "  FROM twice JOIN used USING (artifact_id, storage, data_index) GROUP BY 1, 2, 3)"
    "SELECT b AS value, printf('%s %lld has %lld bytes as value %lld (%s %s) and %lld"
    " as value %lld (%s %s)', iif(pair.storage = 'mutable', 'initial state',"
    "   'constant'), pair.data_index, least, x.idx, x.dtype, x.shape, most, y.idx,"
    "   y.dtype, y.shape) AS message"
    "  FROM pair JOIN value AS x ON x.id = a JOIN value AS y ON y.id = b ORDER BY b";

/* The runtime reads the first list of offsets whatever the file says. */
const char dg_query_mutable_extent[] =
    "WITH " BASES("kind = 'mutable'")
    "SELECT v.id AS value, CASE WHEN c.id IS NULL THEN"
    "    printf('value %lld begins as initial state %lld, which the program lacks',"
    "     v.idx, v.data_index)"
    "   ELSE printf('value %lld begins as bytes %llu..%llu of segment %lld, which has"
    " %lld', v.idx, c.offset, c.offset + v.nbytes, s.idx, s.size_bytes) END AS message "
    PTE_VALUES "LEFT JOIN bases USING (artifact_id)"
    "  LEFT JOIN constant AS c ON " AT_BASE " AND c.kind = 'mutable'"
    "  LEFT JOIN segment AS s ON s.id = c.segment_id"
    " WHERE" IN_FILE "AND v.storage = 'mutable' AND v.data_index > 0"
    "   AND (c.id IS NULL"
    "    OR c.offset NOT BETWEEN 0 AND s.size_bytes - coalesce(v.nbytes, 0))"
    " ORDER BY v.id";

/* clang-format on */
