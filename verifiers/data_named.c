/* Keys: which are stored, and which tensors and delegates look up: queries of data.c,
 * delegate.c. */
#include "verifiers/data_parts.h"

/* clang-format off */

const char dg_query_named_segment_index[] =
    "WITH counts AS MATERIALIZED (SELECT artifact_id, count(*) AS n FROM segment"
    "  GROUP BY 1)"
    "SELECT d.artifact_id AS artifact, printf('key %s is in segment %lld; the file has"
    " %lld', key, segment_idx, coalesce(n, 0)) AS message"
    "  FROM named_data AS d LEFT JOIN counts USING (artifact_id)"
    " WHERE segment_idx NOT BETWEEN 0 AND coalesce(n, 0) - 1"
    " ORDER BY d.artifact_id, d.idx";

const char dg_query_named_key_null[] =
    "SELECT artifact_id AS artifact, printf('entry %lld of the named data has no key',"
    "   idx) AS message FROM named_data WHERE key = '' ORDER BY artifact_id, idx";

#define FILE_AND_SIZE "printf('%s (%lld bytes)', file, size_bytes)"

/* Whether the rows of a group hold other bytes. Digests are missing where a store was
 * loaded without. */
#define DIFFERENT "(count(DISTINCT size_bytes) > 1 OR count(DISTINCT xxh3) > 1)"
#define EQUAL                                                                          \
    "(count(DISTINCT segment) = 1 OR"                                                  \
    " (count(xxh3) = count(*) AND count(DISTINCT xxh3) = 1))"
#define COMPARED                                                                       \
    "CASE WHEN " DIFFERENT " THEN 'with different bytes'"                              \
    " WHEN " EQUAL " THEN 'with the same bytes' ELSE 'whose bytes were not compared' END"
#define SEVERAL_PTD "count(DISTINCT iif(kind = 'ptd', artifact, NULL)) > 1"

const char dg_query_named_key_unique[] =
    "WITH " FILES ", " STORED_WITH_DIGESTS
    "SELECT artifact, iif(" DIFFERENT " OR kind = 'ptd', 'error', 'warning')"
    "   AS severity, printf('%lld entries have key %s, %s',"
    "   count(*), " SHORT("key") ", " COMPARED ") AS message"
    "  FROM stored WHERE key <> '' GROUP BY artifact, key HAVING count(*) > 1"
    " ORDER BY artifact, min(idx)";

/* A program and one .ptd may hold the same twice; a .ptd with a key twice and two with
 * one key are refused even then. */
const char dg_query_named_key_collision[] =
    "WITH " FILES ", " STORED_WITH_DIGESTS
    "SELECT program AS artifact, iif(" DIFFERENT " OR " SEVERAL_PTD ", 'error',"
    "   'warning') AS severity, printf('%s have key %s, %s',"
    "   group_concat(" FILE_AND_SIZE ", ' and '), " SHORT("key") ", " COMPARED ")"
    "   AS message"
    "  FROM stored WHERE key <> '' AND EXISTS (SELECT 1 FROM files"
    "   WHERE program <> id) GROUP BY program, key"
    " HAVING count(DISTINCT artifact) > 1 AND (NOT " EQUAL " OR " SEVERAL_PTD ")"
    " ORDER BY program, min(idx)";

/* What is looked up and found nowhere. Tensors look into .ptd files only. */
#define MISSING                                                                        \
    FILES ", " STORED ", " TENSOR_KEYS ", " DELEGATE_KEYS ","                          \
    "missing AS MATERIALIZED (SELECT program, key, value, NULL AS method,"             \
    "   printf('value %lld', idx) AS who, 0 AS weights FROM tensors WHERE"              \
    "   (program, key) IN (SELECT program, key FROM tensors EXCEPT"                    \
    "    SELECT program, key FROM stored WHERE kind = 'ptd')"                          \
    " UNION ALL SELECT program, key, NULL, method,"                                    \
    "   printf('delegate %lld (%s)', idx, backend),"                                   \
    "   kind = 'weights' AND" OF_AOTI("backend") "FROM keys"                           \
    "  WHERE key <> " NO_WEIGHTS                                                       \
    "   AND (program, key) IN (" NOWHERE "))"

