/* The files that were given with a program, and how many weights they share. */
#include "gate/weights.h"

#include "reports/rows.h"

/* Weights of a program that were looked for; tied ones are one. And those that could
 * not be: the file does not have their bytes, or not as they are. */
static const char companions_sql[] =
    "SELECT path, a.kind, role, size_bytes, iif(role = 'program',"
    "  count(DISTINCT c.xxh3) + (SELECT count(DISTINCT target) FROM method AS m"
    "   CROSS JOIN graph AS g ON g.method_id = m.id AND m.artifact_id = a.id"
    "   CROSS JOIN signature ON graph_id = g.id AND direction = 'input'"
    "    AND spec IN ('parameter', 'buffer', 'constant_tensor')"
    "   WHERE target NOT IN (SELECT fqn FROM constant WHERE artifact_id = a.id"
    "    AND (found IS NOT NULL OR nbytes = 0) AND fqn IS NOT NULL)), NULL) AS "
    "weights, iif(role = 'program', count(DISTINCT"
    "  iif(found IN ('whole', 'inside'), c.xxh3, NULL)), NULL) AS weights_found"
    " FROM artifact AS a LEFT JOIN constant AS c ON c.artifact_id = a.id"
    "  AND found <> 'trivial' WHERE companion_of = ?1 GROUP BY a.id ORDER BY a.id";

enum { WEIGHTS = 4, WEIGHTS_FOUND };

/* Whether the rule says what became of the others. */
static bool others_are_judged(struct dg_store *store)
{
    struct dg_error ignored = {0};
    int64_t found = 0;

    return !dg_store_int(store,
                         "SELECT count(*) FROM finding WHERE rule ="
                         " 'constant/program-data' AND severity = 'error'",
                         0, &found, &ignored) &&
           found;
}

static enum dg_status read_words(struct dg_writer *out, struct dg_store *store,
                                 int64_t artifact, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, companions_sql, artifact, err);

    while (dg_rows_next(&rows)) {
        int64_t n = dg_rows_int_or(&rows, WEIGHTS, 0);
        int64_t n_found = dg_rows_int_or(&rows, WEIGHTS_FOUND, 0);

        if (n)
            dg_print(out, "; found %lld of %lld weights of the program",
                     (long long)n_found, (long long)n);
        if (n > n_found && !others_are_judged(store))
            dg_print(out, ", %lld not judged", (long long)(n - n_found));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Most programs come alone: that is asked first, in a tenth of the time. */
static enum dg_status has_companions(bool *has, struct dg_store *store,
                                     int64_t artifact, struct dg_error *err)
{
    int64_t found = 0;
    enum dg_status status = dg_store_int_of(
        store, "SELECT EXISTS (SELECT 1 FROM artifact WHERE companion_of = ?1)",
        artifact, 0, &found, err);

    *has = found != 0;
    return status;
}

enum dg_status dg_weights_read(struct dg_outcome *out, struct dg_store *store,
                               int64_t artifact, struct dg_arena *memory,
                               struct dg_error *err)
{
    struct dg_writer words = {0}, companions = {0};
    bool has = false;
    enum dg_status status = has_companions(&has, store, artifact, err);

    if (!status && has)
        status = read_words(&words, store, artifact, err);
    if (!status && has)
        status = dg_write_query(&companions, store, companions_sql, artifact, err);
    if (!has)
        dg_print(&companions, "[]");
    out->weights = dg_keep(memory, &words);
    out->companions = dg_keep(memory, &companions);
    return status;
}
