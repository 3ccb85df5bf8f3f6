/* What is wrong with the outputs of a run, as remarks for the rules numerics/... */
#include "exec/run_remarks.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* Where a store was written by someone else, names may mean nothing: then a remark is
 * about the program. */
static const char insert_sql[] =
    "INSERT INTO remark(artifact_id, rule, method_id, value_id, text)"
    " SELECT a.id, ?1, m.id, s.value_id, ?4 FROM artifact AS a"
    " LEFT JOIN method AS m ON m.artifact_id = a.id AND m.name = ?2"
    " LEFT JOIN \"graph\" AS g ON g.method_id = m.id AND g.path = ''"
    " LEFT JOIN signature AS s ON s.graph_id = g.id AND s.direction = 'output'"
    "  AND s.pos = ?3"
    " WHERE a.companion_of IS NULL ORDER BY a.id, m.id, g.id LIMIT 1";

enum dg_status dg_numeric_remark(const struct dg_numeric_place *place, const char *rule,
                                 int64_t output, struct dg_text text,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(place->store, insert_sql, err);

    dg_rows_bind_text(&rows, 1, dg_text(rule));
    if (place->method)
        dg_rows_bind_text(&rows, 2, dg_text(place->method));
    dg_rows_bind_int(&rows, 3, output);
    dg_rows_bind_text(&rows, 4, text);
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* "call 1: output linear_1" */
static void write_output(struct dg_writer *out, const struct dg_numeric_answer *answer,
                         size_t call, const struct dg_numeric_result *result)
{
    bool named = strncmp(result->name, "output ", strlen("output ")) != 0;

    if (answer->n_calls > 1)
        dg_print(out, "call %zu: ", call);
    dg_print(out, "%s%s", named ? "output " : "", result->name);
}

/* " (SNR 24.3 dB, max abs 1.06e-02 at element 3: 0.5, expected 0.49)"; why may have
 * told of the SNR or the element already. */
static void write_figures(struct dg_writer *out, const struct dg_judgement *judgement)
{
    const struct dg_metrics *metrics = &judgement->metrics;

    if (metrics->count < 1 || metrics->exact)
        return;
    dg_print(out, " (");
    if (isfinite(metrics->snr_db) && strncmp(judgement->why, "SNR ", 4) != 0)
        dg_print(out, "SNR %.1f dB, ", metrics->snr_db);
    dg_print(out, "max abs %.2e", metrics->max_abs);
    if (metrics->worst >= 0 && !strstr(judgement->why, "element "))
        dg_print(out, " at element %lld: %.9g, expected %.9g",
                 (long long)metrics->worst, metrics->worst_got, metrics->worst_ref);
    dg_print(out, ")");
}

static enum dg_status remark_result(const struct dg_numeric_place *place,
                                    const struct dg_numeric_answer *answer, size_t call,
                                    const struct dg_numeric_result *result,
                                    struct dg_error *err)
{
    const struct dg_judgement *judgement = &result->judgement;
    bool fails = judgement->verdict == DG_VERDICT_FAIL;
    const char *rule = fails                 ? "numerics/output"
                       : judgement->unstable ? "numerics/unstable"
                                             : "numerics/skipped";
    int64_t output =
        result->tested == SIZE_MAX ? DG_NO_OUTPUT : (int64_t)result->tested;
    struct dg_writer text = {0};
    enum dg_status status;

    write_output(&text, answer, call, result);
    dg_print(&text, "%s: %s", fails || judgement->unstable ? "" : " was not compared",
             judgement->why);
    if (fails)
        write_figures(&text, judgement);
    dg_print(&text, "; held to %s", place->held_to);
    status = dg_numeric_remark(place, rule, output, dg_written(&text), err);
    dg_writer_clear(&text);
    return status;
}

/* Which of the results are told one by one: where all are skipped, one remark says so.
 */
static bool is_told(const struct dg_numeric_answer *answer,
                    const struct dg_numeric_result *result)
{
    enum dg_verdict verdict = result->judgement.verdict;
    bool compared =
        answer->counts[DG_VERDICT_PASS] > 0 || answer->counts[DG_VERDICT_FAIL] > 0;

    return verdict == DG_VERDICT_FAIL ||
           (verdict == DG_VERDICT_SKIP && result->counted &&
            (compared || result->judgement.unstable));
}

static size_t call_of(const struct dg_numeric_answer *answer, size_t result)
{
    size_t call = 0;

    while (call < answer->n_calls && answer->first_of_call[call + 1] <= result)
        call++;
    return call;
}

/* Nothing compared is no success. */
static enum dg_status remark_nothing(const struct dg_numeric_place *place,
                                     const struct dg_numeric_answer *answer,
                                     struct dg_error *err)
{
    const struct dg_numeric_result *first = NULL;
    int64_t n = answer->counts[DG_VERDICT_SKIP];
    struct dg_writer text = {0};
    enum dg_status status;

    for (size_t i = 0; i < answer->n_results && !first; i++)
        if (answer->results[i].counted)
            first = &answer->results[i];
    if (!first)
        dg_print(&text, "it has no output that can be compared");
    else if (n == 1)
        dg_print(&text, "its only output is not compared: %s", first->judgement.why);
    else
        dg_print(&text, "none of %lld outputs is compared; the first: %s", (long long)n,
                 first->judgement.why);
    dg_print(&text, "; held to %s", place->held_to);
    status = dg_numeric_remark(place, "numerics/compared", DG_NO_OUTPUT,
                               dg_written(&text), err);
    dg_writer_clear(&text);
    return status;
}

enum dg_status dg_numeric_remark_results(const struct dg_numeric_place *place,
                                         const struct dg_numeric_answer *answer,
                                         bool ended, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < answer->n_results && !status; i++) {
        const struct dg_numeric_result *result = &answer->results[i];

        if (is_told(answer, result))
            status = remark_result(place, answer, call_of(answer, i), result, err);
    }
    if (!status && ended && !answer->counts[DG_VERDICT_PASS] &&
        !answer->counts[DG_VERDICT_FAIL])
        status = remark_nothing(place, answer, err);
    return status;
}

/* Of several instructions that write a value, the last one. */
static const char place_sql[] =
    "WITH told AS MATERIALIZED (SELECT value_id FROM remark"
    "   WHERE rule GLOB 'numerics/*' AND value_id IS NOT NULL),"
    "made AS (SELECT value_id, max(id) AS id FROM ("
    "   SELECT value_id, id FROM node WHERE value_id IN (SELECT value_id FROM told)"
    "   UNION ALL SELECT value_id, node_id FROM operand WHERE access <> 'read'"
    "    AND value_id IN (SELECT value_id FROM told)) GROUP BY value_id)"
    "UPDATE remark SET node_id = made.id FROM made"
    " WHERE remark.rule GLOB 'numerics/*' AND made.value_id = remark.value_id";

enum dg_status dg_numeric_place_remarks(struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, place_sql, err);

    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}
