/* What the runtime refuses, crashes on or computes with what nobody wrote is not run.
 */
#include "cli/run_program.h"
#include "verifiers/verifier.h"

/* The ids of the rules that see it; how many there are. */
static size_t rules_of_refusal(const char **ids, struct dg_arena *memory)
{
    size_t n = 0;

    for (size_t i = 0; dg_verifiers[i]; i++) {
        for (const struct dg_rule *rule = dg_verifiers[i]->rules; rule->name; rule++) {
            if (rule->refused && ids)
                ids[n] =
                    dg_format(memory, "%s/%s", dg_verifiers[i]->name, rule->name).data;
            n += rule->refused;
        }
    }
    return n;
}

/* Some findings of such rules are milder than the rest: those run. */
static bool is_refusal(const struct dg_rows *row)
{
    const struct dg_rule *rule = dg_rule_find(dg_rows_text(row, 0), NULL);
    enum dg_severity severity;

    return rule && dg_severity_find(&severity, dg_rows_slice(row, 2)) &&
           severity >= rule->severity;
}

enum dg_status dg_run_refused(struct dg_run_program *program, bool *refused,
                              struct dg_error *err)
{
    size_t n = rules_of_refusal(NULL, NULL);
    const char **ids = dg_alloc(&program->memory, n, sizeof(*ids));
    struct dg_selection selection = {.select = ids, .n_select = n};
    struct dg_rows rows;
    enum dg_status status;

    *refused = false;
    if (!program->schedule.is_pte)
        return DG_OK;
    rules_of_refusal(ids, &program->memory);
    status = dg_verify(program->input.store, &selection, NULL, NULL, err);
    if (!status)
        status = dg_rows_open(&rows, program->input.store,
                              "SELECT rule, message, severity FROM finding WHERE true"
                              " AND (method_id IS NULL OR method_id = ?1) ORDER BY id",
                              err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, program->schedule.method_id);
    while (!*refused && dg_rows_next(&rows))
        *refused = is_refusal(&rows);
    if (*refused)
        status = dg_fail(err, DG_ERR_FORMAT,
                         "%s: method %.80s is not run, as check finds %s: %.300s",
                         program->input.path, program->schedule.method,
                         dg_rows_text(&rows, 0), dg_rows_text(&rows, 1));
    return dg_rows_close(&rows, status, err);
}
