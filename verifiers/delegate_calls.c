/* Delegates against the calls that use them, and their blobs: queries of delegate.c. */
#include "verifiers/delegate_parts.h"
#include "verifiers/verifier.h"

/* clang-format off */

#define OF_PTE "JOIN method ON method.id = delegate.method_id AND method.ir = 'pte'"

const char dg_query_blob_ref[] =
    "SELECT delegate.method_id AS method, printf('delegate %lld (%s) %s', delegate.idx,"
    "  coalesce(backend, 'no backend'), CASE WHEN location IS NULL THEN"
    "   iif(blob_index IS NULL, 'has no blob', 'keeps its blob in a place that no"
    " runtime knows') ELSE printf('has blob %lld of the %s, which does not exist',"
    "   blob_index, iif(location = 'inline', 'inline data', 'segments')) END)"
    "   AS message"
    "  FROM delegate " OF_PTE " WHERE location IS NULL OR blob_bytes IS NULL"
    " ORDER BY delegate.id";

const char dg_query_blob_duplicate[] =
    "WITH told AS MATERIALIZED (SELECT delegate.*, artifact_id, (SELECT"
    "   group_concat(quote(key) || '=' || quote(value), ' ') FROM"
    "   (SELECT key, value FROM compile_spec WHERE delegate_id = delegate.id"
    "     ORDER BY pos)) AS specs FROM delegate " OF_PTE " AND blob_bytes > 0)"
    "SELECT min(method_id) AS method, printf('%lld delegates of %s share one blob of"
    " %lld bytes, but are told different things', count(*), min(backend),"
    "  max(blob_bytes)) AS message"
    "  FROM told GROUP BY artifact_id, location, blob_index"
    " HAVING count(DISTINCT coalesce(specs, '')) > 1 ORDER BY min(id)";

const char dg_query_inline_mixed[] =
    "WITH kept AS MATERIALIZED (SELECT artifact_id, delegate.*"
    "  FROM delegate " OF_PTE " WHERE blob_bytes > 0)"
    "SELECT artifact_id AS artifact, printf('%lld blobs lie in segments, %lld in the"
    " program itself (%lld bytes)', sum(location = 'segment'), sum(location = 'inline'),"
    "   sum(iif(location = 'inline', blob_bytes, 0))) AS message"
    "  FROM kept GROUP BY artifact_id HAVING count(DISTINCT location) > 1"
    " ORDER BY artifact_id";

#define CALLS                                                                          \
    "call AS MATERIALIZED (SELECT node.id, node.name, node.graph_id, node.args,"       \
    "   delegate.graph_id AS inner, delegate.name AS lowered"                          \
    "  FROM delegate CROSS JOIN node ON node.delegate_id = delegate.id"                \
    "  CROSS JOIN op ON op.id = node.op_id"                                            \
    " WHERE op.name = 'higher_order::executorch_call_delegate'"                        \
    "   AND json_valid(node.args))"

/* Outputs of lowered modules; what they write to buffers of their own stays inside. */
#define GIVEN                                                                          \
    "given AS MATERIALIZED (SELECT graph_id, count(*) AS n,"                           \
    "   sum(spec IN ('buffer_mutation', 'parameter_mutation')) AS kept"                \
    "  FROM signature WHERE direction = 'output' GROUP BY graph_id)"

/* What is taken out of the results of calls, and whether anything reads it. */
#define ITEMS                                                                          \
    "item AS MATERIALIZED (SELECT node.id, node.name, node.value_id, call.id AS call," \
    "   call.name AS caller, lowered, inner, json_extract(node.args, '$[1].int') AS"   \
    "    number, EXISTS (SELECT 1 FROM edge AS e WHERE e.src = node.id) AS used"       \
    "  FROM call CROSS JOIN edge ON edge.src = call.id"                                \
    "  CROSS JOIN node ON node.id = edge.dst AND json_valid(node.args)"                \
    "  CROSS JOIN op ON op.id = node.op_id AND op.name = '_operator.getitem'"          \
    "  WHERE inner IS NOT NULL)"

/* The inputs that a call passes, numbered: not the constants that the delegate owns. */
#define TAKEN                                                                          \
    "taken AS MATERIALIZED (SELECT graph_id, name, value_id,"                          \
    "   row_number() OVER (PARTITION BY graph_id ORDER BY pos) AS number"              \
    "  FROM signature WHERE direction = 'input' AND spec = 'user_input')"

const char dg_query_users_getitem[] =
    "WITH " CALLS ","
    "given AS MATERIALIZED (SELECT graph_id, count(*) AS n FROM signature"
    "  WHERE direction = 'output' GROUP BY graph_id),"
    "used AS MATERIALIZED (SELECT node.id, node.name, call.name AS call, lowered,"
    "   inner, op.name AS op, CASE WHEN json_valid(node.args) THEN"
    "    json_extract(node.args, '$[1].int') END AS item"
    "  FROM call CROSS JOIN edge ON edge.src = call.id"
    "  JOIN node ON node.id = edge.dst LEFT JOIN op ON op.id = node.op_id)"
    "SELECT used.id AS node, iif(op = '_operator.getitem' AND item >= n, 'error',"
    "   'warning') AS severity,"
    "  iif(op = '_operator.getitem' AND item IS NOT NULL,"
    "   printf('takes item %lld of %s, and %s gives %lld', item, call, lowered, n),"
    "   printf('reads what %s gives as a whole', call)) AS message,"
    "  json_array(call, used.name) AS witness"
    "  FROM used LEFT JOIN given ON given.graph_id = inner"
    " WHERE op IS NOT '_operator.getitem' OR item IS NULL OR item < 0 OR item >= n"
    " ORDER BY used.id";

