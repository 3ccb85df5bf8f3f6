/* Values inside of delegates: what defines them, their types, their bytes. */
#include "verifiers/blob_parts.h"

/* clang-format off */

#define VALUES                                                                         \
    " FROM delegate_value AS v JOIN delegate_graph AS g ON g.id = v.graph_id"           \
    " AND g.format = 'xnnpack'"
#define SAYS(text) "SELECT g.method_id AS method, printf('%s: " text "', g.path, "

/* The same once more does no harm. */
const char dg_query_blob_value_unique[] =
    "SELECT g.method_id AS method, iif(count(DISTINCT json_array(datatype, shape, flags,"
    "   external_id, constant_idx, quantization)) = 1, 'warning', 'error') AS severity,"
    "   printf('%s: value %lld is defined %lld times', g.path, v.idx, count(*))"
    "   AS message" VALUES
    " GROUP BY v.graph_id, v.idx HAVING count(*) > 1 ORDER BY min(v.id)";

const char dg_query_blob_value_defined[] =
    SAYS("%s names value %s as its %s, and the blob defines none of that %s")
    "n.name, coalesce(o.missing, o.value_idx), o.name, iif(o.missing IS NULL, 'number',"
    "   'name')) AS message, json_array(n.name) AS witness"
    " FROM delegate_operand AS o JOIN delegate_node AS n ON n.id = o.node_id"
    " JOIN delegate_graph AS g ON g.id = n.graph_id"
    " WHERE o.value_id IS NULL ORDER BY o.node_id, o.pos";

/* Of what is never read it does not matter. What is an operand of the call
 * may be read or written, whatever the blob calls it. Nobody knows what a node of a newer
 * kind writes. */
const char dg_query_blob_value_written[] =
    "WITH written AS (SELECT value_id, count(*) AS n FROM delegate_operand"
    "  WHERE access = 'write' GROUP BY value_id),"
    "first AS (SELECT min(id) AS id FROM delegate_value GROUP BY graph_id, idx),"
    "named AS (SELECT g.method_id, g.path, v.id, v.idx, v.flags, v.constant_idx,"
    "   coalesce(n, 0) AS n, EXISTS (SELECT 1 FROM delegate_operand"
    "    WHERE value_id = v.id AND access = 'read') AS is_read" VALUES
    "  JOIN first ON first.id = v.id LEFT JOIN written ON written.value_id = v.id"
    "  WHERE n IS NOT NULL OR v.graph_id NOT IN (SELECT graph_id FROM delegate_node"
    "    WHERE op GLOB 'node<*'))"
    "SELECT method_id AS method, iif(n = 0 AND is_read AND flags & 2 OR n = 1"
    "    AND flags & 1 AND constant_idx IS NULL, 'warning', 'error')"
    "   AS severity, printf('%s: value %lld %s', path, idx, CASE"
    "   WHEN n > 1 THEN printf('is written by %lld nodes', n)"
    "   WHEN n = 1 AND flags & 1 THEN 'is an input of the delegate, and a node writes it'"
    "   WHEN n = 1 THEN 'is a constant, and a node writes it'"
    "   WHEN flags & 2 AND is_read THEN 'is an output of the delegate, and nodes only read"
    " it'"
    "   WHEN flags & 2 THEN 'is an output of the delegate, and no node writes it'"
    "   ELSE 'is read, and nothing writes it' END) AS message FROM named"
    " WHERE n > 1 OR n = 1 AND (flags & 1 OR constant_idx IS NOT NULL)"
    "  OR n = 0 AND NOT flags & 1 AND constant_idx IS NULL AND (is_read OR flags & 2)"
    " ORDER BY id";

/* Some call takes a result from where the blob has no value. */
#define LOSES_A_RESULT                                                                 \
    "EXISTS (SELECT 1 FROM delegate AS d JOIN node AS c ON c.delegate_id = d.id"       \
    "  AND c.kind = 'delegate_call' JOIN operand AS a ON a.node_id = c.id"             \
    "  WHERE d.inside_id = graph AND a.access <> 'read' AND a.pos < last"              \
    "   AND NOT EXISTS (SELECT 1 FROM delegate_value AS v WHERE v.graph_id = graph"    \
    "    AND v.external_id = a.pos AND v.flags & 3))"

/* What the runtime looks up in the arguments of a call: at most 4,096. It leaves alone what
 * is no value of the blob. */
