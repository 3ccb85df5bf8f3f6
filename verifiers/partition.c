/* The plan: which nodes go to which delegate, and whether lowering can follow it. */
#include "verifiers/partition_parts.h"
#include "verifiers/rules_as_sql.h"

#define DG_NO_DELEGATES                                                                \
    DG_NO_PLAN                                                                         \
    " UNION ALL SELECT 'the plan in the file has tags, but no delegates'"              \
    " WHERE NOT EXISTS (SELECT 1 FROM part_run WHERE id IN " DG_NEWEST_PLANS           \
    "  AND source <> 'custom')"

#define DG_NO_BACKENDS                                                                 \
    DG_NO_DELEGATES                                                                    \
    " UNION ALL SELECT 'the plan names no backend' WHERE NOT EXISTS"                   \
    " (SELECT 1 FROM partition WHERE part_run_id IN " DG_NEWEST_PLANS                  \
    "  AND backend IS NOT NULL)"

/* A partitioner that was told no backend leaves that open for the whole plan. */
static const char has_spec[] =
    "SELECT p.graph_id AS \"graph\", printf('%s has no backend; to_backend() looks for"
    " one by its name', p.tag) AS message FROM partition AS p"
    " WHERE part_run_id IN " DG_NEWEST_PLANS
    " AND declared = 1 AND coalesce(backend, '') = ''"
    " AND part_run_id IN (SELECT part_run_id FROM partition WHERE backend IS NOT NULL)"
    " ORDER BY p.id";

static const char per_method_spec[] =
    "SELECT p.graph_id AS \"graph\", CASE WHEN s.key IS NULL THEN printf('%s for %s has"
    " no method_name among its compile specs; its method is %s', p.tag, p.backend,"
    " m.name) ELSE printf('%s for %s is told method_name \"%s\"; its method is %s',"
    " p.tag, p.backend, s.value, m.name) END AS message FROM partition AS p"
    "  JOIN \"graph\" AS g ON g.id = p.graph_id JOIN method AS m ON m.id = g.method_id"
    "  LEFT JOIN partition_spec AS s ON s.partition_id = p.id AND s.key = 'method_name'"
    " WHERE part_run_id IN " DG_NEWEST_PLANS " AND declared = 1"
    "   AND backend IN ('CudaBackend', 'MetalBackend') AND s.value IS NOT m.name"
    " ORDER BY p.id, s.pos";

/* Graphs that delegates were made from, and branches in them. */
static const char stale_tag[] =
    "SELECT g.id AS \"graph\", printf('a delegate was made of %s already, and nodes of"
    " it are tagged %s (%lld)', l.path, p.tag, (SELECT count(*) FROM partition_node"
    "  WHERE partition_id = p.id)) AS message FROM partition AS p"
    "  JOIN \"graph\" AS g ON g.id = p.graph_id"
    "  JOIN \"graph\" AS l ON l.method_id = g.method_id AND " DG_IS_IN_LOWERED
    " WHERE EXISTS (SELECT 1 FROM \"graph\" WHERE kind = 'lowered')"
    "   AND part_run_id IN " DG_NEWEST_PLANS " ORDER BY p.id, l.id";

static const char duplicate_return[] =
    "SELECT s.graph_id AS \"graph\", printf('%s is output %s', s.name,"
    " group_concat(s.pos, ' and ')) AS message FROM signature AS s"
    "  JOIN \"graph\" AS g ON g.id = s.graph_id AND g.kind = 'lowered'"
    " WHERE s.direction = 'output' AND s.spec = 'user_output' AND s.name IS NOT NULL"
    " GROUP BY s.graph_id, s.name HAVING count(*) > 1 ORDER BY 1, min(s.pos)";

