/* Running a program and judging what it gives: what `delegraph run` does.
 *
 * Evaluations are machines that run the same schedule: the reference (sums in f64,
 * rounded once), the wide evaluation (f64 throughout), the evaluation of own sums (as a
 * plain loop in the dtype sums), and, unless that is the reference itself, the tested
 * one: a device, or another program. */
#ifndef DG_EXEC_RUN_H
#define DG_EXEC_RUN_H

#include "exec/compare.h"
#include "exec/inputs.h"
#include "exec/machine.h"

/* One of the calls: where inputs come from, and what is expected. */
struct dg_numeric_call {
    const struct dg_inputs *inputs;
    const struct dg_value_set *expected; /* NULL: the reference */
    const struct dg_value_set *actual; /* what something else gave: nothing is run, and
                                          all calls have both; NULL */
};

struct dg_numeric_request {
    struct dg_store *store;
    const struct dg_schedule *schedule; /* a whole method, or a part */
    const struct dg_schedule *whole;    /* of a part: what it is part of; else NULL */
    const struct dg_schedule
        *against; /* another program with the same signature; NULL */
    struct dg_store *against_store;
    const struct dg_device *device; /* NULL: the host */
    int n_threads;
    bool each;    /* judge every step */
    bool isolate; /* and feed it with what the reference computed */
    bool bisect;  /* find the first step beyond its floor */
    int64_t n_repeats;
    bool tf32;
    const struct dg_limits *given; /* instead of the policy; NULL */
    const int64_t
        *partition_of; /* of each step: number of its partition, -1: none; with
                          isolate, partitions are judged as units; NULL */
    /* What rows of num_run tell. */
    const char *part, *against_path, *device_name;
    int64_t seed; /* -1: not random */
};

/* A judged value. */
struct dg_numeric_result {
    uint32_t step;         /* UINT32_MAX: an output of the method */
    size_t output;         /* index into schedule->outputs */
    size_t tested;         /* the same of the program that was tested; SIZE_MAX: none */
    const char *name, *op; /* op NULL of outputs */
    const char *other;     /* the step of the program that is held to it; NULL */
    enum dg_type type;     /* NONE: no tensor */
    const char *shape;     /* "[2,3]"; NULL: no tensor */
    enum dg_tolerance tolerance;
    bool counted; /* false of None and strings that agree: not in the summary */
    struct dg_judgement judgement;
};

/* Why a step was not run with what the reference reads in place of its own. */
enum dg_not_fed {
    DG_FED,
    DG_FED_NOT_WRITER, /* it writes what it reads */
    DG_FED_NOT_JOINT,  /* one of the two does more steps' work */
    DG_FED_NOT_STATE,  /* what it reads is kept between calls */
    DG_FED_NOT_OTHER,  /* the other program's step reads something else */
    DG_FED_NOT_RUN,    /* it fails so: arguments of a .pte lie on each other */
    DG_N_NOT_FED
};

/* "what is read there is written, too"; NULL of those that were. */
extern const char *const dg_not_fed_words[DG_N_NOT_FED];

/* A step that did not run, or rests on one. */
struct dg_not_compared {
    uint32_t step, origin; /* origin: the step that is missing; itself if it is that */
    const char *node, *op, *why;
};

struct dg_numeric_answer {
    struct dg_numeric_result *results; /* outputs, call by call */
    size_t n_results;
    size_t *first_of_call;           /* n_calls + 1 indices into results */
    size_t n_calls;                  /* that ended */
    struct dg_numeric_result *steps; /* of the last call, in execution order */
    size_t n_steps;
    struct dg_not_compared *not_compared; /* of the last call */
    size_t n_not_compared;
    size_t culprit;                 /* of bisect: index into steps; SIZE_MAX: none */
    bool confirmed;                 /* it fails alone, too, with reference values */
    struct dg_judgement alone;      /* the culprit so; skip: it could not be, and why */
    size_t n_not_fed[DG_N_NOT_FED]; /* of the last call, isolated: steps that have a
                                       counterpart and are not among `steps` */
    uint32_t *candidates; /* when it passes alone: steps of the schedule before it that
                           were not compared, the nearest first; where all were, those
                           that it reads */
    size_t n_candidates;
    bool candidates_pass; /* all were, and are off by less than is told */
    int64_t counts[3];    /* of outputs, by verdict */
    bool repeats_equal;   /* bit for bit */
    uint64_t peak_bytes, fallbacks;
    bool used_lapack;
    double seconds;         /* of the tested evaluation */
    struct dg_arg *outputs; /* of the last call, tested evaluation: one per output */
    size_t n_outputs;
    struct dg_arena memory;
};

/* Its outputs; NULL when no call has any. */
static inline const struct dg_numeric_result *
dg_results_of_call(const struct dg_numeric_answer *answer, size_t call)
{
    return answer->n_results ? answer->results + answer->first_of_call[call] : NULL;
}

/* Run the calls in order on one instance. When one fails, what was judged before it is
 * in *answer all the same. Clear *answer whether or not this succeeds. */
enum dg_status dg_numeric_run(struct dg_numeric_answer *answer,
                              const struct dg_numeric_request *request,
                              const struct dg_numeric_call *calls, size_t n_calls,
                              struct dg_error *err);
void dg_numeric_clear(struct dg_numeric_answer *answer);

/* Whether expected files count this output: it is neither a mutated buffer nor input.
 */
bool dg_is_user_output(const struct dg_io *output);

/* Whether a step computes: moves, jumps and choices out of lists do not. */
bool dg_step_computes(const struct dg_step *step);

/* Rows of num_run and num_result. */
enum dg_status dg_numeric_store(const struct dg_numeric_request *request,
                                const struct dg_numeric_answer *answer,
                                const struct dg_numeric_call *calls, size_t n_calls,
                                struct dg_error *err);

extern const char *const dg_verdict_names[];   /* pass, fail, skip */
extern const char *const dg_tolerance_names[]; /* exact, rounded, ... */

#endif