const char dg_query_blob_external_id[] =
    "WITH extern AS (SELECT graph_id, external_id, min(idx) <> max(idx) AS is_shared"
    "  FROM delegate_value WHERE flags & 3 AND external_id IS NOT NULL"
    "  GROUP BY graph_id, external_id),"
    "counted AS (SELECT g.id, g.id AS graph, g.method_id, g.path, json_extract(g.meta, '$.num_externs')"
    "    AS most, count(external_id) AS n, coalesce(max(external_id) + 1, 0) AS last"
    "  FROM delegate_graph AS g LEFT JOIN extern ON graph_id = g.id"
    "  WHERE g.format = 'xnnpack' GROUP BY g.id),"
    "named AS (SELECT g.*, v.id AS value, v.idx, v.flags, v.external_id, is_shared"
    "  FROM delegate_value AS v JOIN counted AS g ON g.id = v.graph_id"
    "  LEFT JOIN extern AS o ON o.graph_id = g.id AND o.external_id = v.external_id"
    "  WHERE v.flags <> 0 OR v.external_id IS NOT NULL),"
    "told AS (SELECT method_id, path, value, iif(flags = 0 AND NOT EXISTS (SELECT 1"
    "    FROM delegate_operand WHERE value_id = value), 'warning', 'error') AS severity,"
    "   CASE"
    "   WHEN flags & ~3 THEN printf('value %lld has flags %lld; there are 1 (input) and 2"
    " (output)', idx, flags)"
    "   WHEN flags = 0 THEN printf('value %lld is operand %lld, and neither input nor"
    " output', idx, external_id)"
    "   WHEN external_id IS NULL THEN printf('value %lld is an input or output, and no"
    " operand of the call', idx)"
    "   WHEN external_id >= most THEN printf('value %lld is operand %lld of %lld', idx,"
    "     external_id, most)"
    "   WHEN is_shared AND flags & 2 THEN printf('value %lld is an output, as operand %lld,"
    " and so is another value', idx, external_id) END AS what FROM named"
    " UNION ALL SELECT method_id, path, NULL, iif(most > 4096 OR n <> last AND"
    "    " LOSES_A_RESULT ", 'error', 'warning'), CASE"
    "   WHEN most > 4096 THEN printf('it says it has %lld operands; 4096 are possible',"
    "     most)"
    "   WHEN n <> last THEN printf('%lld of its operands 0 to %lld are no values of it',"
    "     last - n, last - 1)"
    "   WHEN n <> most THEN printf('it has %lld operands, and says %lld', n, most) END"
    "  FROM counted)"
    "SELECT method_id AS method, severity, printf('%s: %s', path, what) AS message"
    "  FROM told WHERE what IS NOT NULL ORDER BY value";

/* XNNPACK has six dimensions, and counts bytes; a type that is newer than what is known
 * here may be fine. */
const char dg_query_blob_value_type[] =
    "WITH named AS (SELECT g.method_id, g.path, v.*,"
    "   json_extract(quantization, '$.type') AS type" VALUES "),"
    "typed AS (SELECT *, CASE WHEN datatype IN ('qint8', 'quint8', 'qint32')"
    "    THEN 'per_tensor' WHEN datatype IN ('qcint8', 'qcint32', 'qcint4')"
    "    THEN 'per_channel' WHEN datatype = 'qdint8' THEN 'per_token'"
    "    WHEN datatype = 'qbint4' THEN 'per_channel_group' END AS needs,"
    "   datatype IN ('fp32', 'fp16', 'bf16', 'int32', 'pfp32') AS is_plain,"
    "   nbytes IS NULL AND datatype NOT IN ('qpint8', 'pfp32') AS is_uncounted FROM named)"
    "SELECT method_id AS method, iif(datatype GLOB 'datatype<*' AND datatype <>"
    "    'datatype<0>', 'warning', 'error') AS severity, printf('%s: value %lld %s',"
    "   path, idx, CASE WHEN datatype = 'datatype<0>' THEN 'has no type'"
    "   WHEN datatype GLOB 'datatype<*' THEN printf('has a type that is not known: %s',"
    "     datatype)"
    "   WHEN datatype = 'qpint8' THEN 'is qpint8, which only the runtime makes of others'"
    "   WHEN json_array_length(shape) > 6 THEN printf('has %lld dimensions, XNNPACK at"
    " most 6', json_array_length(shape))"
    "   WHEN is_uncounted THEN printf('is %s%s: more bytes than can be counted',"
    "     datatype, shape)"
    "   WHEN needs IS NOT NULL THEN printf('is %s, and its quantization is %s; it takes"
    " %s', datatype, coalesce(type, 'missing'), needs)"
    "   ELSE printf('is %s, and has quantization %s', datatype, type) END) AS message"
    " FROM typed WHERE datatype GLOB 'datatype<*' OR datatype = 'qpint8' OR json_array_length(shape) > 6"
    "  OR is_uncounted"
    "  OR needs IS NOT type AND needs IS NOT NULL"
    "  OR is_plain AND type IS NOT NULL AND type <> 'dynamic' ORDER BY id";

