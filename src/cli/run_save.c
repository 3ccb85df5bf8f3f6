/* What a run leaves behind: its outputs, and a store with its results. */
#include "cli/run_session.h"
#include "cli/store_output.h"

enum dg_status dg_run_save(const struct dg_run_session *session, struct dg_error *err)
{
    const struct dg_schedule *schedule = session->request.schedule;
    const struct dg_numeric_answer *answer = &session->answer;
    struct dg_arena memory = {0};
    struct dg_named_value *values =
        dg_alloc(&memory, answer->n_outputs + 1, sizeof(*values));
    size_t n = 0, number = 0;
    enum dg_status status;

    for (size_t i = 0; i < answer->n_outputs; i++) {
        enum dg_arg_kind kind = answer->outputs[i].kind;

        if (!dg_is_user_output(&schedule->outputs[i]))
            continue;
        if (kind != DG_ARG_NONE && kind != DG_ARG_STRING && kind != DG_ARG_UNKNOWN)
            values[n++] = (struct dg_named_value){
                dg_format(&memory, "out%zu", number).data, answer->outputs[i], true};
        number++;
    }
    status = dg_npz_write(session->given->save, values, n, err);
    dg_arena_clear(&memory);
    return status;
}

/* A new store, with the program loaded once more: rows have the same ids there. */
static enum dg_status fill_store(struct dg_run_session *session, const char *aside,
                                 struct dg_error *err)
{
    struct dg_numeric_request request = session->request;
    struct dg_store *store = NULL;
    enum dg_status status = dg_store_create_file(&store, aside, err);

    request.store = store;
    if (!status)
        status = dg_input_load(&session->program.input, store, DG_HASH_ALL, err);
    if (!status)
        status = dg_numeric_store(&request, &session->answer, session->calls.calls,
                                  session->calls.n_calls, err);
    if (!status)
        status = dg_store_commit(store, err);
    dg_store_close(store);
    return status;
}

enum dg_status dg_run_write_store(struct dg_run_session *session, struct dg_error *err)
{
    struct dg_output output = {0};
    enum dg_status status = dg_store_output_begin(&output, session->given->store, err);

    if (status)
        return status;
    status = fill_store(session, output.aside, err);
    return dg_output_finish(&output, status, err);
}