const char dg_query_input_arity[] =
    "WITH " CALLS ", " TAKEN
    "SELECT call.id AS node, printf('passes %lld inputs to %s, which takes %lld',"
    "   json_array_length(args) - 1, lowered, count(taken.number)) AS message"
    "  FROM call LEFT JOIN taken ON taken.graph_id = inner"
    " WHERE inner IS NOT NULL"
    "   AND EXISTS (SELECT 1 FROM signature WHERE graph_id = inner)"
    " GROUP BY call.id HAVING json_array_length(args) - 1 <> count(taken.number)"
    " ORDER BY call.id";

/* What to_backend() leaves in the type of a call counts mutations, too: an item for
 * each of them too many is right as long as nothing reads it. */
const char dg_query_output_arity[] =
    "WITH " CALLS ", " GIVEN ", " ITEMS ","
    "room AS MATERIALIZED (SELECT call, caller, lowered, inner, count(DISTINCT number)"
    "   AS n FROM item GROUP BY call)"
    "SELECT item.id AS node, printf('reads item %lld of %s, but %s gives %lld: %lld more"
    " stay inside as writes to its buffers', number, caller, lowered, n - kept, kept)"
    "   AS message, json_array(caller, name) AS witness"
    "  FROM item JOIN given ON given.graph_id = inner"
    " WHERE used AND number >= n - kept AND number < n"
    " UNION ALL SELECT call, printf('has room for %lld results of %s, which gives %lld',"
    "   room.n, lowered, given.n - kept), json_array(caller)"
    "  FROM room JOIN given ON given.graph_id = inner WHERE room.n < given.n - kept"
    " UNION ALL SELECT call.id, printf('%s gives nothing', lowered),"
    "   json_array(call.name) FROM call WHERE EXISTS (SELECT 1 FROM node"
    "    WHERE node.graph_id = inner) AND inner NOT IN (SELECT graph_id FROM given)"
    " UNION ALL SELECT call.id, printf('has no room for the results of %s, which gives"
    " %lld', lowered, n - kept), json_array(call.name)"
    "  FROM call JOIN given ON given.graph_id = inner WHERE n > kept"
    "   AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.src = call.id)"
    " UNION ALL SELECT node.id, 'passes nothing that the delegate could write',"
    "   json_array(node.name) FROM node WHERE node.kind = 'delegate_call'"
    "   AND " DG_RARE("node") " AND delegate_id IS NOT NULL"
    "   AND NOT EXISTS (SELECT 1 FROM operand WHERE node_id = node.id"
    "    AND access <> 'read') ORDER BY 1";

/* The same names in another order: no pass renames them so. */
const char dg_query_io_order[] =
    "WITH " CALLS ", " TAKEN ","
    "passed AS MATERIALIZED (SELECT call.id, lowered, inner, j.key AS number,"
    "   json_extract(j.value, '$.tensor') AS name"
    "  FROM call, json_each(args) AS j WHERE j.key > 0),"
    "moved AS MATERIALIZED (SELECT passed.*, taken.number AS wanted FROM passed"
    "  JOIN taken ON taken.graph_id = inner AND taken.name = passed.name"
    "  WHERE taken.number <> passed.number)"
    "SELECT m.id AS node, printf('passes %s as input %lld of %s and %s as input %lld;"
    " there they are inputs %lld and %lld', m.name, m.number, m.lowered, o.name,"
    "   o.number, m.wanted, o.wanted) AS message"
    "  FROM moved AS m JOIN moved AS o ON o.id = m.id AND o.number = m.wanted"
    "   AND o.wanted = m.number AND o.number > m.number"
    " ORDER BY m.id, m.number";

/* Symbols have other names inside. */
const char dg_query_io_meta_match[] =
    "WITH " CALLS ", " TAKEN ", " GIVEN ", " ITEMS ","
    "passed AS MATERIALIZED (SELECT call.id, call.graph_id, lowered, inner,"
    "   j.key AS number, json_extract(j.value, '$.tensor') AS name"
    "  FROM call, json_each(args) AS j WHERE j.key > 0),"
    "args AS MATERIALIZED (SELECT DISTINCT call.id, o.id AS value, o.name, o.dtype, o.shape"
    "  FROM call CROSS JOIN edge ON edge.dst = call.id"
    "  CROSS JOIN value AS o ON o.id = edge.value_id),"
    "met AS (SELECT passed.*, args.value, args.dtype, args.shape FROM passed"
    "  CROSS JOIN args ON args.id = passed.id AND args.name = passed.name),"
    "pair AS (SELECT met.id, value, 'passes ' || met.name AS does, met.dtype, met.shape,"
    "   printf('input %s of %s', taken.name, lowered) AS inside, i.dtype AS type,"
    "   i.shape AS form, met.number"
    "  FROM met CROSS JOIN taken ON taken.graph_id = inner AND taken.number = met.number"
    "  CROSS JOIN value AS i ON i.id = taken.value_id"
    " UNION ALL SELECT item.id, o.id, 'reads ' || caller, o.dtype, o.shape,"
    "   printf('output %lld of %s', item.number, lowered), i.dtype, i.shape, 0"
    "  FROM item JOIN given ON given.graph_id = inner AND NOT kept AND used"
    "  JOIN signature AS s ON s.graph_id = inner AND s.direction = 'output'"
    "   AND s.pos = item.number"
    "  JOIN value AS i ON i.id = s.value_id JOIN value AS o ON o.id = item.value_id)"
    "SELECT id AS node, value, printf('%s as %s %s; %s is %s %s', does, dtype, shape,"
    "   inside, type, form) AS message"
    "  FROM pair WHERE dtype <> type OR (shape <> form"
    "   AND shape NOT LIKE '%\"%' AND form NOT LIKE '%\"%') ORDER BY id, number";

/* clang-format on */
