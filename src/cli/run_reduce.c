/* run --reduce DIR: the smallest part that still shows what is wrong, as files. */
#include "cli/run_reduce.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/store_output.h"
#include "exec/reduce.h"
#include "reports/picture/svg.h"
#include "reports/views/view.h"

struct reduce {
    struct dg_run_session *session;
    struct dg_repro repro;
    struct dg_run_reduced *paths;
    struct dg_error *err;
};

static const char *path_in(struct dg_run_session *session, const char *name)
{
    const char *folder = session->given->reduce;
    size_t length = strlen(folder);

    while (length > 1 && folder[length - 1] == '/')
        length--;
    return dg_format(&session->memory, "%.*s/%s", (int)length, folder, name).data;
}

static enum dg_status open_folder(struct reduce *reduce)
{
    const char *folder = reduce->session->given->reduce;

    if (mkdir(folder, 0777) && errno != EEXIST)
        return dg_fail(reduce->err, DG_ERR_IO, "%s: cannot make the folder: %s", folder,
                       strerror(errno));
    reduce->paths->folder = folder;
    reduce->paths->program = path_in(reduce->session, "repro.pt2");
    reduce->paths->inputs = path_in(reduce->session, "inputs.npz");
    reduce->paths->wrong = path_in(reduce->session, "wrong.npz");
    reduce->paths->store = path_in(reduce->session, "repro.db");
    reduce->paths->picture = path_in(reduce->session, "repro.svg");
    return DG_OK;
}

/* Numbers are part of the program. */
static enum dg_status write_inputs(const struct reduce *reduce)
{
    const struct dg_value_set *set = &reduce->repro.inputs;
    struct dg_arena memory = {0};
    struct dg_named_value *tensors =
        dg_alloc(&memory, set->n_values + 1, sizeof(*tensors));
    size_t n = 0;
    enum dg_status status;

    for (size_t i = 0; i < set->n_values; i++) {
        if (set->values[i].value.kind != DG_ARG_TENSOR)
            continue;
        tensors[n] = set->values[i];
        tensors[n].name = dg_format(&memory, "in%zu", n).data; /* names may be such */
        n++;
    }
    status = dg_npz_write(reduce->paths->inputs, tensors, n, reduce->err);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status write_files(struct reduce *reduce)
{
    const struct dg_value_set *wrong = &reduce->repro.wrong;
    enum dg_status status =
        dg_repro_write_pt2(&reduce->repro, reduce->session->request.store,
                           reduce->paths->program, reduce->err);

    if (!status)
        status = write_inputs(reduce);
    return status ? status
                  : dg_npz_write(reduce->paths->wrong, wrong->values, wrong->n_values,
                                 reduce->err);
}

static enum dg_status write_picture(const struct reduce *reduce, struct dg_store *store)
{
    struct dg_view_options wanted = {.path = reduce->paths->program, .artifact = 1};
    struct dg_picture picture = {0};
    struct dg_writer svg = {0};
    enum dg_status status =
        dg_view_find("graph")->build(&picture, store, &wanted, reduce->err);

    if (!status)
        status =
            dg_picture_svg(&svg, &picture, &(struct dg_svg_options){0}, reduce->err);
    if (!status)
        status = dg_output_write(reduce->paths->picture,
                                 (struct dg_text){svg.data, svg.size}, reduce->err);
    dg_writer_clear(&svg);
    dg_picture_clear(&picture);
    return status;
}

/* The files as a user would run them: what they show is what is promised. */
static enum dg_status run_files(const struct reduce *reduce)
{
    struct dg_run_options given = dg_run_options_default();
    struct dg_run_session session = {.given = &given};
    char *paths[] = {(char *)reduce->paths->program};
    enum dg_status status;

    given.inputs = (struct dg_list){{reduce->paths->inputs}, 1};
    given.expected = (struct dg_list){{reduce->paths->wrong}, 1};
    given.limits = reduce->session->given->limits;
    given.threads = reduce->session->given->threads;
    given.store = reduce->paths->store;
    session.answer.culprit = SIZE_MAX;
    status = dg_run_prepare(&session, paths, 1, reduce->err);
    if (!status)
        status = dg_numeric_run(&session.answer, &session.request, session.calls.calls,
                                session.calls.n_calls, reduce->err);
    if (!status && !session.answer.counts[DG_VERDICT_FAIL])
        status = dg_fail(reduce->err, DG_ERR_DEVICE,
                         "the part passes once it is written down: what is wrong is "
                         "lost with its strides or sizes");
    if (!status)
        status = dg_run_write_store(&session, reduce->err);
    if (!status)
        status = write_picture(reduce, session.program.input.store);
    dg_run_session_close(&session);
    return status;
}

static void note_steps(struct dg_run_reduced *reduced, const struct dg_repro *repro,
                       struct dg_arena *memory)
{
    const struct dg_schedule *part = &repro->part, *whole = repro->whole;

    reduced->steps = dg_alloc(memory, part->n_steps + 1, sizeof(*reduced->steps));
    for (size_t i = 0; i < whole->n_steps; i++) {
        if (!dg_step_computes(&whole->steps[i]))
            continue;
        reduced->n_whole++;
        if (repro->chosen[i])
            reduced->steps[reduced->n_steps++] = &whole->steps[i];
    }
}

enum dg_status dg_run_reduce_check(struct dg_run_session *session, struct dg_error *err)
{
    return dg_store_output_check(path_in(session, "repro.db"), err);
}

enum dg_status dg_run_reduce(struct dg_run_session *session, struct dg_error *err)
{
    struct dg_run_reduced *reduced = dg_alloc(&session->memory, 1, sizeof(*reduced));
    struct reduce reduce = {.session = session, .paths = reduced, .err = err};
    enum dg_status status;

    if (session->answer.culprit == SIZE_MAX && !session->answer.counts[DG_VERDICT_FAIL])
        return DG_OK;
    status = dg_reduce(&reduce.repro, &session->request, session->calls.calls,
                       session->calls.n_calls, &session->answer, err);
    if (!status)
        status = open_folder(&reduce);
    if (!status)
        status = write_files(&reduce);
    if (!status)
        status = run_files(&reduce);
    if (status == DG_ERR_DEVICE && reduced->program) {
        unlink(reduced->program);
        unlink(reduced->inputs);
        unlink(reduced->wrong);
    }
    if (!status) {
        note_steps(reduced, &reduce.repro, &session->memory);
        reduced->why = dg_copy(&session->memory, dg_text(reduce.repro.judgement.why));
        session->reduced = reduced;
    }
    dg_repro_clear(&reduce.repro);
    return status;
}
