/* One run of the command line: what was asked for, and all that it holds open. */
#ifndef DG_CLI_RUN_SESSION_H
#define DG_CLI_RUN_SESSION_H

#include "cli/artifact_option.h"
#include "cli/plan_option.h"
#include "cli/run_calls.h"
#include "cli/run_print.h"

struct dg_run_options {
    const char *method, *device, *against, *save, *format, *output, *store, *reduce;
    const char *artifact, *against_artifact; /* of a store; NULL: it has one */
    const char *against_method;              /* NULL: it has the same name there */
    struct dg_run_choice choice;
    struct dg_plan_option plan;
    struct dg_list inputs, expected, actual, data;
    int64_t seed, repeats, max_skip, threads;
    struct dg_limits limits;
    bool each, isolate, bisect, require_gpu, tf32, coverage;
};

/* A run of a whole program on the CPU, by the policy. */
struct dg_run_options dg_run_options_default(void);

/* All that a run holds open. */
struct dg_run_session {
    const struct dg_run_options *given;
    struct dg_run_program program, against;
    const struct dg_run_program *refused; /* by the runtime, which is why there is no
                                             run; NULL */
    const char *const *data_paths;        /* behind the program */
    size_t n_data_paths;
    struct dg_schedule part;
    struct dg_device device;
    bool device_open;
    struct dg_run_calls calls;
    struct dg_numeric_request request;
    struct dg_numeric_answer answer;
    struct dg_run_reduced *reduced; /* NULL: nothing was */
    struct dg_arena memory;
};

/* Open all that *session->given names, and fill the request; with --coverage only the
 * program with its data. Of `paths` the first is a program; the others are its data.
 * Close *session even on failure. */
enum dg_status dg_run_prepare(struct dg_run_session *session, char **paths, int n_paths,
                              struct dg_error *err);
/* What is told of it once it ran. */
struct dg_run_answer dg_run_session_answer(const struct dg_run_session *session);
void dg_run_session_close(struct dg_run_session *session);

/* --save and --store, after the run. */
enum dg_status dg_run_save(const struct dg_run_session *session, struct dg_error *err);
enum dg_status dg_run_write_store(struct dg_run_session *session, struct dg_error *err);

#endif
