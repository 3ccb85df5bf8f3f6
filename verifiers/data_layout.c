/* Tensors against what a .ptd says of them, and digests: queries of data.c. */
#include "verifiers/data_parts.h"

/* clang-format off */

#define FIELD(name) "json_extract(version, '$." name "')"

const char dg_query_ptd_magic[] =
    "SELECT id AS artifact, CASE WHEN " FIELD("header_bytes") " IS NULL THEN"
    "   'bytes 8..11 are not FH01' WHEN container LIKE '%0.5%' THEN"
    "   'its tables are those of ExecuTorch 0.5 and 0.6' ELSE printf('its schema version"
    " is %lld, the runtime knows 0', " FIELD("flat_tensor") ") END AS message"
    "  FROM artifact WHERE kind = 'ptd' AND (" FIELD("header_bytes") " IS NULL"
    "   OR container LIKE '%0.5%' OR " FIELD("flat_tensor") " <> 0) ORDER BY id";

const char dg_query_ptd_bounds[] =
    "WITH header AS (SELECT id, size_bytes, " FIELD("segment_base_offset") " AS base,"
    "   " FIELD("segment_data_size") " AS data, " FIELD("flatbuffer_offset") " + "
    FIELD("flatbuffer_size") " AS free FROM artifact"
    "  WHERE kind = 'ptd' AND " FIELD("header_bytes") " IS NOT NULL)"
    "SELECT id AS artifact, printf('the header promises %lld bytes (segments at %lld,"
    " %lld long), the file has %lld', base + data, base, data, size_bytes) AS message"
    "  FROM header WHERE base + data > size_bytes"
    " UNION ALL "
    "SELECT id, printf('the segments start at byte %lld; the FlatBuffer before them ends"
    " at %lld', base, free) FROM header WHERE base < free AND EXISTS (SELECT 1"
    "   FROM segment AS s WHERE s.artifact_id = header.id AND s.size_bytes <> 0)"
    " UNION ALL "
    "SELECT header.id, printf('segment %lld spans %llu..%llu behind byte %lld; %lld"
    " bytes are there', idx, offset, offset + s.size_bytes, base,"
    "   min(data, header.size_bytes - base))"
    "  FROM header JOIN segment AS s ON s.artifact_id = header.id"
    " WHERE s.size_bytes <> 0 AND (file_offset IS NULL"
    "   OR offset NOT BETWEEN 0 AND data - s.size_bytes)";

/* External tensors with the entry of a .ptd that the runtime takes: the first. */
#define MET                                                                            \
    FILES ", " STORED ", " TENSOR_KEYS ","                                             \
    "first AS MATERIALIZED (SELECT *, min(artifact * 4294967296 + idx) FROM stored"    \
    "  WHERE kind = 'ptd' GROUP BY program, key),"                                     \
    "met AS (SELECT t.value, t.idx, t.key, t.dtype, t.shape, t.dim_order,"             \
    "   s.file, s.dtype AS said_dtype, s.shape AS said_shape,"                         \
    "   s.dim_order AS said_order,"                                                    \
    "   coalesce(s.dtype, s.shape, s.dim_order) IS NOT NULL AS has_layout"             \
    "  FROM tensors AS t JOIN first AS s ON s.program = t.program AND s.key = t.key)"

#define TENSOR(dtype, shape, dim_order)                                                \
    "printf('%s %s, dim order %s', coalesce(" dtype ", 'of unknown type'),"            \
    " coalesce(" shape ", '[]'), coalesce(" dim_order ", '[]'))"

const char dg_query_layout_match[] =
    "WITH " MET
    "SELECT value, printf('value %lld (%s) is %s; %s holds %s', idx, key, "
    TENSOR("dtype", "shape", "dim_order") ", file, "
    TENSOR("said_dtype", "said_shape", "said_order") ") AS message"
    "  FROM met WHERE has_layout AND (dtype IS NOT said_dtype"
    "   OR coalesce(shape, '[]') <> coalesce(said_shape, '[]')"
    "   OR coalesce(dim_order, '[]') <> coalesce(said_order, '[]')) ORDER BY value";

const char dg_query_layout_missing[] =
    "WITH " MET
    "SELECT value, printf('value %lld looks up key %s, which has no tensor layout in"
    " %s', idx, key, file) AS message FROM met WHERE NOT has_layout ORDER BY value";

