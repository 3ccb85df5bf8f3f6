/* One run of the command line: opening what it names, and closing it. */
#include "cli/run_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/numeral.h"
#include "cli/answer.h"
#include "cli/target_options.h"
#include "formats/reader.h"
#include "kernels/cpu/thread_pool.h"

struct dg_run_options dg_run_options_default(void)
{
    return (struct dg_run_options){.device = "cpu",
                                   .format = "text",
                                   .seed = -1,
                                   .max_skip = -1,
                                   .limits = DG_NO_LIMITS,
                                   .choice.hops = -1};
}

static enum dg_status open_device(struct dg_run_session *session, struct dg_error *err)
{
    const char *name = session->given->device, *number = name + strlen("cuda");
    char description[300];
    int64_t ordinal = 0;
    struct dg_error refused = {0};

    if (!strcmp(name, "cpu") && (session->given->require_gpu || session->given->tf32))
        return dg_fail(err, DG_ERR_USAGE, "%s is about --device cuda",
                       session->given->tf32 ? "--tf32" : "--require-gpu");
    if (!strcmp(name, "cpu"))
        return DG_OK;
    if (strncmp(name, "cuda", strlen("cuda")) || (*number && *number != ':') ||
        (*number && !dg_read_count(&ordinal, number + 1)) || ordinal > 1023)
        return dg_fail(err, DG_ERR_USAGE,
                       "--device %.80s: expected cpu, cuda or cuda:N", name);
    session->device_open = true;
    if (!dg_cuda_open(&session->device, (int)ordinal, &refused)) {
        session->request.device = &session->device;
        session->request.device_name = dg_copy(
            &session->memory, dg_text(dg_cuda_describe(&session->device, description,
                                                       sizeof(description))));
        return DG_OK;
    }
    if (session->given->require_gpu || refused.status != DG_ERR_DEVICE) {
        *err = refused;
        return err->status;
    }
    if (!dg_verbosity.quiet)
        fprintf(stderr, "delegraph: %s; running on the CPU\n", refused.text);
    return DG_OK;
}

static bool takes_data(const struct dg_run_program *program)
{
    return dg_reader_pte.recognises(program->input.file);
}

static enum dg_status join_data(struct dg_run_session *session,
                                struct dg_run_program *program, struct dg_error *err)
{
    const struct dg_list *data = &session->given->data;
    enum dg_status status =
        dg_join_companions(&program->input, session->data_paths, session->n_data_paths,
                           "data", DG_HASH_NONE, err);

    return status ? status
                  : dg_join_companions(&program->input, data->items, data->n_items,
                                       "data", DG_HASH_NONE, err);
}

static enum dg_status hold_to_runtime(struct dg_run_session *session,
                                      struct dg_run_program *program,
                                      struct dg_error *err)
{
    bool refused;
    enum dg_status status = dg_run_refused(program, &refused, err);

    if (refused)
        session->refused = program;
    return status;
}

static enum dg_status open_against(struct dg_run_session *session, struct dg_error *err)
{
    const struct dg_run_options *given = session->given;
    const char *path = given->against;
    const char *method = given->against_method ? given->against_method
                         : given->method       ? given->method
                                               : session->program.schedule.method;
    enum dg_status status;

    if (!path)
        return DG_OK;
    status = dg_run_program_open(&session->against, path, given->against_artifact, err);
    if (!status && takes_data(&session->against))
        status = join_data(session, &session->against, err);
    if (!status)
        status = dg_run_program_schedule(&session->against, method, true, err);
    if (!status)
        status = hold_to_runtime(session, &session->against, err);
    session->request.against = &session->against.schedule;
    session->request.against_store = session->against.input.store;
    session->request.against_path = path;
    return status;
}

static enum dg_status choose(struct dg_run_session *session, struct dg_error *err)
{
    const struct dg_run_choice *choice = &session->given->choice;
    const struct dg_schedule *whole = &session->program.schedule;
    bool *chosen = dg_alloc(&session->memory, whole->n_steps + 1, sizeof(*chosen));
    enum dg_status status;

