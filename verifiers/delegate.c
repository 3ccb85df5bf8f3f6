/* Parts of a program that were handed to a backend. */
#include "verifiers/verifier.h"

static const struct dg_rule rules[] = {
    {
        .name = "no-nested",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a delegate was lowered from calls no delegate",
        .reason = "the inner blob and its data are not emitted",
        .fix = "let partitioners leave calls of delegates alone",
        .issue = "#20077",
        .level = "pt2",
        .query =
            "SELECT node.id AS node, printf('%s calls a delegate inside of %s',"
            "       node.name, outer.path) AS message,"
            "       json_array(outer.path, node.name) AS witness"
            "  FROM op JOIN node ON op_id = op.id"
            "  JOIN \"graph\" AS inside ON inside.id = node.graph_id"
            "  JOIN \"graph\" AS outer ON outer.method_id = inside.method_id"
            "   AND outer.kind = 'lowered' AND (inside.id = outer.id"
            "    OR substr(inside.path, 1, length(outer.path) + 1) = outer.path || '.')"
            " WHERE op.name = 'higher_order::executorch_call_delegate'"
            "   AND NOT EXISTS (SELECT 1 FROM \"graph\" AS nearer"
            "    WHERE nearer.method_id = outer.method_id AND nearer.kind = 'lowered'"
            "     AND length(nearer.path) > length(outer.path) AND (nearer.id = "
            "inside.id"
            "     OR substr(inside.path, 1, length(nearer.path) + 1)"
            "      = nearer.path || '.'))"
            " ORDER BY node.id",
    },
    {
        .name = "index-range",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "each call of a delegate names one that the method has",
        .reason = "the runtime fails when it comes to the call",
        .fix = "export again",
        .level = "pte",
        .query = "SELECT node.id AS node, printf('calls delegate %lld of %lld',"
                 "       op_index, (SELECT count(*) FROM delegate"
                 "        WHERE delegate.method_id = g.method_id)) AS message"
                 "  FROM node JOIN \"graph\" AS g ON g.id = graph_id"
                 " WHERE node.kind = 'delegate_call' AND delegate_id IS NULL"
                 " ORDER BY node.id",
    },
    {
        .name = "backend-opaque",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "delegraph knows the backend of every delegate",
        .reason = "what it does not know it does not check",
        .fix = "nothing is wrong; a newer delegraph may know the backend",
        .level = "pt2 pte",
        .query =
            "SELECT method_id AS method, printf('%lld delegates are of %s, whose blobs"
            " are opaque', count(*), backend) AS message FROM delegate"
            " WHERE backend NOT IN ('XnnpackBackend', 'VulkanBackend', 'CudaBackend',"
            "  'MetalBackend', 'CoreMLBackend', 'QnnBackend', 'TensorRTBackend',"
            "  'MPSBackend', 'MLXBackend', 'NativeBackend', 'TOSABackend',"
            "  'EthosUBackend', 'VgfBackend', 'NeuropilotBackend', 'NeutronBackend',"
            "  'OpenvinoBackend', 'EnnBackend')"
            " GROUP BY method_id, backend ORDER BY method_id, backend",
    },
    {0},
};

const struct dg_verifier dg_verifier_delegate = {"delegate", rules};