/* More bytes than are read do no harm. How many an XNNPACK delegate reads its values
 * say, which blob/constant holds to the bytes: nobody looks at what the blob says of a
 * key. */
const char dg_query_layout_nbytes[] =
    "WITH " FILES ", " STORED ", " DELEGATE_KEYS
    "SELECT artifact, NULL AS method, iif(size_bytes < layout_bytes, 'error',"
    "   'warning') AS severity, printf('key %s has %lld bytes, its layout %s needs"
    " %lld', " SHORT("key") ", size_bytes, dtype || ' ' || shape, layout_bytes)"
    "   AS message"
    "  FROM stored WHERE layout_bytes <> size_bytes"
    " UNION ALL "
    "SELECT NULL, keys.method, iif(backend = 'XnnpackBackend', 'warning', 'error'),"
    "   printf('delegate %lld (%s) %s %lld bytes of key %s, which has %lld', keys.idx,"
    "    backend, iif(backend = 'XnnpackBackend', 'says it reads', 'reads'), nbytes, "
    SHORT("keys.key") ", stored.size_bytes)"
    "  FROM keys JOIN stored ON stored.program = keys.program"
    "   AND stored.key = keys.key AND stored.size_bytes < keys.nbytes";

/* Bytes that are stored: segments but the one of constants, constants, inline blobs. */
#define STRETCHES                                                                      \
    "stretch AS (SELECT files.program, s.artifact_id, s.file_offset,"                  \
    "   s.size_bytes AS nbytes, s.xxh3,"                                               \
    "   printf('segment %lld of %s', s.idx, files.name) AS name FROM files"            \
    "  JOIN segment AS s ON s.artifact_id = files.id"                                  \
    "   AND s.kind IN ('named_data', 'delegate')"                                      \
    " UNION ALL SELECT files.program, c.artifact_id, c.file_offset, c.nbytes, c.xxh3,"  \
    "   printf('constant %lld', c.idx) FROM files"                                     \
    "  JOIN constant AS c ON c.artifact_id = files.id AND c.kind = 'constant'"         \
    "  WHERE files.kind = 'pte'"                                                       \
    " UNION ALL SELECT m.artifact_id, m.artifact_id, d.blob_offset, d.blob_bytes,"     \
    "   d.blob_xxh3, printf('the blob of delegate %lld', d.idx)"                       \
    "  FROM delegate AS d JOIN method AS m ON m.id = d.method_id AND m.ir = 'pte'"     \
    "  WHERE d.location = 'inline')"

const char dg_query_duplicate_bytes[] =
    "WITH " FILES ", " STRETCHES ", once AS (SELECT program, nbytes, xxh3, name,"
    "   row_number() OVER (PARTITION BY program, xxh3, nbytes"
    "    ORDER BY artifact_id, file_offset) AS number"
    "  FROM stretch WHERE nbytes >= 64 AND xxh3 IS NOT NULL AND file_offset IS NOT NULL"
    "  GROUP BY program, artifact_id, file_offset, nbytes)"
    "SELECT program AS artifact, printf('%lld bytes are stored %lld times: %s', nbytes, count(*), "
    DG_FIRST("name") ") AS message"
    "  FROM once GROUP BY program, xxh3, nbytes"
    " HAVING nbytes * (count(*) - 1) >= 1024"
    " ORDER BY program, nbytes * (count(*) - 1) DESC, min(name)";

const char dg_without_digests[] =
    "SELECT 'the store has no digests of bytes: load the program without --no-hash'"
    " WHERE EXISTS (SELECT 1 FROM segment AS s JOIN artifact ON artifact.id ="
    "   s.artifact_id AND artifact.kind <> 'pt2' WHERE s.size_bytes > 0)"
    "   AND NOT EXISTS (SELECT 1 FROM segment WHERE xxh3 IS NOT NULL)";

#define DIGEST_OF(key) "substr(" key ", 1, 64)"
#define OF_DIGEST(key)                                                                 \
    "(substr(" key ", 65) IN ('_so_blob', '_weights_blob')"                            \
    " AND substr(" key ", 1, 64) NOT GLOB '*[^0-9a-f]*')"

