/* Parts of a program that were handed to a backend. */
#include "verifiers/delegate_parts.h"
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
    {
        .name = "ref-valid",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the first argument of a call of a delegate is a lowered module",
        .reason = "nothing says what to run; to_executorch fails",
        .fix = "a pass that renamed or removed the module must edit the call, too",
        .level = "pt2",
        .query = "SELECT node.id AS node, 'its first argument is no lowered module that"
                 " the program holds' AS message"
                 "  FROM node JOIN op ON op.id = op_id"
                 " WHERE op.name = 'higher_order::executorch_call_delegate'"
                 "   AND node.kind = 'call_function' AND delegate_id IS NULL"
                 " ORDER BY node.id",
    },
    {
        .name = "lowered-name",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "lowered modules are named lowered_module_ and a number",
        .reason = "ExecuTorch's developer tools look for that and overlook the others",
        .fix = "keep the names that to_backend gives",
        .level = "pt2",
        .query =
            "SELECT delegate.method_id AS method, printf('a lowered module of %s is"
            " named %s', coalesce(backend, 'no backend'), delegate.name) AS message"
            "  FROM delegate JOIN method ON method.id = delegate.method_id"
            "   AND ir <> 'pte'"
            " WHERE delegate.name NOT GLOB 'lowered_module_*' ORDER BY delegate.id",
    },
    {
        .name = "users-getitem",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "what a delegate gives is read by getitem, within its outputs",
        .reason = "another reader gets a list; an item that is not there fails",
        .fix = "read each output with a getitem of its own",
        .level = "pt2",
        .query = dg_query_users_getitem,
    },
    {
        .name = "input-arity",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a call passes as many inputs as the lowered module takes",
        .reason = "the backend fails, or reads one input for another",
        .fix = "a pass that adds or removes inputs must edit both",
        .issue = "#22478",
        .level = "pt2",
        .query = dg_query_input_arity,
    },
    {
        .name = "io-meta-match",
        .severity = DG_SEVERITY_WARNING,
        .invariant =
            "what is passed to a delegate has the type and shape it was made for",
        .reason = "the backend reads the bytes as something else",
        .fix = "lower again after passes that change types; some backends convert",
        .issue = "#19364",
        .level = "pt2",
        .query = dg_query_io_meta_match,
    },
    {
        .name = "dangling",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "every delegate is called",
        .reason =
            "the runtime initialises it nevertheless: time, memory, a way to fail",
        .fix = "export again",
        .level = "pte",
        .query = "SELECT delegate.method_id AS method, printf('no instruction calls"
                 " delegate %lld (%s)', delegate.idx, coalesce(backend, 'no backend'))"
                 " AS message FROM delegate JOIN method ON method.id ="
                 "  delegate.method_id AND ir = 'pte' WHERE delegate.id NOT IN (SELECT"
                 "  delegate_id FROM node WHERE delegate_id IS NOT NULL)"
                 " ORDER BY delegate.id",
    },
    {
        .name = "blob-ref",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every delegate has a blob, and it exists",
        .reason = "the runtime refuses the method, or crashes",
        .fix = "export again",
        .level = "pte",
        .query = dg_query_blob_ref,
    },
    {
        .name = "blob-nonempty",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "the blob of a delegate is not empty",
        .reason = "few backends can do without: those that keep all in named data",
        .fix = "look at what preprocess of the backend returned",
        .level = "pt2 pte",
        .query = "SELECT method_id AS method, printf('the blob of delegate %lld (%s) is"
                 " empty', idx, coalesce(backend, 'no backend')) AS message"
                 "  FROM delegate WHERE blob_bytes = 0 AND backend NOT IN "
                 "('CudaBackend', 'MetalBackend') ORDER BY id",
    },
    {
        .name = "blob-duplicate",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "delegates that share a blob are told the same",
        .reason = "the blob was made for one set of compile specs",
        .fix = "nothing is wrong if the backend reads them at load time",
        .issue = "#14564",
        .level = "pte",
        .query = dg_query_blob_duplicate,
    },
    {
        .name = "id-nonempty",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every delegate names its backend",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .level = "pt2 pte",
        .query = "SELECT method_id AS method, printf('delegate %lld has no backend',"
                 " idx) AS message FROM delegate WHERE coalesce(backend, '') = ''"
                 " ORDER BY id",
    },
    {
        .name = "spec-nonnull",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every compile spec has a key and a value",
        .reason = "the runtime crashes",
        .fix = "export again",
        .level = "pte",
        .query =
            "SELECT delegate.method_id AS method, printf('compile spec %lld of"
            " delegate %lld (%s) has no %s', pos, delegate.idx,"
            "  coalesce(backend, 'no backend'), iif(value IS NULL, 'value', 'key'))"
            " AS message, iif(value IS NULL, 'error', 'warning') AS severity"
            "  FROM compile_spec JOIN delegate ON delegate.id = delegate_id"
            "  JOIN method ON method.id = delegate.method_id AND ir = 'pte'"
            " WHERE key IS NULL OR value IS NULL ORDER BY delegate.id, pos",
    },
    {
        .name = "spec-duplicate-key",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "no key comes twice among the compile specs of a delegate",
        .reason = "one backend takes the first, another the last",
        .fix = "give the partitioner each spec once",
        .level = "pt2 pte",
        .query = "SELECT delegate.method_id AS method, printf('delegate %lld (%s) has"
                 " %lld compile specs %s', delegate.idx,"
                 "  coalesce(backend, 'no backend'), count(*), key) AS message"
                 "  FROM compile_spec JOIN delegate ON delegate.id = delegate_id"
                 " GROUP BY delegate.id, key HAVING count(key) > 1"
                 " ORDER BY delegate.id, min(pos)",
    },
    {0},
};

const struct dg_verifier dg_verifier_delegate = {"delegate", rules};
