#include "formats/profile_search.h"

/* Instructions of a method have consecutive ids. */
#define FIRST                                                                          \
    "first AS MATERIALIZED (SELECT method.id AS method, min(node.id) AS id,"           \
    "   count(*) AS n FROM method JOIN \"graph\" AS g ON g.method_id = method.id"      \
    "    AND g.kind = 'method' JOIN node ON node.graph_id = g.id"                      \
    "  WHERE method.artifact_id = ?1 GROUP BY method.id)"

#define OF_PROFILE                                                                     \
    "profile_id IN (SELECT profile.id FROM profile JOIN artifact"                      \
    "  ON artifact.id = profile.artifact_id AND companion_of = ?1"                     \
    "  AND role = 'profile')"

/* An event of an instruction that is no such one: it lies behind the last, or is of
 * another kind, or of another operator. */
static const char methods_sql[] =
    "WITH " FIRST ", said AS MATERIALIZED (SELECT DISTINCT profile_id, instruction, name"
    "   FROM profile_event WHERE instruction IS NOT NULL AND part IS NULL AND " OF_PROFILE
    "),"
    "wrong AS (SELECT profile_id, method FROM said CROSS JOIN first"
    "  LEFT JOIN node ON node.id = first.id + instruction AND instruction < first.n"
    "  LEFT JOIN op ON op.id = op_id"
    "  WHERE CASE said.name WHEN 'DELEGATE_CALL' THEN node.kind IS NOT 'delegate_call'"
    "    WHEN 'OPERATOR_CALL' THEN node.kind IS NOT 'kernel_call'"
    "    ELSE node.id IS NULL OR said.name GLOB 'native_call_*'"
    "     AND substr(op.name, instr(op.name, '::') + 2) IS NOT substr(said.name, 13) END)"
    "UPDATE profile SET method_id = (SELECT min(method) FROM first WHERE NOT EXISTS"
    "   (SELECT 1 FROM wrong WHERE wrong.profile_id = profile.id"
    "     AND wrong.method = first.method))"
    " WHERE method_id IS NULL AND id IN (SELECT profile_id FROM said)";

static const char nodes_sql[] =
    "WITH " FIRST "UPDATE profile_event SET node_id = (SELECT first.id + instruction"
    "   FROM profile JOIN first ON first.method = method_id"
    "   WHERE profile.id = profile_id)"
    " WHERE instruction IS NOT NULL AND node_id IS NULL AND " OF_PROFILE;

static enum dg_status run(struct dg_store *store, const char *sql, int64_t artifact,
                          struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, sql, artifact, err);

    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_find_profiled(struct dg_store *store, int64_t artifact,
                                struct dg_error *err)
{
    enum dg_status status = run(store, methods_sql, artifact, err);

    return status ? status : run(store, nodes_sql, artifact, err);
}
