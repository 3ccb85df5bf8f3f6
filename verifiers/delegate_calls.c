/* Delegates against the calls that use them, and their blobs: queries of delegate.c. */
#include "verifiers/delegate_parts.h"

#define OF_PTE "JOIN method ON method.id = delegate.method_id AND method.ir = 'pte'"

const char dg_query_blob_ref[] =
    "SELECT delegate.method_id AS method, printf('delegate %lld (%s) %s', delegate.idx,"
    "  coalesce(backend, 'no backend'), CASE WHEN location IS NULL THEN"
    "   iif(blob_index IS NULL, 'has no blob', 'keeps its blob in a place that no"
    " runtime knows') ELSE printf('has blob %lld of the %s, which does not exist',"
    "   blob_index, iif(location = 'inline', 'inline data', 'segments')) END) AS "
    "message"
    "  FROM delegate " OF_PTE " WHERE location IS NULL OR blob_bytes IS NULL"
    " ORDER BY delegate.id";

const char dg_query_blob_duplicate[] =
    "WITH told AS MATERIALIZED (SELECT delegate.*, artifact_id, (SELECT"
    "   group_concat(quote(key) || '=' || quote(value), ' ') FROM"
    "   (SELECT key, value FROM compile_spec WHERE delegate_id = delegate.id"
    "     ORDER BY pos)) AS specs FROM delegate " OF_PTE "   AND blob_bytes > 0)"
    "SELECT min(method_id) AS method, printf('%lld delegates of %s share one blob of"
    " %lld bytes, but are told different things', count(*), min(backend),"
    "  max(blob_bytes)) AS message"
    "  FROM told GROUP BY artifact_id, location, blob_index"
    " HAVING count(DISTINCT coalesce(specs, '')) > 1 ORDER BY min(id)";

#define CALLS                                                                          \
    "call AS MATERIALIZED (SELECT node.id, node.name, node.graph_id, node.args,"       \
    "   delegate.graph_id AS inner, delegate.name AS lowered"                          \
    "  FROM node JOIN op ON op.id = node.op_id"                                        \
    "  JOIN delegate ON delegate.id = node.delegate_id"                                \
    " WHERE op.name = 'higher_order::executorch_call_delegate'"                        \
    "   AND json_valid(node.args))"

/* The inputs that a call passes, numbered: not the constants that the delegate owns. */
#define TAKEN                                                                          \
    "taken AS MATERIALIZED (SELECT graph_id, name, value_id,"                          \
    "   row_number() OVER (PARTITION BY graph_id ORDER BY pos) AS number"              \
    "  FROM signature WHERE direction = 'input' AND spec = 'user_input')"

const char dg_query_users_getitem[] =
    "WITH " CALLS ","
    "given AS MATERIALIZED (SELECT graph_id, count(*) AS n FROM signature"
    "  WHERE direction = 'output' GROUP BY graph_id),"
    "used AS MATERIALIZED (SELECT node.id, node.name, call.name AS call, lowered, "
    "inner,"
    "   op.name AS op, CASE WHEN json_valid(node.args) THEN"
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

/* Symbols have other names inside. */
const char dg_query_io_meta_match[] =
    "WITH " CALLS ", " TAKEN ","
    "passed AS MATERIALIZED (SELECT call.id, call.graph_id, lowered, inner,"
    "   j.key AS number, json_extract(j.value, '$.tensor') AS name"
    "  FROM call, json_each(args) AS j WHERE j.key > 0),"
    "met AS (SELECT passed.*, o.id AS value, o.dtype, o.shape FROM value AS o"
    "  CROSS JOIN passed ON passed.name = o.name AND passed.graph_id = o.graph_id)"
    "SELECT met.id AS node, value, printf('passes %s, %s %s, as input %s of %s, which "
    "is"
    " %s %s there', met.name, met.dtype, met.shape, taken.name, lowered, i.dtype,"
    "  i.shape) AS message"
    "  FROM met JOIN taken ON taken.graph_id = inner AND taken.number = met.number"
    "  JOIN value AS i ON i.id = taken.value_id"
    " WHERE met.dtype <> i.dtype OR (met.shape <> i.shape"
    "   AND met.shape NOT LIKE '%\"%' AND i.shape NOT LIKE '%\"%') ORDER BY met.id,"
    "  met.number";
