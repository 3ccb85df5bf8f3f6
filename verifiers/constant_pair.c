/* Constants of a .pte against those of the program that it was made from. */
#include "verifiers/pair.h"

/* clang-format off */

/* Named data of the .pte and of its .ptd files that have the name, type and size of a
 * weight, but not its bytes. Other types and sizes are what lowering makes: quantized
 * weights, for one. Constants without a name are compared by their bytes alone. */
const char dg_query_program_data[] =
    "WITH pair AS (SELECT id AS program, companion_of AS pte FROM artifact"
    "   WHERE role = 'program'),"
    "files AS (SELECT pair.program, a.id AS artifact FROM pair JOIN artifact AS a"
    "    ON a.id = pair.pte OR (a.companion_of = pair.pte AND a.role = 'data')),"
    "weight AS (SELECT pair.program, c.fqn, c.nbytes, c.dtype, c.xxh3 FROM pair"
    "  JOIN constant AS c ON c.artifact_id = pair.program AND c.xxh3 IS NOT NULL),"
    "other AS (SELECT pair.pte, count(*) AS n, total(c.nbytes) AS bytes,"
    "   sum(c.xxh3 NOT IN (SELECT xxh3 FROM weight)) AS n_new,"
    "   total(iif(c.xxh3 IN (SELECT xxh3 FROM weight), 0, c.nbytes)) AS new_bytes"
    "  FROM pair JOIN constant AS c ON c.artifact_id = pair.pte"
    " WHERE c.kind = 'constant' AND c.xxh3 IS NOT NULL GROUP BY pair.pte)"
    "SELECT d.artifact_id AS artifact, printf('%s has the type and size (%s, %lld"
    " bytes) of the program''s weight of that name, and other bytes', d.key,"
    "   weight.dtype, weight.nbytes) AS message, NULL AS severity"
    "  FROM files JOIN named_data AS d ON d.artifact_id = files.artifact"
    "  JOIN segment AS s ON s.artifact_id = d.artifact_id AND s.idx = d.segment_idx"
    "  JOIN weight ON weight.program = files.program AND weight.fqn = d.key"
    "   AND weight.nbytes = s.size_bytes AND weight.dtype = d.dtype"
    " WHERE s.xxh3 <> weight.xxh3"
    " UNION ALL SELECT pte, printf('%lld of %lld constants (%lld of %lld bytes) have"
    " bytes that no weight of the program has: folded, quantized or laid out anew',"
    "   n_new, n, new_bytes, bytes), 'note' FROM other WHERE n_new > 0";

/* clang-format on */
