/* Parts of a program that were handed to a backend. */
#include "verifiers/data_parts.h"
#include "verifiers/delegate_parts.h"
#include "verifiers/planned.h"
#include "verifiers/verifier.h"

static const struct dg_rule rules[] = {
    {
        .name = "no-nested",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a delegate was lowered from calls no delegate",
        .reason = "the inner blob and its data are not emitted",
        .fix = "let partitioners leave calls of delegates alone",
        .example = "the graph that lowered_module_0 was made from calls "
                   "executorch_call_delegate",
        .issue = "#20077",
        .level = "pt2",
        .query =
            "SELECT node.id AS node, printf('%s calls a delegate inside of %s',"
            "       node.name, outer.path) AS message,"
            "       json_array(outer.path, node.name) AS witness"
            "  FROM (SELECT * FROM op"
            "   WHERE name = 'higher_order::executorch_call_delegate') AS op"
            "  CROSS JOIN node ON node.op_id = op.id"
            "  CROSS JOIN \"graph\" AS inside ON inside.id = node.graph_id"
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
        .example = "op_2 calls delegate 3 of 2",
        .level = "pte",
        .refused = true,
        .query = "SELECT node.id AS node, printf('calls delegate %lld of %lld',"
                 "       op_index, (SELECT count(*) FROM delegate"
                 "        WHERE delegate.method_id = g.method_id)) AS message"
                 "  FROM node JOIN \"graph\" AS g ON g.id = graph_id"
                 " WHERE node.kind = 'delegate_call' AND " DG_RARE(
                     "node") " AND delegate_id IS NULL"
                             " ORDER BY node.id",
    },
    {
        .name = "ref-valid",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the first argument of a call of a delegate is a lowered module",
        .reason = "nothing says what to run; to_executorch fails",
        .fix = "a pass that renamed or removed the module must edit the call, too",
        .example = "the first argument of a call of a delegate is an f32 tensor",
        .level = "pt2",
        .query = "SELECT node.id AS node, 'its first argument is no lowered module that"
                 " the program holds' AS message"
                 "  FROM (SELECT id FROM op"
                 "   WHERE name = 'higher_order::executorch_call_delegate') AS op"
                 "  CROSS JOIN node ON node.op_id = op.id"
                 " WHERE node.kind = 'call_function' AND delegate_id IS NULL"
                 " ORDER BY node.id",
    },
    {
        .name = "lowered-name",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "lowered modules are named lowered_module_ and a number",
        .reason = "ExecuTorch's developer tools look for that and overlook the others",
        .fix = "keep the names that to_backend gives",
        .example = "a lowered module is named \"my_module\"",
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
        .example = "add reads the tuple that a delegate gives",
        .level = "pt2",
        .query = dg_query_users_getitem,
    },
    {
        .name = "input-arity",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a call passes as many inputs as the lowered module takes",
        .reason = "the backend fails, or reads one input for another",
        .fix = "a pass that adds or removes inputs must edit both",
        .example =
            "a call passes three tensors to a module lowered from two placeholders",
        .issue = "#22478",
        .level = "pt2",
        .query = dg_query_input_arity,
    },
    {
        .name = "output-arity",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a call has as many results as the lowered module gives, one at"
                     " least",
        .reason = "results change places, or the backend writes where nothing is",
        .fix = "a pass that adds or removes outputs must edit both",
        .example = "getitem takes item 2 of a call; the lowered module gives two"
                   " results and writes its own buffer",
        .issue = "#22011",
        .level = "pt2 pte",
        .query = dg_query_output_arity,
        .about = DG_ABOUT_RESULTS,
    },
    {
        .name = "io-order",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a call passes its inputs in the order of the lowered module",
        .reason = "the backend takes them by their place and computes with others",
        .fix = "keep the order of the placeholders when a pass edits a call",
        .example = "the call passes (y, x), the placeholders inside are x, y",
        .issue = "#18486",
        .level = "pt2",
        .query = dg_query_io_order,
    },
    {
        .name = "nested-in-branch",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a call that goes to a delegate runs no graph with a delegate in it",
        .reason = "the inner delegate's blob and data are lost, without a word",
        .fix = "leave the call untagged, or lower its graphs with it in one go",
        .example = "a tagged cond, whose true branch calls lowered_module_0",
        .issue = "#20077",
        .level = "pt2",
        .query = dg_query_nested_in_branch,
        .about = DG_ABOUT_PROGRAM,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "inline-mixed",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "the blobs of a file all lie in segments, or all in the program",
        .reason = "those in the program are loaded, and stay, with it",
        .fix = "export with extract_delegate_segments=True",
        .example = "delegate 0 keeps its blob in segment 1, delegate 1 inline",
        .level = "pte",
        .query = dg_query_inline_mixed,
    },
    {
        .name = "io-meta-match",
        .severity = DG_SEVERITY_WARNING,
        .invariant =
            "what is passed to a delegate has the type and shape it was made for",
        .reason = "the backend reads the bytes as something else",
        .fix = "lower again after passes that change types; some backends convert",
        .example = "a call passes f16 where the lowered graph has an f32 placeholder",
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
        .example = "delegate 1 is in the table, and no instruction calls it",
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
        .example = "delegate 0 is in segment 7 of 3",
        .level = "pte",
        .refused = true,
        .query = dg_query_blob_ref,
    },
    {
        .name = "blob-nonempty",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "the blob of a delegate is not empty",
        .reason = "few backends can do without, and XnnpackBackend fails to initialise",
        .fix = "look at what preprocess of the backend returned",
        .example = "delegate 0 has a blob of 0 bytes",
        .level = "pt2 pte",
        .query = "SELECT method_id AS method, printf('the blob of delegate %lld (%s) is"
                 " empty', idx, coalesce(backend, 'no backend')) AS message,"
                 "  iif(backend = 'XnnpackBackend', 'error', 'warning') AS severity"
                 "  FROM delegate WHERE blob_bytes = 0 AND backend NOT IN "
                 "('CudaBackend', 'MetalBackend') ORDER BY id",
    },
    {
        .name = "blob-duplicate",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "delegates that share a blob are told the same",
        .reason = "the blob was made for one set of compile specs",
        .fix = "nothing is wrong if the backend reads them at load time",
        .example = "delegates 0 and 1 share segment 2 and have different compile specs",
        .issue = "#14564",
        .level = "pte",
        .query = dg_query_blob_duplicate,
    },
    {
        .name = "io-operands",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a call of an XNNPACK delegate passes the tensors that its payload"
                     " takes and gives",
        .reason = "the delegate refuses the call, or reads beyond its operands and"
                  " crashes",
        .fix = "lower again",
        .example = "the payload takes operands 0 and 1 and gives 2, and the call has two",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "id-nonempty",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every delegate names its backend",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "delegate 0 has the id \"\"",
        .level = "pt2 pte",
        .refused = true,
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
        .example = "a compile spec with key method_name and no value",
        .level = "pte",
        .refused = true,
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
        .example = "target_device = cuda:0 and target_device = cuda:1",
        .level = "pt2 pte",
        .query = "SELECT delegate.method_id AS method, printf('delegate %lld (%s) has"
                 " %lld compile specs %s', delegate.idx,"
                 "  coalesce(backend, 'no backend'), count(*), key) AS message"
                 "  FROM compile_spec JOIN delegate ON delegate.id = delegate_id"
                 " GROUP BY delegate.id, key HAVING count(key) > 1"
                 " ORDER BY delegate.id, min(pos)",
    },
    {
        .name = "named-key-resolves",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every key that a delegate looks up is in the program or its .ptd",
        .reason = "the backend fails to initialise, and the method does not load",
        .fix =
            "give the program its .ptd files (delegraph check a.pte b.ptd), or export"
            " again",
        .example = "an XNNPACK blob with named_key bc4c..., which no named data has",
        .issue = "#22311",
        .level = "pte",
        .query = dg_query_named_key_resolves,
        .about = DG_ABOUT_LOST_KEY,
    },
    {0},
};

const struct dg_verifier dg_verifier_delegate = {"delegate", rules, DG_ABOUT_DELEGATE};