/* How many bytes there are for a constant: of named data as many as those have. */
#define STORED                                                                         \
    "stored AS (SELECT graph_id, idx, coalesce(n.size_bytes, nbytes) AS has"           \
    "  FROM delegate_constant AS c LEFT JOIN (SELECT key, max(size_bytes) AS size_bytes" \
    "   FROM named_data GROUP BY key) AS n ON n.key = c.key)"

#define IS_NO_SCALE(scale) "(typeof(" scale ") = 'text' OR " scale " < 1.17549435e-38)"
#define PARAM(name) "json_extract(quantization, '$." name "')"

/* How many scales there are of a constant the runtime counts for groups only. */
const char dg_query_blob_quantization[] =
    "WITH " STORED ", named AS (SELECT g.method_id, g.path, v.*, " PARAM("type") " AS type,"
    "   " PARAM("scale") " AS scale, " PARAM("zero_point") " AS zero,"
    "   " PARAM("channel_dim") " AS dim, " PARAM("group_size") " AS size,"
    "   " PARAM("num_nonbatch_dims") " AS trailing, " PARAM("num_scales") " AS told,"
    "   " PARAM("scale_constant") " AS apart, json_array_length(shape) AS rank,"
    "   json_array_length(quantization, '$.scales') AS listed,"
    "   CASE datatype WHEN 'qint8' THEN -128 ELSE 0 END AS least,"
    "   CASE datatype WHEN 'qint8' THEN 127 WHEN 'quint8' THEN 255 ELSE 0 END AS most"
    VALUES " WHERE quantization IS NOT NULL),"
    "sized AS (SELECT named.*, stored.has, c.offset + c.nbytes > json_extract(g.meta,"
    "    '$.constant_bytes') AS is_outside,"
    "   iif(dim BETWEEN 0 AND rank - 1, json_extract(shape, printf('$[%lld]', dim)), NULL)"
    "    AS channels,"
    "   iif(rank = 2, json_extract(shape, '$[0]'), NULL) AS rows,"
    "   iif(rank = 2, json_extract(shape, '$[1]'), NULL) AS columns"
    "  FROM named JOIN delegate_graph AS g ON g.id = named.graph_id"
    "  LEFT JOIN stored ON stored.graph_id = named.graph_id AND stored.idx = apart"
    "  LEFT JOIN delegate_constant AS c ON c.graph_id = named.graph_id"
    "   AND c.idx = apart),"
    "wanted AS (SELECT *, iif(type = 'per_channel', channels, rows * (columns / size))"
    "    AS wants, iif(apart IS NULL, listed, told) AS n,"
    "   type LIKE 'per_channel%' AS is_list FROM sized),"
    "found AS (SELECT *, CASE"
    "   WHEN type = 'per_tensor' AND " IS_NO_SCALE("scale")
    "    THEN printf('a scale of %s', scale)"
    "   WHEN type = 'per_tensor' AND zero NOT BETWEEN least AND most"
    "    THEN printf('zero point %lld, outside of %lld to %lld', zero, least, most)"
    "   WHEN is_list AND apart IS NULL AND listed IS NULL THEN 'no scales'"
    "   WHEN is_list AND apart IS NOT NULL AND has IS NULL"
    "    THEN printf('its scales in constant %lld, which there is none', apart)"
    "   WHEN is_list AND is_outside THEN printf('its scales in constant %lld, which lies"
    " outside of the blob', apart)"
    "   WHEN is_list AND apart IS NULL AND EXISTS (SELECT 1 FROM json_each(quantization,"
    "     '$.scales')"
    "     WHERE " IS_NO_SCALE("value") ") THEN 'a scale that is not positive'"
    "   WHEN " PARAM("wrong_scales") " > 0 THEN printf('%lld of %lld scales that are not"
    " positive', " PARAM("wrong_scales") ", told)"
    "   WHEN is_list AND channels IS NULL"
    "    THEN printf('a scale for each of dimension %lld, and %lld dimensions', dim, rank)"
    "   WHEN type = 'per_channel_group' AND rank <> 2"
    "    THEN printf('groups, and %lld dimensions', rank)"
    "   WHEN type = 'per_channel_group' AND (size < 1 OR size % 32 OR columns % size)"
    "    THEN printf('groups of %lld in rows of %lld', size, columns)"
    "   WHEN is_list AND n <> wants THEN printf('%lld scales for %lld %s', n, wants,"
    "     iif(type = 'per_channel', 'channels', 'groups'))"
    "   WHEN is_list AND has < wants * iif(type = 'per_channel', 4, 2)"
    "    THEN printf('%lld scales in a constant of %lld bytes', wants, has)"
    "   WHEN type = 'per_token' AND trailing NOT BETWEEN 1 AND rank"
    "    THEN printf('a scale for each %lld dimensions of %lld', trailing, rank)"
    "   WHEN type = 'per_token' AND (flags <> 0 OR constant_idx IS NOT NULL)"
    "    THEN 'scales that are known when it runs, and it comes from outside' END AS what"
    "  FROM wanted)"
    "SELECT method_id AS method, iif(type = 'per_channel' AND apart IS NOT NULL"
    "    AND n <> wants AND has >= 4 * wants, 'warning', 'error') AS severity,"
    "   printf('%s: value %lld has %s', path, idx, what) AS message FROM found"
    " WHERE what IS NOT NULL ORDER BY id";

