#include "cli/run_state.h"

#include <stdio.h>

#include "base/output.h"
#include "verifiers/verifier.h"

static const char rule[] = "memory/mutable-initial-state";

static enum dg_status tell(const char *path, struct dg_store *store,
                           struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store,
                    "SELECT message, count(*) OVER () - 1 FROM finding WHERE rule = ?1"
                    " ORDER BY id LIMIT 1",
                    err);
    struct dg_error note = {0};

    dg_rows_bind_text(&rows, 1, dg_text(rule));
    if (dg_rows_next(&rows)) {
        int64_t more = dg_rows_int(&rows, 1);
        char others[40] = "";

        if (more)
            snprintf(others, sizeof(others), ", and %lld more", (long long)more);
        dg_fail(&note, DG_OK,
                "note: %.300s%s: what rests on that differs, whatever the nodes compute"
                " (delegraph rules %s)",
                dg_rows_text(&rows, 0), others, rule);
        dg_complain_about(path, &note);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status note_pair(const char *pte, const char *pt2, struct dg_error *err)
{
    static const char *const rules[] = {rule};
    const struct dg_selection selection = {.select = rules, .n_select = 1};
    struct dg_input input = {0};
    enum dg_status status = dg_input_open(&input, pte, DG_HASH_QUICK, err);

    if (!status)
        status = dg_input_join(&input, pt2, "program", DG_HASH_QUICK, err);
    if (!status)
        status = dg_verify(input.store, &selection, NULL, NULL, err);
    if (!status)
        status = tell(pte, input.store, err);
    dg_input_close(&input);
    return status;
}

enum dg_status dg_run_note_state(const struct dg_run_session *session,
                                 struct dg_error *err)
{
    const struct dg_run_program *program = &session->program,
                                *against = &session->against;

    if (!session->given->against || dg_verbosity.quiet || program->bundled ||
        against->bundled || program->schedule.is_pte == against->schedule.is_pte)
        return DG_OK;
    return program->schedule.is_pte
               ? note_pair(program->input.path, against->input.path, err)
               : note_pair(against->input.path, program->input.path, err);
}