    session->request.schedule = whole;
    if (!choice->partition && !choice->nodes && !choice->around)
        return DG_OK;
    if (session->given->against)
        return dg_fail(err, DG_ERR_USAGE, "--against is about whole programs");
    if (session->given->expected.n_items)
        return dg_fail(err, DG_ERR_USAGE, "--expected is about whole programs");
    status = dg_run_choose(&session->program, choice, chosen, &session->request.part,
                           &session->memory, err);
    if (!status)
        status = dg_schedule_part(&session->part, whole, chosen, err);
    session->request.schedule = &session->part;
    session->request.whole = whole;
    return status;
}

/* With --isolate, what a plan groups is judged as a unit. */
static enum dg_status group(struct dg_run_session *session, struct dg_error *err)
{
    const struct dg_schedule *schedule = &session->program.schedule;
    int64_t *partition_of;
    bool found;
    enum dg_status status;

    if (!session->given->isolate || session->request.whole || schedule->is_pte)
        return DG_OK;
    partition_of =
        dg_alloc(&session->memory, schedule->n_steps + 1, sizeof(*partition_of));
    status = dg_run_partitions(&session->program, partition_of, &found, err);
    if (found)
        session->request.partition_of = partition_of;
    return status;
}

/* What only some other option heeds. */
static enum dg_status check_given(const struct dg_run_options *given,
                                  struct dg_error *err)
{
    struct stat state;

    if (given->choice.hops >= 0 && !given->choice.around)
        return dg_fail(err, DG_ERR_USAGE, "--hops needs --around NODE");
    if (given->reduce && !stat(given->reduce, &state) && !S_ISDIR(state.st_mode))
        return dg_fail(err, DG_ERR_USAGE, "--reduce %.200s: a file, expected a folder",
                       given->reduce);
    if (given->reduce &&
        (given->choice.partition || given->choice.nodes || given->choice.around))
        return dg_fail(err, DG_ERR_USAGE, "--reduce is about whole programs");
    if (given->reduce && given->isolate)
        return dg_fail(err, DG_ERR_USAGE,
                       "--reduce looks for the first node that is wrong, and --isolate "
                       "leads no error from one to the next");
    if (given->seed >= 0 && given->inputs.n_items)
        return dg_fail(err, DG_ERR_USAGE,
                       "--seed is about random inputs, and --inputs are given");
    return DG_OK;
}

/* Options of a run, which what runs nothing does not heed. */
static bool asks_for_run(const struct dg_run_options *given)
{
    const struct dg_run_choice *choice = &given->choice;

    return given->inputs.n_items || given->against || given->save || given->store ||
           given->seed >= 0 || given->repeats || given->reduce || given->each ||
           given->isolate || given->bisect || strcmp(given->device, "cpu") ||
           choice->partition || choice->nodes || choice->around;
}

/* What is compared without a run has no inputs, devices or nodes. */
static enum dg_status check_actual(const struct dg_run_options *given,
                                   struct dg_error *err)
{
    if (!given->actual.n_items)
        return DG_OK;
    if (asks_for_run(given))
        return dg_fail(err, DG_ERR_USAGE,
                       "--actual compares with --expected, and runs nothing");
    return given->expected.n_items
               ? DG_OK
               : dg_fail(err, DG_ERR_USAGE, "--actual needs --expected");
}

static enum dg_status check_coverage(const struct dg_run_options *given,
                                     struct dg_error *err)
{
    const struct dg_limits *limits = &given->limits;
    bool judges = given->expected.n_items || given->actual.n_items ||
                  limits->rtol >= 0 || limits->atol >= 0 || limits->min_snr >= 0;