const char dg_query_aoti_key_format[] =
    "WITH " FILES ", " STORED_WITH_DIGESTS ", " DELEGATE_KEYS
    "SELECT artifact, NULL AS method, 'error' AS severity, printf('the SHA-256 of what"
    " key %s leads to begins with %s', " SHORT("key") ", substr(sha256, 1, 16))"
    "   AS message FROM stored"
    "  WHERE " OF_DIGEST("key") " AND sha256 <> " DIGEST_OF("key")
    " UNION ALL "
    "SELECT NULL, method, 'warning', printf('delegate %lld (%s) has key %s, which is"
    " no digest and _%s_blob', idx, backend, " SHORT("key") ","
    "   iif(kind = 'library', 'so', 'weights')) FROM keys"
    "  WHERE" OF_AOTI("backend") "AND blob_bytes > 0 AND NOT " OF_DIGEST("key")
    "   AND key NOT LIKE 'cuda!_fqn!_weight:%' ESCAPE '!'"
    " UNION ALL "
    "SELECT NULL, method, 'error', printf('delegate %lld (%s) has key %s where that of"
    " its %s belongs', idx, backend, " SHORT("key") ","
    "   iif(kind = 'library', 'code', 'weights')) FROM keys"
    "  WHERE" OF_AOTI("backend") "AND " OF_DIGEST("key")
    "   AND substr(key, 65) <> iif(kind = 'library', '_so_blob', '_weights_blob')";

/* Keys of weights and of scales that XNNPACK's serializer makes of their bytes. */
#define XNNPACK_DIGEST(key) "substr(" key ", -64)"
#define OF_XNNPACK_DIGEST(key)                                                         \
    "(substr(" key ", 1, length(" key ") - 64) IN ('', 'scale_')"                      \
    " AND length(" key ") >= 64 AND " XNNPACK_DIGEST(key) " NOT GLOB '*[^0-9a-f]*')"

const char dg_query_named_key_digest[] =
    "WITH " FILES ", " STORED_WITH_DIGESTS ","
    "changed AS MATERIALIZED (SELECT program, artifact, key, sha256 FROM stored"
    "  WHERE " OF_XNNPACK_DIGEST("key") " AND sha256 <> " XNNPACK_DIGEST("key") "),"
    /* Values by the constants that have their bytes or scales, where they are needed. */
    "kept AS MATERIALIZED (SELECT graph_id, constant_idx AS constant, id, idx"
    "   FROM delegate_value WHERE EXISTS (SELECT 1 FROM changed)"
    "    AND constant_idx IS NOT NULL UNION ALL SELECT graph_id,"
    "    json_extract(quantization, '$.scale_constant'), id, idx FROM delegate_value"
    "   WHERE EXISTS (SELECT 1 FROM changed)"
    "    AND quantization LIKE '%scale_constant%'),"
    "reader AS (SELECT changed.*, m.id AS method, g.path, v.idx,"
    "   (SELECT n.name FROM delegate_operand AS o JOIN delegate_node AS n"
    "     ON n.id = o.node_id WHERE o.value_id = v.id ORDER BY n.id LIMIT 1) AS node"
    "  FROM changed JOIN delegate_constant AS c ON c.key = changed.key"
    "  JOIN delegate_graph AS g ON g.id = c.graph_id AND g.format = 'xnnpack'"
    "  JOIN method AS m ON m.id = g.method_id AND m.artifact_id = program"
    "  LEFT JOIN kept AS v ON v.graph_id = g.id AND v.constant = c.idx)"
    "SELECT artifact, method, printf('the SHA-256 of what key %s leads to begins with"
    " %s%s', " SHORT("key") ", substr(sha256, 1, 16), iif(node IS NULL, '',"
    "   printf(': %s of %s reads it', node, path))) AS message"
    "  FROM reader GROUP BY artifact, method, key ORDER BY artifact, method, min(idx), key";

#define WITHOUT_SHA256(of)                                                             \
    "SELECT 'the store has no SHA-256 of blobs: load the program without --no-hash'"   \
    " WHERE EXISTS (SELECT 1 FROM named_data AS n LEFT JOIN segment AS s"              \
    "   ON s.artifact_id = n.artifact_id AND s.idx = n.segment_idx"                    \
    "   WHERE " of " AND s.file_offset IS NOT NULL AND s.sha256 IS NULL)"

const char dg_without_sha256[] = WITHOUT_SHA256(OF_DIGEST("n.key"));
const char dg_without_sha256_inside[] = WITHOUT_SHA256(OF_XNNPACK_DIGEST("n.key"));

/* clang-format on */
