/* Devices that delegates ask for, in programs and in plans: queries of device.c. */
#include "verifiers/device_parts.h"

/* clang-format off */

#define DELEGATE                                                                       \
    "delegate.method_id, NULL AS graph_id, 0 AS run, delegate.id AS number_of,"        \
    " delegate.backend, method.ir <> 'pte' AS lowers,"                                 \
    " printf('%s (%s)', iif(method.ir = 'pte' OR delegate.name IS NULL,"               \
    "  printf('delegate %lld', delegate.idx), delegate.name),"                         \
    "  coalesce(delegate.backend, 'no backend')) AS who"
#define DELEGATES                                                                      \
    " JOIN method ON method.id = delegate.method_id"

#define TAG                                                                            \
    "g.method_id, g.id, partition.part_run_id, partition.id, partition.backend, 1,"    \
    " printf('tag %s (%s)', tag, coalesce(partition.backend, 'no backend'))"
#define TAGS " JOIN \"graph\" AS g ON g.id = partition.graph_id"

/* asking: delegates of programs and tags of plans that ask for a device. lowers: it is
 * still to be turned into a .pte. */
#define ASKING(which, whose)                                                           \
    DG_SQL_ASKED(DG_SQL_SPECS("compile_spec") " UNION ALL "                            \
                 DG_SQL_SPECS("partition_spec"), which) ","                            \
    "asking AS (SELECT " DELEGATE ", asked.*"                                          \
    "  FROM asked CROSS JOIN compile_spec AS spec ON spec.value = asked.raw AND "      \
    DG_SQL_IS_TARGET("spec", "compile_spec", "delegate_id")                            \
    "  JOIN delegate ON delegate.id = spec.delegate_id " DELEGATES " WHERE " whose     \
    " UNION ALL"                                                                       \
    " SELECT " TAG ", asked.*"                                                         \
    "  FROM asked CROSS JOIN partition_spec AS spec ON spec.value = asked.raw AND "    \
    DG_SQL_IS_TARGET("spec", "partition_spec", "partition_id")                         \
    "  JOIN partition ON partition.id = spec.partition_id " TAGS " WHERE " whose ")"

#define PLACE "method_id AS method, graph_id AS \"graph\","
#define IN_ORDER " ORDER BY method_id, run, number_of"

/* A text of the file that is safe to print. */
#define SHOWN                                                                          \
    "iif(text GLOB '*[^ -~]*', printf('0x%.80s', hex(text)),"                          \
    "   printf('\"%.40s\"', text))"

const char dg_query_spec_parse[] =
    "WITH " ASKING("device IS NULL", "1")
    "SELECT " PLACE " iif(lowers, 'error', 'warning') AS severity,"
    "   printf('%s asks for %s: %s', who, " SHOWN ","
    "    iif(type IN ('cpu', 'cuda'), 'the index is no number',"
    "     'the type is neither cpu nor cuda')) AS message"
    "  FROM asking" IN_ORDER;

const char dg_query_device_index[] =
    "WITH " ASKING("device <> 'cpu' AND NOT CAST(number AS INTEGER) BETWEEN 0 AND 127",
                   "1") "," AWAY
    "SELECT " PLACE " NULL AS value,"
    "   iif(device LIKE '%:-1', 'warning', 'error') AS severity,"
    "   printf('%s asks for %s', who, device) AS message, 1 AS part, number_of"
    "  FROM asking"
    " UNION ALL"
    " SELECT method_id, graph_id, id, iif(device LIKE '%:-1', 'warning', 'error'),"
    "   printf('value %lld is on %s', idx, device), 2, id"
    "  FROM away WHERE device GLOB '*:-*'"
    " UNION ALL"
    " SELECT method_id, NULL, NULL, iif(device LIKE '%:-1', 'warning', 'error'),"
    "   printf('arena %lld is on %s', idx, device), 3, idx"
    "  FROM arena WHERE device GLOB '*:-*'"
    " ORDER BY part, method, number_of";

/* A .pte that was emitted without such copies runs. */
const char dg_query_spec_host_target[] =
    "WITH " ASKING("device = 'cpu'", "1") ", " H2D ","
    "copies AS MATERIALIZED (SELECT DISTINCT method_id FROM h2d"
    "  JOIN \"graph\" AS g ON g.id = h2d.graph_id WHERE out_device = 'cpu')"
    "SELECT " PLACE " printf('%s asks for %s, the host', who, " SHOWN ") AS message"
    "  FROM asking WHERE lowers OR method_id IN (SELECT method_id FROM copies)" IN_ORDER;

#define ON_DEVICES "IN ('CudaBackend', 'TensorRTBackend')"

const char dg_query_spec_missing[] =
    "WITH asking AS (SELECT " DELEGATE " FROM delegate " DELEGATES
    "  WHERE delegate.backend " ON_DEVICES " AND NOT EXISTS (SELECT 1 FROM compile_spec"
    "   WHERE delegate_id = delegate.id AND key = 'target_device')"
    " UNION ALL SELECT " TAG " FROM partition " TAGS
    "  WHERE partition.backend " ON_DEVICES " AND NOT EXISTS (SELECT 1 FROM"
    "   partition_spec WHERE partition_id = partition.id AND key = 'target_device')"
    "   AND EXISTS (SELECT 1 FROM partition_spec WHERE partition_id = partition.id))"
    "SELECT " PLACE " printf('%s has no compile spec target_device', who) AS message"
    "  FROM asking" IN_ORDER;

const char dg_query_index_honoured[] =
    "WITH " ASKING("device NOT IN ('cpu', 'cuda:0', 'cuda:-1')",
                   "backend = 'CudaBackend'")
    "SELECT " PLACE " printf('%s asks for %s', who, device) AS message"
    "  FROM asking" IN_ORDER;

const char dg_query_backend_device[] =
    "WITH " ASKING("device <> 'cpu'",
    "backend IN ('XnnpackBackend', 'VulkanBackend', 'MetalBackend', 'CoreMLBackend',"
    " 'QnnBackend', 'MPSBackend', 'MLXBackend', 'TOSABackend', 'EthosUBackend',"
    " 'VgfBackend', 'NeuropilotBackend', 'NeutronBackend', 'OpenvinoBackend',"
    " 'EnnBackend')")
    "SELECT " PLACE " printf('%s asks for %s', who, device) AS message"
    "  FROM asking" IN_ORDER;

const char dg_query_multiple_devices[] =
    "WITH " ASKING("device <> 'cpu'", "(SELECT count(DISTINCT device) FROM asked) > 1")
    ",used AS (SELECT DISTINCT method_id, run, graph_id, device FROM asking"
    "  ORDER BY method_id, run, graph_id, device)"
    "SELECT " PLACE " printf('%s ask for %lld devices: %s', iif(run,"
    "    'tags of one graph', 'delegates of the method'), count(*),"
    "   group_concat(device, ', ')) AS message"
    "  FROM used GROUP BY method_id, run, graph_id HAVING count(*) > 1"
    " ORDER BY method_id, run, graph_id";

/* clang-format on */