/* What a blob of XNNPACK says of the size of named data nobody looks at. Whatever the
 * format, bytes must be there, and enough of them; XNNPACK's runtime asks for more. Of a
 * key that has fewer bytes than another format reads of it data/layout-nbytes tells. */
const char dg_query_blob_constant[] =
    "WITH " STORED ", used AS (SELECT g.method_id, g.path, v.id, v.idx, v.flags,"
    "   v.constant_idx, v.nbytes AS needs, v.shape, v.datatype, c.idx AS stored, c.key,"
    "   c.offset, c.nbytes, s.has, json_extract(g.meta, '$.constant_bytes') AS room,"
    "   g.format = 'xnnpack' AS is_strict, g.format IN ('vulkan', 'native', 'mlx')"
    "    AND v.nbytes IS NULL AND dtype NOT GLOB '[iu][1-7]' AND quantization IS NULL"
    "    AND NOT EXISTS (SELECT 1 FROM json_each(v.shape) WHERE value < 0)"
    "    AS is_uncounted"
    "  FROM delegate_value AS v JOIN delegate_graph AS g ON g.id = v.graph_id"
    "  LEFT JOIN delegate_constant AS c ON c.graph_id = v.graph_id"
    "   AND c.idx = v.constant_idx"
    "  LEFT JOIN stored AS s ON s.graph_id = v.graph_id AND s.idx = v.constant_idx"
    "  WHERE v.constant_idx IS NOT NULL),"
    "told AS (SELECT *, CASE"
    "   WHEN stored IS NULL THEN printf('has its bytes in constant %lld, which there is"
    " none', constant_idx)"
    "   WHEN offset + nbytes > room THEN printf('has its bytes at %lld..%lld of the"
    " constants of the blob, which has %lld bytes of them', offset, offset + nbytes, room)"
    "   WHEN is_uncounted THEN printf('is %s%s, more bytes than can be counted; constant"
    " %lld has %lld', datatype, shape, constant_idx, has)"
    "   WHEN has < needs AND (is_strict OR key IS NULL OR nbytes IS NOT needs)"
    "     OR has > needs AND is_strict"
    "    THEN printf('is %s%s, %lld bytes; constant %lld has %lld',"
    "     datatype, shape, needs, constant_idx, has)"
    "   WHEN flags & 3 AND is_strict THEN 'is a constant, and an input or output' END AS what FROM used)"
    "SELECT method_id AS method, iif(has > needs AND offset + nbytes > room IS NOT TRUE"
    "    AND NOT flags & 3, 'warning', 'error') AS severity,"
    "   printf('%s: value %lld %s', path, idx, what) AS message,"
    "   id FROM told WHERE what IS NOT NULL"
    " UNION ALL SELECT method_id, 'error', printf('%s: constant %lld is looked up under an"
    " empty key', path, c.idx), NULL FROM delegate_constant AS c JOIN delegate_graph AS g"
    "   ON g.id = c.graph_id AND g.format = 'xnnpack' WHERE key = ''"
    "   AND EXISTS (SELECT 1 FROM delegate_value AS v"
    "    WHERE v.graph_id = c.graph_id AND c.idx IN (constant_idx,"
    "     json_extract(quantization, '$.scale_constant'))) ORDER BY id";

/* clang-format on */
