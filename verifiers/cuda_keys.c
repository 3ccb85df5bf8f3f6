/* Keys of code and weights that AOTInductor made: queries of cuda.c. */
#include "verifiers/cuda_keys.h"

#include "verifiers/data_parts.h"

/* clang-format off */

/* Keys of old were made from the name of the method: two partitions of it share them,
 * which is right where they are equal. */
const char dg_query_cuda_key_collision[] =
    "WITH " FILES ", " STORED_WITH_DIGESTS ", " DELEGATE_KEYS ", aoti AS MATERIALIZED"
    " (SELECT * FROM keys WHERE" OF_AOTI("backend") ")"
    "SELECT min(method) AS method, 'error' AS severity, printf('key %s leads to"
    " different bytes: %s', " SHORT("key") ", group_concat(DISTINCT printf('%lld in %s',"
    "   size_bytes, file))) AS message"
    "  FROM (SELECT aoti.method, aoti.program, aoti.key, size_bytes, file, xxh3"
    "   FROM aoti JOIN stored ON stored.program = aoti.program AND stored.key = aoti.key)"
    " GROUP BY program, key"
    " HAVING count(DISTINCT size_bytes) > 1 OR count(DISTINCT xxh3) > 1"
    " UNION ALL "
    "SELECT min(method), 'warning', printf('%lld delegates have key %s', count(*),"
    "   key) FROM aoti WHERE blob_bytes = 0 GROUP BY program, key HAVING count(*) > 1"
    " UNION ALL "
    "SELECT min(method), 'error', printf('delegates read %lld and %lld bytes of key %s',"
    "   min(nbytes), max(nbytes), " SHORT("key") ") FROM aoti"
    "  WHERE nbytes IS NOT NULL GROUP BY program, key HAVING min(nbytes) <> max(nbytes)";

const char dg_query_cuda_key_missing[] =
    "WITH " FILES ", " STORED ", " DELEGATE_KEYS
    "SELECT method, iif(" HAS_DATA("keys.program") ", 'error', 'warning') AS severity,"
    "   printf('no file at hand holds %s, the code of delegate %lld (%s)', "
    SHORT("key") ", idx, backend) AS message FROM keys"
    "  WHERE kind = 'library' AND" OF_AOTI("backend")
    "   AND (program, key) IN (" NOWHERE ")"
    " ORDER BY delegate, pos";

/* Before there were payloads, code without its weights was let pass. */
const char dg_query_cuda_weights_missing[] =
    "WITH " FILES ", " STORED ", " DELEGATE_KEYS ","
    "numbered AS (SELECT *, row_number() OVER (PARTITION BY delegate ORDER BY pos)"
    "   AS number FROM keys WHERE kind = 'weights' AND" OF_AOTI("backend")
    "   AND key <> " NO_WEIGHTS " AND (program, key) IN (" NOWHERE "))"
    "SELECT method, iif(blob_bytes > 0 AND " HAS_DATA("numbered.program") ", 'error',"
    "   'warning') AS severity, printf('no file at hand holds the weights of delegate"
    " %lld (%s): %s', idx, backend, " DG_FIRST(SHORT("key")) ") AS message"
    "  FROM numbered GROUP BY delegate ORDER BY delegate";

/* clang-format on */