/* Without a .ptd one finding is enough, and keys of delegates are said below. Weights of
 * AOTInductor have a rule of their own. */
const char dg_query_named_key_missing[] =
    "WITH " MISSING ", numbered AS (SELECT *, row_number() OVER (PARTITION BY program"
    "   ORDER BY key) AS number FROM missing WHERE NOT weights"
    "   AND (value IS NOT NULL OR " HAS_DATA("program") "))"
    "SELECT program AS artifact, NULL AS value, NULL AS method, 'warning' AS severity,"
    "   printf('no file at hand holds %s', " DG_FIRST(SHORT("key")) ") AS message"
    "  FROM numbered WHERE NOT " HAS_DATA("numbered.program") " GROUP BY program"
    " UNION ALL "
    "SELECT iif(value IS NULL, program, NULL), value, method, 'error', printf('%s looks"
    " up key %s, which %s', who, " SHORT("key") ", iif(value IS NOT NULL AND"
    "   (program, key) IN (SELECT program, key FROM stored),"
    "    'only the program has; tensors are looked up in a .ptd',"
    "    'neither the program nor its .ptd has'))"
    "  FROM numbered WHERE " HAS_DATA("numbered.program")
    " ORDER BY method, value, message";

/* Without a .ptd one finding is enough here, too. */
const char dg_query_named_key_resolves[] =
    "WITH " MISSING ", asked AS (SELECT program, iif(" HAS_DATA("program") ","
    "   method || ' ' || who, '') AS asker, key, min(method) AS method, min(who) AS who,"
    "   max(who) AS last FROM missing WHERE method IS NOT NULL AND NOT weights"
    "  GROUP BY 1, 2, 3),"
    "numbered AS (SELECT *, row_number() OVER (PARTITION BY program, asker ORDER BY key)"
    "   AS number FROM asked)"
    "SELECT min(method) AS method, printf('%s up what no file at hand holds: %s',"
    "   iif(min(who) = max(last), who || ' looks', 'delegates look'), "
    DG_FIRST(SHORT("key")) ") AS message, iif(asker = '', 'warning', 'error') AS severity"
    "  FROM numbered GROUP BY program, asker ORDER BY 1, min(who)";

/* Keys of tensors are said above. */
const char dg_query_ptd_required[] =
    "WITH " MISSING ", numbered AS (SELECT program, key, row_number() OVER"
    "   (PARTITION BY program ORDER BY key) AS number"
    "   FROM (SELECT DISTINCT program, key FROM missing WHERE value IS NULL))"
    "SELECT program AS artifact, printf('a .ptd must hold %s', " DG_FIRST(SHORT("key"))
    ") AS message"
    "  FROM numbered WHERE NOT " HAS_DATA("numbered.program")
    " GROUP BY program ORDER BY program";

const char dg_query_named_unused[] =
    "WITH " FILES ", " STORED ", " TENSOR_KEYS ", " DELEGATE_KEYS ","
    "numbered AS (SELECT artifact, key,"
    "   row_number() OVER (PARTITION BY artifact ORDER BY idx) AS number FROM stored"
    "  WHERE (program, key) IN (SELECT program, key FROM stored EXCEPT"
    "    SELECT program, key FROM tensors EXCEPT SELECT program, key FROM keys))"
    "SELECT artifact, printf('nothing looks up %s', " DG_FIRST(SHORT("key"))
    ") AS message FROM numbered GROUP BY artifact ORDER BY artifact";

const char dg_unread_keys[] =
    "SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM artifact WHERE kind = 'pte')"
    "   THEN 'no program was given with the .ptd' ELSE (SELECT"
    "    printf('delegates of %s may look up any key', group_concat(DISTINCT backend))"
    "    FROM delegate JOIN method ON method.id = delegate.method_id AND ir = 'pte'"
    "    WHERE inside_id IS NULL AND backend NOT IN ('CudaBackend', 'MetalBackend')"
    "     AND (backend NOT IN ('XnnpackBackend', 'VulkanBackend') OR blob_bytes > 0)"
    "    HAVING count(*) > 0) END AS why"
    " WHERE why IS NOT NULL AND EXISTS (SELECT 1 FROM named_data)";

/* clang-format on */
