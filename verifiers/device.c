/* Where tensors live: on the host, or on a device that a delegate works on. */
#include "verifiers/verifier.h"

/* clang-format off */

/* Tensors that an instruction touches, those inside of lists included. Values of a
 * graph have consecutive ids. */
#define TOUCHED(kind, which)                                                               \
    "touched AS (SELECT n.id AS node, n.op_id, n.delegate_id, v.id AS value, v.idx,"   \
    "   v.device, v.mem_id, g.method_id"                                               \
    "  FROM node AS n JOIN \"graph\" AS g ON g.id = n.graph_id"                        \
    "  JOIN operand AS o ON o.node_id = n.id JOIN value AS v ON v.id = o.value_id"     \
    " WHERE n.kind = '" kind "' AND v.kind = 'tensor'" which " UNION"                   \
    " SELECT n.id, n.op_id, n.delegate_id, v.id, v.idx, v.device, v.mem_id,"           \
    "   g.method_id"                                                                   \
    "  FROM node AS n JOIN \"graph\" AS g ON g.id = n.graph_id"                        \
    "  JOIN operand AS o ON o.node_id = n.id JOIN value AS list ON list.id = o.value_id" \
    "  JOIN json_each(list.items) AS item"                                             \
    "  JOIN value AS v ON v.id = list.id - list.idx + item.value"                      \
    "   AND v.graph_id = g.id AND v.idx = item.value"                                  \
    " WHERE n.kind = '" kind "' AND list.kind IN ('tensor_list',"                      \
    "  'optional_tensor_list') AND json_valid(list.items) AND v.kind = 'tensor'" which ")"

/* A `target_device` as Python reads it: "CUDA:1" is cuda:1, "cuda" is cuda:0; nothing
 * for what is neither, which is another rule's business. */
#define WANTED                                                                         \
    "spec AS (SELECT delegate_id, lower(trim(CAST(value AS TEXT))) AS text"            \
    "  FROM compile_spec WHERE key = 'target_device' AND value IS NOT NULL"            \
    "  GROUP BY delegate_id HAVING pos = min(pos)),"                                   \
    "wanted AS (SELECT delegate.id, delegate.backend, CASE WHEN spec.text IS NULL"     \
    "   OR spec.text = 'cpu' OR spec.text LIKE 'cpu:%' THEN 'cpu'"                     \
    "   WHEN spec.text = 'cuda' THEN 'cuda:0' WHEN spec.text GLOB 'cuda:[0-9]*'"       \
    "   THEN 'cuda:' || CAST(substr(spec.text, 6) AS INTEGER) END AS device"           \
    "  FROM delegate LEFT JOIN spec ON spec.delegate_id = delegate.id)"

static const char delegate_io_device[] =
    "WITH " TOUCHED("delegate_call", "") ", " WANTED
    "SELECT node, value, printf('value %lld is on %s, the delegate (%s) works on %s',"
    "   idx, touched.device, backend, wanted.device) AS message"
    "  FROM touched JOIN wanted ON wanted.id = touched.delegate_id"
    " WHERE touched.device IS NOT NULL AND wanted.device IS NOT NULL"
    "   AND iif(touched.device LIKE 'cpu:%', 'cpu', touched.device) <> wanted.device"
    " ORDER BY node, value";

/* Some operators look at the shape only. A tensor marked for a device but planned into
 * host memory is what older exporters write, and works. */
static const char host_op_on_cpu[] =
    "WITH " TOUCHED("kernel_call", " AND v.device NOT LIKE 'cpu%'")
    "SELECT node, value, iif(arena.device LIKE 'cpu%', 'warning', 'error') AS severity,"
    "   printf('%s reads or writes value %lld, which is on %s%s',"
    "    coalesce(op.name, 'an unknown operator'), touched.idx, touched.device,"
    "    iif(arena.device LIKE 'cpu%', ' but planned into host memory', '')) AS message"
    "  FROM touched LEFT JOIN op ON op.id = op_id LEFT JOIN arena"
    "    ON arena.method_id = touched.method_id AND arena.idx = touched.mem_id"
    " WHERE op.name IS NULL OR (op.namespace <> 'et_copy' AND op.name NOT IN"
    "    ('aten::sym_size.int', 'aten::sym_stride.int', 'aten::sym_numel',"
    "     'executorch_prim::et_view.default'))"
    " ORDER BY node, value";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "delegate-io-device",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a delegate reads and writes is on the device it works on",
        .reason = "the backend fails, or reads a host pointer on the device",
        .fix = "let PropagateDevicePass run, with device planning on",
        .issue = "#21682",
        .level = "pte",
        .query = delegate_io_device,
    },
    {
        .name = "host-op-on-cpu",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "host operators touch tensors in host memory only",
        .reason = "a host kernel reads a device pointer and crashes",
        .fix = "copy with et_copy::_d2h_copy first, or delegate the operator, too",
        .issue = "#21580",
        .level = "pte",
        .query = host_op_on_cpu,
    },
    {
        .name = "buffer-index-range",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "devices are given to arenas that exist",
        .reason = "the runtime ignores the entry, and the tensors stay on the host",
        .fix = "export again",
        .level = "pte",
    },
    {0},
};

const struct dg_verifier dg_verifier_device = {"device", rules};