    return given->coverage && (judges || asks_for_run(given))
               ? dg_fail(err, DG_ERR_USAGE,
                         "--coverage tells what can be run, and runs nothing")
               : DG_OK;
}

static enum dg_status open_calls(struct dg_run_session *session, struct dg_error *err)
{
    const struct dg_run_options *given = session->given;

    return given->actual.n_items
               ? dg_run_actual_calls(&session->calls, &session->program, &given->actual,
                                     &given->expected, err)
               : dg_run_calls(&session->calls, &session->program,
                              given->against ? &session->against : NULL, &given->inputs,
                              &given->expected, given->seed, err);
}

static int processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 && n < 1024 ? (int)n : 1;
}

static int threads_of(int64_t wanted)
{
    return wanted < DG_THREADS_MOST ? (int)wanted : DG_THREADS_MOST;
}

static void fill_request(struct dg_run_session *session)
{
    const struct dg_run_options *given = session->given;
    struct dg_numeric_request *request = &session->request;

    request->store = session->program.input.store;
    request->n_threads = given->threads ? threads_of(given->threads) : processors();
    request->each = given->each;
    request->isolate = given->isolate;
    request->bisect = given->bisect || given->reduce;
    request->n_repeats = given->repeats;
    request->tf32 = given->tf32 && request->device;
    request->seed = session->calls.seed;
    if (given->limits.rtol >= 0 || given->limits.atol >= 0 ||
        given->limits.min_snr >= 0)
        request->given = &given->limits;
}

enum dg_status dg_run_prepare(struct dg_run_session *session, char **paths, int n_paths,
                              struct dg_error *err)
{
    const struct dg_run_options *given = session->given;
    struct dg_run_program *program = &session->program;
    enum dg_status status = check_given(given, err);

    dg_heap_keep_pages();
    if (!status)
        status = check_actual(given, err);
    if (!status)
        status = check_coverage(given, err);
    if (!status)
        status = dg_run_program_open(program, paths[0], given->artifact, err);
    session->data_paths = (const char *const *)paths + 1;
    session->n_data_paths = (size_t)n_paths - 1;
    if (!status && (takes_data(program) || !given->against))
        status = join_data(session, program, err);
    if (!status)
        status =
            dg_plan_option_apply(&given->plan, DG_PLAN_WARNS, &program->input, err);
    if (!status)
        status = dg_run_program_schedule(program, given->method, given->against, err);
    if (given->coverage)
        return status;
    if (!status && given->reduce && program->schedule.is_pte)
        status = dg_fail(err, DG_ERR_USAGE,
                         "--reduce takes nodes out of a .pt2: name it first, and the "
                         ".pte by --against");
    if (!status && !given->actual.n_items)
        status = hold_to_runtime(session, program, err);
    if (!status)
        status = open_against(session, err);
    if (!status)
        status = choose(session, err);
    if (!status)
        status = group(session, err);
    if (!status)
        status = open_device(session, err);
    if (!status)
        status = open_calls(session, err);
    if (!status)
        fill_request(session);
    return status;
}

struct dg_run_answer dg_run_session_answer(const struct dg_run_session *session)
{
    const struct dg_run_options *given = session->given;

    return (struct dg_run_answer){
        .request = &session->request,
        .answer = &session->answer,
        .calls = session->calls.calls,
        .n_calls = session->calls.n_calls,
        .path = session->program.input.path,
        .method = session->request.schedule->method,
        .inputs = session->calls.calls->inputs->source,
        .reduced = session->reduced,
        .color = dg_wants_color(given->output),
        .steps = given->each || given->isolate,
    };
}

void dg_run_session_close(struct dg_run_session *session)
{
    dg_numeric_clear(&session->answer);
    dg_run_calls_clear(&session->calls);
    dg_schedule_clear(&session->part);
    if (session->device_open)
        dg_cuda_close(&session->device);
    dg_run_program_close(&session->against);
    dg_run_program_close(&session->program);
    dg_arena_clear(&session->memory);
}
