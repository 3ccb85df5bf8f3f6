/* Planned memory of several devices: queries of device.c. */
#include "verifiers/device_parts.h"

/* clang-format off */

/* A file that says more than is known here may know more devices, too. */
#define UNKNOWN                                                                        \
    "iif(EXISTS (SELECT 1 FROM remark WHERE remark.artifact_id = method.artifact_id"   \
    "  AND rule = 'format/unknown-field'), 'warning', 'error')"

#define TYPE(device) "CAST(substr(" device ", 8) AS INTEGER)"
#define WHY ", which executorch 1.5.1 does not know"

const char dg_query_enum_known[] =
    "WITH " AWAY
    "SELECT method.id AS method, away.graph_id AS \"graph\", away.id AS value,"
    "   " UNKNOWN " AS severity, printf('value %lld has device type %lld" WHY "',"
    "    away.idx, " TYPE("away.device") ") AS message, 1 AS part, away.idx AS idx"
    "  FROM away JOIN method ON method.id = method_id WHERE away.device LIKE 'device<%'"
    " UNION ALL"
    " SELECT method.id, NULL, NULL, " UNKNOWN ", printf('arena %lld has device type"
    " %lld" WHY "', arena.idx, " TYPE("arena.device") "), 2, arena.idx"
    "  FROM arena JOIN method ON method.id = method_id"
    " WHERE arena.device LIKE 'device<%'"
    " ORDER BY method, part, idx";

/* Tensors in memory of another device; constants are in host memory, in the file. */
#define STRANGERS                                                                      \
    "apart AS MATERIALIZED (SELECT g.id AS graph_id, arena.idx, arena.device"        \
    "  FROM arena JOIN \"graph\" AS g ON g.method_id = arena.method_id"                \
    " WHERE arena.device <> 'cpu'),"                                                   \
    "strangers AS (SELECT value.id, value.graph_id, value.idx, value.device,"          \
    "   value.mem_id, apart.device AS memory"                                        \
    "  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM apart)) CROSS JOIN value"          \
    "  CROSS JOIN apart ON apart.graph_id = value.graph_id"                        \
    "   AND apart.idx = value.mem_id"                                                \
    " WHERE value.mem_id IN (SELECT idx FROM apart) AND value.device = 'cpu'"        \
    "   AND value.kind = 'tensor'"                                                     \
    " UNION ALL"                                                                       \
    " SELECT away.id, away.graph_id, away.idx, away.device, away.mem_id, arena.device" \
    "  FROM away JOIN arena ON arena.method_id = away.method_id"                       \
    "   AND arena.idx = away.mem_id"                                                   \
    " WHERE arena.device <> away.device"                                               \
    " UNION ALL"                                                                       \
    " SELECT id, graph_id, idx, device, NULL, 'cpu' FROM away"                         \
    "  WHERE storage IN ('constant', 'external'))"

/* One finding for all tensors of a device in an arena. */
const char dg_query_buffer_entry[] =
    "WITH " AWAY "," STRANGERS
    "SELECT graph_id AS \"graph\", min(id) AS value, iif(count(*) = 1,"
    "   printf('value %lld is', min(idx)), printf('%lld tensors, the first is value"
    " %lld, are', count(*), min(idx))) || printf(' on %s, and ', device)"
    "   || iif(mem_id IS NULL, 'the bytes are constants of the file, in host memory',"
    "   printf('arena %lld, where %s, is %s', mem_id, iif(count(*) = 1, 'it lies',"
    "    'they lie'), iif(memory = 'cpu', 'in host memory', printf('on %s', memory))))"
    "   AS message"
    "  FROM strangers GROUP BY graph_id, mem_id, device ORDER BY min(id)";

const char dg_query_arena_mixed[] =
    "WITH " AWAY ","
    "arenas AS MATERIALIZED (SELECT DISTINCT graph_id, method_id, mem_id FROM away"
    "  WHERE mem_id IS NOT NULL),"
    "residents AS (SELECT arenas.graph_id, arenas.method_id, arenas.mem_id,"
    "   value.device, count(*) AS n"
    "  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM arenas)) CROSS JOIN value"
    "  CROSS JOIN arenas ON arenas.graph_id = value.graph_id"
    "   AND arenas.mem_id = value.mem_id"
    "  WHERE value.kind = 'tensor' AND value.mem_id IN (SELECT mem_id FROM arenas)"
    "  GROUP BY arenas.graph_id, arenas.mem_id, value.device"
    "  ORDER BY arenas.graph_id, arenas.mem_id, value.device)"
    "SELECT method_id AS method, printf('arena %lld holds tensors of %lld devices: %s',"
    "    mem_id, count(*), group_concat(printf('%lld of %s', n, device), ', '))"
    "   AS message"
    "  FROM residents GROUP BY graph_id, mem_id HAVING count(*) > 1"
    " ORDER BY graph_id, mem_id";

/* A caller who knows may read an output where it is. Host memory that is marked for a
 * device is the business of buffer-entry. */
const char dg_query_planned_io[] =
    "SELECT signature.graph_id AS \"graph\", value.id AS value,"
    "   iif(direction = 'input', 'error', 'warning') AS severity,"
    "   printf('%s %lld, value %lld, is on %s and has planned memory, %lld bytes at"
    " offset %lld of arena %lld', direction, pos, value.idx, value.device,"
    "    value.nbytes, mem_offset, mem_id) AS message"
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"
    "  CROSS JOIN signature ON signature.graph_id = g.id"
    "  JOIN value ON value.id = signature.value_id"
    "  JOIN arena ON arena.method_id = method.id AND arena.idx = mem_id"
    " WHERE method.ir = 'pte' AND value.kind = 'tensor' AND value.device <> 'cpu'"
    "   AND arena.device <> 'cpu' ORDER BY g.id, direction, pos";

const char dg_query_etdump_host_read[] =
    "WITH " AWAY
    "SELECT method_id AS method, printf('%lld tensors are on %s', count(*),"
    "   group_concat(DISTINCT device)) AS message"
    "  FROM away GROUP BY method_id ORDER BY method_id";

/* clang-format on */
