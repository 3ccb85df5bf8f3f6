/* The gate: which findings a program has, and whether they let it pass. */
#include "cli/gate.h"

#include <string.h>

#include "graph/call_sums.h"
#include "reports/sections/section.h"

bool dg_gate_alone(const struct dg_gate *gate)
{
    return !gate->target.data.n_items && !gate->target.programs.n_items;
}

enum dg_status dg_gate_join(const struct dg_gate *gate, struct dg_input *input,
                            struct dg_error *err)
{
    const struct dg_target_options *target = &gate->target;
    enum dg_status status = dg_target_options_apply(target, input, err);

    if (!status)
        status = dg_plan_option_apply(&gate->plan, gate->doubt, input, err);
    /* budget/delegated-share counts what has costs. */
    if (!status && target->limits.n_items && target->programs.n_items)
        status = dg_call_sums_store(input->store, err);
    return status;
}

enum dg_status dg_gate_run(const struct dg_gate *gate, struct dg_input *input,
                           dg_verified_fn *told, void *context, struct dg_error *err)
{
    enum dg_status status = dg_gate_join(gate, input, err);

    if (!status && gate->baseline) /* rules baseline/... then have something to say */
        status = dg_store_set(input->store, "baseline", dg_text(""), err);
    return status ? status
                  : dg_verify(input->store, &gate->selection, told, context, err);
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
