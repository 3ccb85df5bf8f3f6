/* Names of tags, constants and nodes, where tools or lowering take them for keys. */
#include "verifiers/naming_parts.h"
#include "verifiers/sql.h"

/* clang-format off */

/* Tags of the newest plans. */
#define TAGS                                                                           \
    "  FROM partition AS p JOIN \"graph\" AS g ON g.id = p.graph_id"                   \
    "  JOIN method AS m ON m.id = g.method_id"                                         \
    " WHERE p.part_run_id IN " DG_NEWEST_PLANS

static const char tag_charset[] =
    "SELECT m.id AS method, iif(p.tag = '', 'a tag is empty',"
    "   printf('tag %s has other characters than letters, digits, \"_\", \"-\" and \".\"',"
    "    json_quote(p.tag))) AS message"
    TAGS " AND (p.tag = '' OR p.tag GLOB '*[^A-Za-z0-9_.-]*')"
    " GROUP BY m.id, p.tag UNION ALL "
    "SELECT m.id, printf('tag %s stands for %lld backends: %s', p.tag,"
    "   count(DISTINCT p.backend), group_concat(DISTINCT p.backend))"
    TAGS " GROUP BY m.id, p.tag HAVING count(DISTINCT p.backend) > 1 ORDER BY 1, 2";

/* Several models of one archive may well have weights of their own: until they become
 * methods of one program, that is no mistake. Constants of a .pte belong to all methods;
 * equal bytes are stored once. */
static const char fqn_shadow[] =
    "SELECT c.artifact_id AS artifact, min(c.method_id) AS method,"
    "   printf('%s has %lld different contents: %s', fqn, count(DISTINCT xxh3),"
    "    iif(method.id IS NULL, 'constants ' || group_concat(c.idx, ', '),"
    "     'in methods ' || group_concat(DISTINCT method.name))) AS message,"
    "   iif(method.id, 'note', iif(c.kind = 'mutable', 'warning', 'error')) AS severity"
    "  FROM constant AS c LEFT JOIN method ON method.id = c.method_id"
    " WHERE fqn IS NOT NULL AND xxh3 IS NOT NULL GROUP BY c.artifact_id, fqn"
    " HAVING count(DISTINCT xxh3) > 1"
    "   AND (count(c.method_id) = 0 OR count(DISTINCT c.method_id) > 1)"
    " ORDER BY c.artifact_id, fqn";

/* Calls that instructions come of. Numbers are counted faster than texts. */
static const char debug_handle[] =
    "WITH calls AS MATERIALIZED (SELECT g.method_id AS method, count(*) AS n,"
    "    count(nullif(n.debug_handle, '0')) AS n_with, count(DISTINCT"
    "     CASE WHEN n.debug_handle GLOB '[1-9]*' THEN CAST(n.debug_handle AS INTEGER)"
    "      ELSE nullif(n.debug_handle, '0') END) AS handles"
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"
    "  JOIN node AS n ON n.graph_id = g.id"
    " WHERE method.ir = 'edge' AND g.kind <> 'lowered' AND n.kind = 'call_function'"
    "   AND n.op_id NOT IN (SELECT id FROM op WHERE name = '_operator.getitem')"
    " GROUP BY 1)"
    "SELECT method, printf('%lld of %lld calls have no debug handle', n - n_with, n)"
    "   AS message FROM calls WHERE n_with < n UNION ALL "
    "SELECT method, printf('%lld calls have %lld debug handle%s between them',"
    "   n_with, handles, iif(handles = 1, '', 's')) FROM calls WHERE handles < n_with ORDER BY 1, 2";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "tag-charset",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "tags are plain words, and each stands for one backend",
        .reason = "tools make names of files and clusters of them; of two backends the"
                  " last one takes all nodes of the tag",
        .fix =
            "let the partitioner make tags of letters, digits, \"_\", \"-\" and \".\"",
        .example = "tag \"conv/1\"; tag0 stands for XnnpackBackend and CudaBackend",
        .level = "pt2",
        .query = tag_charset,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "fqn-shadow",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a constant has the same bytes in all methods that name it",
        .reason = "as external data both have one key: lowering fails, or one method"
                  " computes with the weights of another",
        .fix = "give the modules different names before export",
        .example = "encoder and decoder both have a weight linear.weight of their own",
        .level = "pt2 pte",
        .query = fqn_shadow,
        .not_checked = "SELECT 'constants have no digests' WHERE EXISTS (SELECT 1 FROM"
                       " constant WHERE nbytes > 0) AND NOT EXISTS (SELECT 1 FROM"
                       " constant WHERE xxh3 IS NOT NULL)",
    },
    {
        .name = "placeholder-collision",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no node has a name that lowering gives to the copy of a constant",
        .reason = "lowering fails: two arguments have one name, or the copy another one"
                  " than its signature says",
        .fix = "rename the node, or leave the constant untagged",
        .example = "p_w is copied for two users, and there is a node p_w_copy_0",
        .level = "pt2",
        .check = dg_check_placeholder_collision,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "debug-handle",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "each call on the host has a debug handle of its own",
        .reason = "an ETDump cannot tell which operator of the program took the time",
        .fix =
            "nothing is wrong; operators that one was decomposed into share a handle",
        .example = "gelu became five operators, which all have debug handle 7",
        .level = "pt2",
        .query = debug_handle,
        .runs = DG_RUNS_ON_REQUEST,
    },
    {0},
};

const struct dg_verifier dg_verifier_naming = {"naming", rules};