static const struct dg_rule rules[] = {
    {
        .name = "node-known",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every node and method that a plan names is in the program",
        .reason = "the plan is for another program, and says nothing of this one",
        .fix = "make the plan anew from this program",
        .example = "the plan tags conv_7, the program ends at conv_6",
        .level = "pt2",
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "tag-known",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "every tag of a node has a delegate in the plan",
        .reason = "lowering goes through the delegates: nodes with another tag stay on"
                  " the host, silently",
        .fix = "add the delegate, or correct the tag",
        .example = "node add has tag1, and the plan has delegates for tag0 only",
        .issue = "#9501",
        .level = "pt2",
        .not_checked = DG_NO_DELEGATES,
    },
    {
        .name = "tag-used",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "every delegate of a plan has a call",
        .reason = "lowering leaves it out without a word",
        .fix = "take the delegate out of the plan, or tag its calls",
        .example = "the plan has a delegate for tag4, and no node has that tag",
        .level = "pt2",
        .check = dg_check_tag_used,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "has-spec",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every delegate of a plan names its backend",
        .reason = "to_backend() fails with \"Backend ... was not found\"",
        .fix = "name the backend",
        .example = "tag0 has no backend",
        .level = "pt2",
        .query = has_spec,
        .not_checked = DG_NO_BACKENDS,
    },
    {
        .name = "backend-known",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "every backend is known here, or to the runtime (--backends)",
        .reason =
            "where no backend of that name is registered, lowering fails (\"Backend ..."
            " was not found\"), and so does loading (\"... is not registered\")",
        .fix = "correct the name, or register the backend there; --backends names those"
               " that the runtime has",
        .example = "a delegate for XnnpakBackend",
        .issue = "#5722",
        .level = "pt2 pte",
        .check = dg_check_backend_known,
        .not_checked =
            "SELECT 'there is no delegate, and no plan that says what its tags mean'"
            " WHERE NOT EXISTS (SELECT 1 FROM delegate)"
            "  AND NOT EXISTS (SELECT 1 FROM partition WHERE backend <> '')",
    },
    {
        .name = "preserved-op-delegated",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a backend keeps from being decomposed is in none of the"
                     " branches that the host runs",
        .reason = "lowering fails with \"was not decomposed or delegated\"",
        .fix = "decompose the program before it is lowered: run_decompositions()",
        .example = "aten::linear in a branch of a cond, and a plan for XnnpackBackend",
        .level = "pt2",
        .query = dg_query_preserved_op,
        .not_checked =
            "SELECT 'nothing says what the program is lowered for (--for executorch, "
            "and"
            " --plan or --backends)' WHERE NOT " DG_TO_BE_LOWERED
            " OR NOT EXISTS (SELECT 1 FROM partition WHERE backend <> '')"
            "  AND NOT EXISTS (SELECT 1 FROM setting WHERE name = 'backend')",
    },
    {
        .name = "per-method-spec",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "AOTI's compile specs name the method that the partition is in",
        .reason = "AOTI cannot say which method it fails in, and releases before #20424"
                  " mix up the data of methods",
        .fix = "give each method a partitioner of its own, with its own method_name",
        .example = "a partition of method decode has the spec method_name = prefill",
        .issue = "#20424",
        .level = "pt2",
        .query = per_method_spec,
        .not_checked = DG_NO_DELEGATES,
    },
    {
        .name = "convex",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no path leaves a partition and enters it again",
        .reason = "the delegate would need its own result before it can begin",
        .fix =
            "take one of the nodes of the path into the partition, or split it there;"
            " delegraph partition makes a plan that holds",
        .example = "tag0 has relu and mul; cumsum between them has no tag",
        .issue = "#20384",
        .level = "pt2",
        .check = dg_check_convex,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "no-mutual-cycle",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "partitions can be run one after another",
        .reason = "each of them needs a result of another before it can begin, though"
                  " each alone is convex",
        .fix = "split one of them, or make them one; delegraph partition makes a plan"
               " that holds",
        .example = "tag0 reads a result of tag1, and tag1 one of tag0",
        .issue = "#18397",
        .level = "pt2",
        .check = dg_check_mutual_cycle,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "lowering-order",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "lowering tag after tag closes no cycle",
        .reason = "to_backend() names no tag when it fails; this is the one it is at",
        .fix = "mend what rules convex and no-mutual-cycle find",
        .example = "tag1 can be fused only while tag0 is not",
        .issue = "#20384",
        .level = "pt2",
        .check = dg_check_lowering_order,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "output-untagged",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the output node has no tag",
        .reason = "to_backend() refuses the plan",
        .fix = "tag calls only",
        .example = "the output node has tag0",
        .level = "pt2",
        .query = dg_sql_output_untagged,
        .check = dg_check_output_untagged,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "user-input-untagged",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "tagged placeholders are parameters, buffers or constants of the program",
        .reason = "to_backend() refuses the plan; in a branch nothing belongs to the"
                  " delegate",
        .fix = "tag placeholders with tag_constant_data() only",
        .example = "placeholder x, which the user gives, has tag0",
        .issue = "#3278",
        .level = "pt2",
        .query = dg_sql_inputs_untagged,
        .check = dg_check_inputs_untagged,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "no-delegate-inside",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no call of a delegate, nor its module and results, has a tag",
        .reason = "verification fails, or the inner delegate's blob is lost",
        .fix = "let the partitioner skip what is lowered already, as"
               " get_non_lowered_nodes() does",
        .example = "executorch_call_delegate of an earlier backend has tag0",
        .issue = "#20077",
        .level = "pt2",
        .check = dg_check_no_delegate_inside,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "getitem-with-producer",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a getitem has the tag of the call whose tuple it takes apart",
        .reason = "a tuple would be an argument or a result of a delegate",
        .fix = "tag both alike",
        .example = "max has tag0, the getitem of it tag1",
        .issue = "#21441",
        .level = "pt2",
        .check = dg_check_getitem_with_producer,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "getitem-only",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a partition computes something",
        .reason = "the call of the delegate costs more than what it does",
        .fix = "leave such partitions on the host",
        .example = "all nodes of tag0 are getitem",
        .issue = "#22466",
        .level = "pt2",
        .check = dg_check_getitem_only,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "has-output",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "something outside of a partition reads one of its nodes",
        .reason = "lowering finds no place for a call without results",
        .fix = "leave dead nodes, assertions and unused constants untagged unless other"
               " nodes have the tag",
        .example = "tag0 has one call, and nothing reads it",
        .level = "pt2",
        .check = dg_check_has_output,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "boundary-kinds",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "what goes into a delegate and comes out of it are tensors",
        .reason = "many backends take no symbolic sizes, fewer return them",
        .fix = "compute numbers on the host, or in every partition that needs them",
        .example = "tag0 gives a sym_int to the host",
        .issue = "#21877",
        .level = "pt2",
        .check = dg_check_boundary_kinds,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "qdq-split",
        .severity = DG_SEVERITY_WARNING,
        .invariant =
            "an operation and the dequantize that feeds it are in one partition",
        .reason = "the backend sees a floating-point operation: slower, other numbers",
        .fix = "partition quantized patterns as groups",
        .example = "conv has tag0, the dequantize_per_tensor that it reads has none",
        .issue = "#12845",
        .level = "pt2",
        .check = dg_check_qdq_split,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "maximal",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "no two neighbours of one backend could be one partition",
        .reason = "each delegate call costs time, and values cross twice",
        .fix = "give both the same tag",
        .example =
            "tag0 and tag1 are both for XnnpackBackend, and only an edge joins them",
        .issue = "#9118",
        .level = "pt2",
        .check = dg_check_maximal,
        .not_checked = DG_NO_DELEGATES,
    },
    {
        .name = "weakly-connected",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "the calls of a partition are one piece",
        .reason = "it lowers, but a backend may expect one piece",
        .fix = "nothing is wrong unless the backend says so; then tag each piece apart",
        .example = "tag0 has two chains that no edge joins",
        .issue = "#18191",
        .level = "pt2",
        .check = dg_check_weakly_connected,
        .not_checked = DG_NO_PLAN,
        .runs = DG_RUNS_ON_REQUEST,
    },
    {
        .name = "alias-order",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "nodes that read and write the same memory keep their order",
        .reason = "a partition runs in one place, and may overtake or be overtaken",
        .fix = "decompose first, so that nothing writes its arguments",
        .example =
            "tag0 has a view of x, the host writes x afterwards and reads the view",
        .issue = "pytorch #81244",
        .level = "pt2",
        .check = dg_check_alias_order,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "stale-tag",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "no graph that a delegate was made from has tags",
        .reason =
            "a later partitioner with tags of the same names takes the nodes along",
        .fix = "remove delegation_tag from node.meta after lowering",
        .example = "a node of the graph that lowered_module_0 was made from has tag0",
        .issue = "#9501",
        .level = "pt2",
        .query = stale_tag,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "support-respected",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "the backend of a tagged call takes its operator",
        .reason = "the backend refuses the graph when it is lowered, or computes wrong "
                  "numbers",
        .fix =
            "let the backend's own partitioner tag; delegraph explain --backend says "
            "why a call is refused",
        .example = "tag0 is for XnnpackBackend and has aten::cumsum",
        .issue = "#21876",
        .level = "pt2",
        .check = dg_check_support_respected,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "output-used-inside",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "a partition for NXP's Neutron does not read what it gives",
        .reason = "backends of before #20423 cut the graph short at such a node",
        .fix = "use a backend of executorch 1.5 or later",
        .example =
            "relu has tag0, as has one of its two users; the other is the output",
        .issue = "#20423",
        .level = "pt2",
        .query = dg_sql_output_used_inside,
        .check = dg_check_output_used_inside,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "duplicate-return",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a delegate gives each value once",
        .reason = "a backend that counts its results by value gives too few, and the "
                  "later ones change places",
        .fix = "return it once, and let both users read that",
        .example = "a lowered module returns (add, add)",
        .issue = "#22787",
        .level = "pt2",
        .query = duplicate_return,
    },
    {0},
};

const struct dg_verifier dg_verifier_partition = {"partition", rules};
