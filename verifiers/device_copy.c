/* Copies between host and devices in a .pte: queries of device.c. */
#include "verifiers/device_parts.h"

/* clang-format off */

#define SAME_BYTES                                                                     \
    " WHEN src_nbytes <> out_nbytes THEN printf('copies value %lld, %lld bytes, over"  \
    " value %lld, %lld bytes', src_idx, src_nbytes, out_idx, out_nbytes)"           \
    " WHEN src_dtype <> out_dtype THEN printf('copies value %lld, %s, over value %lld,"\
    " %s', src_idx, src_dtype, out_idx, out_dtype)"                                 \
    " WHEN src_order <> out_order THEN printf('copies value %lld with dim_order %s"    \
    " over value %lld with %s', src_idx, src_order, out_idx, out_order)"            \
    " END AS message"

const char dg_query_h2d_direction[] =
    "WITH " H2D
    "SELECT * FROM (SELECT id AS node, iif(src_device <> 'cpu', src_id, out_id)"
    "    AS value, CASE"
    "  WHEN src_device <> 'cpu' AND out_device = 'cpu' THEN printf('the copy to a device"
    " is turned round: it goes from value %lld on %s to value %lld in host memory',"
    "   src_idx, src_device, out_idx)"
    "  WHEN src_device <> 'cpu' THEN printf('copies value %lld to a device, and it is"
    " on %s already', src_idx, src_device)"
    "  WHEN out_device = 'cpu' THEN printf('copies value %lld to a device, but value"
    " %lld, where it goes, is in host memory', src_idx, out_idx)" SAME_BYTES
    "  FROM h2d) WHERE message IS NOT NULL ORDER BY node";

const char dg_query_d2h_direction[] =
    "WITH " D2H
    "SELECT * FROM (SELECT id AS node, iif(src_device = 'cpu', src_id, out_id)"
    "    AS value, CASE"
    "  WHEN src_device = 'cpu' AND out_device <> 'cpu' THEN printf('the copy to the host"
    " is turned round: it goes from value %lld in host memory to value %lld on %s',"
    "   src_idx, out_idx, out_device)"
    "  WHEN src_device = 'cpu' THEN printf('copies value %lld to the host, and it is in"
    " host memory already', src_idx)"
    "  WHEN out_device <> 'cpu' THEN printf('copies value %lld to the host, but value"
    " %lld, where it goes, is on %s', src_idx, out_idx, out_device)" SAME_BYTES
    "  FROM d2h) WHERE message IS NOT NULL ORDER BY node";

const char dg_query_roundtrip[] =
    "WITH " D2H "," H2D
    "SELECT h2d.id AS node, h2d.out_id AS value, printf('copies back to %s what %s"
    " copied from there to the host, %lld bytes each way', h2d.out_device, d2h.name,"
    "    h2d.src_nbytes) AS message, json_array(d2h.name, h2d.name) AS witness"
    "  FROM h2d CROSS JOIN edge ON edge.dst = h2d.id JOIN d2h ON d2h.id = edge.src"
    "   AND d2h.out_id = h2d.src_id"
    " WHERE h2d.out_device = d2h.src_device AND h2d.out_device <> 'cpu'"
    " ORDER BY h2d.id";

/* One value may hold one thing after another: only copies that no write parts. The
 * pass copies what a call takes, unless the method's caller or a delegate of the same
 * device gives it. */
const char dg_query_duplicate_h2d[] =
    "WITH " H2D "," CALLS ","
    "items AS MATERIALIZED (SELECT edge.dst AS id, calls.device FROM calls"
    "  CROSS JOIN edge ON edge.src = calls.id),"
    "sorted AS (SELECT *, lag(id) OVER same AS id_before, lag(idx) OVER same AS"
    "   idx_before, lag(name) OVER same AS name_before FROM h2d"
    "  WINDOW same AS (PARTITION BY src_id, out_device ORDER BY idx)),"
    "sent AS (SELECT calls.id, calls.name, calls.device, input.id AS input, input.name"
    "    AS input_name, input.value_id, value.nbytes, lag(calls.name) OVER same AS"
    "    name_before"
    "  FROM calls CROSS JOIN edge ON edge.dst = calls.id"
    "  JOIN node AS input ON input.id = edge.src"
    "  JOIN value ON value.id = input.value_id AND value.kind = 'tensor'"
    "  LEFT JOIN items ON items.id = input.id"
    "  WHERE NOT (input.kind = 'placeholder' AND " SKIPPING ")"
    "   AND items.device IS NOT calls.device"
    "  WINDOW same AS (PARTITION BY input.id, calls.device ORDER BY calls.id))"
    "SELECT id AS node, src_id AS value, printf('copies value %lld, %lld bytes,"
    " to %s, as %s does', src_idx, src_nbytes, out_device, name_before) AS message,"
    "   json_array(name_before, name) AS witness"
    "  FROM sorted WHERE id_before IS NOT NULL AND NOT EXISTS (SELECT 1 FROM operand"
    "   WHERE operand.value_id = src_id AND access <> 'read'"
    "    AND node_id BETWEEN id_before AND sorted.id)"
    " UNION ALL"
    " SELECT id, value_id, iif(name = name_before, printf('%s takes %s more than once,"
    " and each time it is copied to %s', name, input_name, device), printf('%s and"
    " %s take %s, and each gets a copy on %s', name_before, name, input_name, device)),"
    "   json_array(input_name, name_before, name)"
    "  FROM sent WHERE name_before IS NOT NULL ORDER BY node, value";

const char dg_query_stale_output_spec[] =
    "WITH " D2H
    "SELECT id AS node, src_id AS value, printf('copies value %lld from %s to value"
    " %lld, and value %lld has no memory', src_idx, src_device, out_idx, src_idx)"
    "   AS message"
    "  FROM d2h WHERE src_storage = 'runtime' AND src_device <> 'cpu'"
    "   AND NOT EXISTS (SELECT 1 FROM signature WHERE signature.graph_id ="
    "    d2h.graph_id AND signature.value_id = src_id)"
    " ORDER BY id";

/* clang-format on */
