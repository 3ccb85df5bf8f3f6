/* Queries of the rules about devices, and what they share. */
#ifndef DG_VERIFIERS_DEVICE_PARTS_H
#define DG_VERIFIERS_DEVICE_PARTS_H

#include "graph/device_sql.h"

/* clang-format off */

/* Tensors of a .pte that are not in host memory: what index value_away holds. */
#define AWAY                                                                           \
    "away AS MATERIALIZED (SELECT value.id, value.graph_id, value.idx, value.device,"  \
    "   value.mem_id, value.nbytes, value.storage, g.method_id"                        \
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"                     \
    "  JOIN value ON value.graph_id = g.id"                                            \
    " WHERE method.ir = 'pte' AND value.kind = 'tensor'"                               \
    "   AND value.storage IS NOT NULL AND value.device <> 'cpu')"

/* Copies of one kind with the tensors that they read and write. */
#define COPIES(name, op_name)                                                          \
    name " AS MATERIALIZED (SELECT node.id, node.idx, node.name, node.graph_id,"       \
    "   src.id AS src_id, src.idx AS src_idx, src.device AS src_device,"               \
    "   src.nbytes AS src_nbytes, src.dtype AS src_dtype, src.dim_order AS src_order," \
    "   src.storage AS src_storage, src.name AS src_name,"                             \
    "   out.id AS out_id, out.idx AS out_idx, out.device AS out_device,"               \
    "   out.nbytes AS out_nbytes, out.dtype AS out_dtype, out.dim_order AS out_order"  \
    "  FROM op CROSS JOIN node ON node.op_id = op.id AND node.kind = 'kernel_call'"    \
    "  CROSS JOIN operand AS reads ON reads.node_id = node.id AND reads.pos = 0"             \
    "  CROSS JOIN operand AS writes ON writes.node_id = node.id AND writes.pos = 1"          \
    "  CROSS JOIN value AS src ON src.id = reads.value_id AND src.kind = 'tensor'"           \
    "  CROSS JOIN value AS out ON out.id = writes.value_id AND out.kind = 'tensor'"          \
    " WHERE op.name = 'et_copy::" op_name ".out')"

#define H2D COPIES("h2d", "_h2d_copy")
#define D2H COPIES("d2h", "_d2h_copy")

/* Calls of delegates that ask for a device, in programs still to be emitted. */
#define CALLS                                                                          \
    DG_SQL_WANTED ","                                                                  \
    "calls AS MATERIALIZED (SELECT node.id, node.name, node.graph_id, wanted.backend," \
    "   wanted.device, delegate.name AS lowered"                                       \
    "  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM wanted WHERE device <> 'cpu'))"      \
    "  CROSS JOIN op CROSS JOIN node ON node.op_id = op.id"                            \
    "   AND node.kind = 'call_function'"                                               \
    "  CROSS JOIN wanted ON wanted.id = node.delegate_id AND wanted.device <> 'cpu'"         \
    "  CROSS JOIN delegate ON delegate.id = wanted.id"                                       \
    " WHERE op.name = 'higher_order::executorch_call_delegate')"

/* Whether the command line says that inputs will not be copied. */
#define SKIPPING                                                                       \
    "EXISTS (SELECT 1 FROM setting WHERE setting.name = 'skip-h2d-inputs')"

/* clang-format on */

extern const char dg_query_spec_parse[];
extern const char dg_query_device_index[];
extern const char dg_query_spec_host_target[];
extern const char dg_query_spec_missing[];
extern const char dg_query_index_honoured[];
extern const char dg_query_backend_device[];
extern const char dg_query_multiple_devices[];

extern const char dg_query_delegate_io_device[];
extern const char dg_query_host_op_on_cpu[];
extern const char dg_query_predicate_host[];
extern const char dg_query_direct_cross_device[];

extern const char dg_query_h2d_direction[];
extern const char dg_query_d2h_direction[];
extern const char dg_query_roundtrip[];
extern const char dg_query_duplicate_h2d[];
extern const char dg_query_stale_output_spec[];

extern const char dg_query_enum_known[];
extern const char dg_query_buffer_entry[];
extern const char dg_query_arena_mixed[];
extern const char dg_query_planned_io[];
extern const char dg_query_etdump_host_read[];

extern const char dg_query_branch_delegate[];
extern const char dg_query_constant_h2d[];
extern const char dg_query_skip_h2d_single_user[];
extern const char dg_query_skip_h2d_mutable[];
extern const char dg_query_skip_not_said[];

#endif
