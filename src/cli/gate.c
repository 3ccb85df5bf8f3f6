/* The gate: which findings a program has, and whether they let it pass. */
#include "cli/gate.h"

#include <stdlib.h>
#include <string.h>

#include "cli/against.h"
#include "reports/sections/section.h"

bool dg_gate_alone(const struct dg_gate *gate)
{
    return !gate->target.data.n_items && !gate->target.programs.n_items;
}

enum dg_status dg_gate_join(const struct dg_gate *gate, struct dg_input *input,
                            struct dg_error *err)
{
    enum dg_status status = dg_target_options_apply(&gate->target, input, err);

    if (!status)
        status = dg_plan_option_apply(&gate->plan, gate->doubt, input, err);
    return status ? status : dg_against_apply(gate, input, err);
}

static enum dg_status set_severity(const struct dg_gate *gate, struct dg_store *store,
                                   const char *rule, struct dg_error *err)
{
    int severity = dg_policy_severity(gate->part, rule);
    struct dg_rows rows;
    enum dg_status status;

    if (severity < 0)
        return DG_OK;
    status = dg_rows_open(&rows, store,
                          "UPDATE finding SET severity = ?1 WHERE rule = ?2", err);
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(dg_severities[severity]));
    dg_rows_bind_text(&rows, 2, dg_text(rule));
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status set_severities(const struct dg_gate *gate, struct dg_store *store,
                                     struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char **rules = NULL;
    size_t n = 0;
    struct dg_rows rows = dg_rows_all(store, "SELECT DISTINCT rule FROM finding", err);
    enum dg_status status;

    while (dg_rows_next(&rows))
        *DG_APPEND(rules, n) = dg_rows_keep(&memory, &rows, 0).data;
    status = dg_rows_close(&rows, DG_OK, err);
    for (size_t i = 0; i < n && !status; i++)
        status = set_severity(gate, store, rules[i], err);
    free(rules);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_gate_verify(const struct dg_gate *gate, struct dg_store *store,
                              dg_verified_fn *told, void *context, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (gate->baseline) /* rules baseline/... then have something to say */
        status = dg_store_set(store, "baseline", dg_text(""), err);
    if (!status && gate->policy.policy.n_passes) /* and policy/... */
        status = dg_store_set(store, "policy", dg_text(""), err);
    if (!status && gate->policy.policy.n_parts)
        status = dg_store_set(store, "policy-files", dg_text(""), err);
    if (!status && gate->is_new)
        status = dg_store_set(store, "new-program", dg_text(gate->target.against), err);
    if (!status)
        status = dg_verify(store, &gate->selection, told, context, err);
    if (!status && gate->part->keys[DG_POLICY_SEVERITY].n_items)
        status = set_severities(gate, store, err);
    return status;
}

enum dg_status dg_gate_run(const struct dg_gate *gate, struct dg_input *input,
                           dg_verified_fn *told, void *context, struct dg_error *err)
{
    enum dg_status status = dg_gate_join(gate, input, err);

    return status ? status : dg_gate_verify(gate, input->store, told, context, err);
}

enum dg_status dg_gate_count(int64_t counts[DG_N_SEVERITIES], struct dg_store *store,
                             int64_t artifact, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(store,
                   "SELECT total(severity = 'error'), total(severity = 'warning'),"
                   " total(severity = 'note') FROM finding WHERE " DG_OWN_FINDINGS,
                   artifact, err);

    if (dg_rows_next(&rows))
        for (int i = 0; i < DG_N_SEVERITIES; i++)
            counts[i] = dg_rows_int(&rows, i);
    return dg_rows_close(&rows, DG_OK, err);
}

int dg_gate_fails_from(const struct dg_gate *gate)
{
    const char *from = gate->fail_on ? gate->fail_on : "error";

    return strcmp(from, "never") ? dg_severity_number(dg_text(from)) + 1 : 0;
}

bool dg_gate_fails(const struct dg_gate *gate, const int64_t counts[DG_N_SEVERITIES])
{
    bool fails = false;

    for (int i = 0; i < dg_gate_fails_from(gate); i++)
        fails = fails || counts[i];
    return fails;
}
