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

/* An event is wrong of a method where its instruction is no such one: it lies behind
 * the last, or is of another kind, or of another operator. What fits is a method
 * without any, and best one all of whose calls were made. */
#define FITTING                                                                        \
    "WITH " FIRST ", said AS MATERIALIZED (SELECT DISTINCT profile_id, instruction,"   \
    "   iif(part IS NULL, name, 'part') AS name"                                       \
    "   FROM profile_event WHERE instruction IS NOT NULL AND " OF_PROFILE "),"         \
    "wrong AS MATERIALIZED (SELECT DISTINCT profile_id, method"                        \
    "  FROM said CROSS JOIN first"                                                     \
    "  LEFT JOIN node ON node.id = first.id + instruction AND instruction < first.n"   \
    "  LEFT JOIN op ON op.id = op_id"                                                  \
    "  WHERE CASE WHEN said.name IN ('DELEGATE_CALL', 'part')"                         \
    "    THEN node.kind IS NOT 'delegate_call'"                                        \
    "    WHEN said.name = 'OPERATOR_CALL' THEN node.kind IS NOT 'kernel_call'"         \
    "    ELSE node.id IS NULL OR said.name GLOB 'native_call_*'"                       \
    "     AND substr(op.name, instr(op.name, '::') + 2)"                               \
    "      IS NOT substr(said.name, 13) END),"                                         \
    "made AS MATERIALIZED (SELECT profile_id, count(DISTINCT instruction) AS n"        \
    "  FROM said WHERE name IN ('OPERATOR_CALL', 'DELEGATE_CALL') GROUP BY "           \
    "profile_id),"                                                                     \
    "calls AS MATERIALIZED (SELECT first.method, count(*) AS n FROM first JOIN node"   \
    "   ON node.id BETWEEN first.id AND first.id + first.n - 1"                        \
    "    AND node.kind IN ('kernel_call', 'delegate_call') GROUP BY first.method),"    \
    "fits AS MATERIALIZED (SELECT profile.id AS profile, first.method,"                \
    "   made.n IS calls.n AS whole FROM profile CROSS JOIN first"                      \
    "   LEFT JOIN made ON made.profile_id = profile.id"                                \
    "   LEFT JOIN calls ON calls.method = first.method"                                \
    "  WHERE profile.method_id IS NULL AND profile.id IN (SELECT profile_id FROM "     \
    "said)"                                                                            \
    "   AND (profile.id, first.method) NOT IN (SELECT profile_id, method FROM "        \
    "wrong)),"                                                                         \
    "best AS MATERIALIZED (SELECT profile, method, count(*) OVER (PARTITION BY "       \
    "profile)"                                                                         \
    "   AS n FROM fits WHERE whole = (SELECT max(whole) FROM fits AS f"                \
    "    WHERE f.profile = fits.profile))"

static const char methods_sql[] =
    FITTING "UPDATE profile SET method_id = (SELECT method FROM best"
            "   WHERE best.profile = profile.id AND n = 1)"
            " WHERE id IN (SELECT profile FROM best)";

/* Of several that fit as well as each other, none is taken. */
static const char several_sql[] = FITTING
    "INSERT INTO remark (artifact_id, rule, text) SELECT p.artifact_id,"
    " 'profile/several-methods', printf('%lld %s of any of %lld methods:"
    " %s; the first is run %lld', count(DISTINCT p.id),"
    "  iif(count(DISTINCT p.id) = 1, 'run may be', 'runs may be'),"
    "  count(DISTINCT best.method), group_concat(DISTINCT method.name), min(p.idx))"
    "  FROM best JOIN profile AS p ON p.id = best.profile"
    "  JOIN method ON method.id = best.method WHERE n > 1 GROUP BY p.artifact_id";

static const char nodes_sql[] =
    "WITH " FIRST "UPDATE profile_event SET node_id = (SELECT first.id + instruction"
    "   FROM profile JOIN first ON first.method = method_id AND instruction < first.n"
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

    if (!status)
        status = run(store, several_sql, artifact, err);
    return status ? status : run(store, nodes_sql, artifact, err);
}
