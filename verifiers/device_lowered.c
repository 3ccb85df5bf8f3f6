/* What the device pass will make of a lowered program: queries of device.c. */
#include "verifiers/device_parts.h"

/* clang-format off */

const char dg_query_branch_delegate[] =
    "WITH " CALLS
    "SELECT calls.id AS node, printf('calls %s (%s), which asks for %s, inside of a"
    " branch', lowered, backend, device) AS message"
    "  FROM calls JOIN \"graph\" AS g ON g.id = graph_id AND g.kind = 'branch'"
    " ORDER BY calls.id";

/* Inputs of the method that a call takes; state: those that the method writes back. */
#define TAKEN                                                                          \
    CALLS ","                                                                          \
    "written AS MATERIALIZED (SELECT graph_id, target FROM signature"                  \
    " WHERE direction = 'output' AND spec = 'buffer_mutation'"                         \
    "  AND graph_id IN (SELECT graph_id FROM calls)),"                                 \
    "taken AS MATERIALIZED (SELECT DISTINCT calls.id AS call, calls.name, lowered,"    \
    "   calls.device, input.id AS input, input.name AS input_name, input.value_id,"          \
    "   value.nbytes, signature.spec, signature.target, EXISTS (SELECT 1 FROM written" \
    "    WHERE written.graph_id = calls.graph_id AND written.target = signature.target" \
    "     AND signature.spec = 'buffer') AS state"                                     \
    "  FROM calls CROSS JOIN edge ON edge.dst = calls.id"                              \
    "  CROSS JOIN node AS input ON input.id = edge.src AND input.kind = 'placeholder'" \
    "  CROSS JOIN value ON value.id = input.value_id AND value.kind = 'tensor'"              \
    "  CROSS JOIN \"graph\" AS g ON g.id = calls.graph_id AND g.path = ''"                   \
    "  LEFT JOIN signature ON signature.graph_id = g.id AND direction = 'input'"       \
    "   AND signature.value_id = value.id)"

const char dg_query_constant_h2d[] =
    "WITH " TAKEN "," H2D
    "SELECT call AS node, value_id AS value, 'error' AS severity, printf('%s on %s"
    " takes %s, which is constant (%s %s)', lowered, device, input_name,"
    "    replace(spec, '_', ' '), coalesce(target, '')) AS message,"
    "   json_array(input_name, name) AS witness"
    "  FROM taken WHERE NOT state AND spec IN ('parameter', 'buffer', 'constant_tensor')"
    " UNION ALL"
    " SELECT id, src_id, 'warning', printf('copies constant value %lld, %lld bytes, to"
    " %s at each call', src_idx, src_nbytes, out_device), '[]'"
    "  FROM h2d WHERE src_storage IN ('constant', 'external')"
    " ORDER BY node, value";

/* A write back becomes one user more. */
#define SHARED(which)                                                                  \
    TAKEN ","                                                                          \
    "shared AS (SELECT *, (SELECT count(DISTINCT dst) FROM edge WHERE src = input)"    \
    "   + state AS users FROM taken WHERE " SKIPPING " AND " which ")"

const char dg_query_skip_h2d_single_user[] =
    "WITH " SHARED("NOT state")
    "SELECT input AS node, value_id AS value, printf('%s feeds %s on %s and has %lld"
    " users', input_name, lowered, device, users) AS message,"
    "   json_array(input_name, name) AS witness"
    "  FROM shared WHERE users <> 1 ORDER BY input, call";

const char dg_query_skip_h2d_mutable[] =
    "WITH " SHARED("state")
    "SELECT input AS node, value_id AS value, printf('%s feeds %s on %s, and the method"
    " writes buffer %s back to it', input_name, lowered, device, target) AS message,"
    "   json_array(input_name, name) AS witness"
    "  FROM shared ORDER BY input, call";

const char dg_query_skip_not_said[] =
    "SELECT 'nothing says that inputs will come on their device (--skip-h2d-inputs)'"
    " WHERE NOT " SKIPPING " AND EXISTS (SELECT 1 FROM compile_spec"
    "  WHERE key = 'target_device')";

/* clang-format on */
