/* Where the inputs of a call come from: files, the program's samples, or a generator.
 */
#ifndef DG_EXEC_INPUTS_H
#define DG_EXEC_INPUTS_H

#include "base/text_set.h"
#include "exec/schedule.h"
#include "formats/tensor_file.h"

/* One value for each input of the schedule; those that are no user inputs stay NONE. */
struct dg_inputs {
    struct dg_arg *values;
    size_t n_values;
    const char *source; /* "samples", "random, seed 0", or the file */
    struct dg_arena memory;
};

/* By in0, in1... (the user inputs in their order, constant ones left out), or by name.
 * Fails naming what is missing, not known, or does not fit: "in1 is f64 [2,3]; input
 * mask is f32 [2,s0]". Clear *inputs even on failure. */
enum dg_status dg_inputs_of_set(struct dg_inputs *inputs,
                                const struct dg_schedule *schedule,
                                const struct dg_value_set *set, struct dg_error *err);

/* The example inputs that a method of a .pt2 carries, for the inputs of `schedule`;
 * *found false when it has none. `file`: its bytes. */
enum dg_status dg_inputs_of_samples(struct dg_inputs *inputs, bool *found,
                                    const struct dg_schedule *schedule,
                                    int64_t method_id, struct dg_store *store,
                                    struct dg_bytes file, struct dg_error *err);

/* Seeded random inputs: floats N(0,1), integers that fit how they are used (indices
 * stay below the size of what they index), sizes inside their ranges. */
enum dg_status dg_inputs_random(struct dg_inputs *inputs,
                                const struct dg_schedule *schedule, uint64_t seed,
                                struct dg_error *err);
void dg_inputs_clear(struct dg_inputs *inputs);

/* A tensor of one element as the Python scalar that it stands for; else the value. */
struct dg_arg dg_scalar_of(const struct dg_arg *value);

/* Which outputs the values of a set belong to, in their order: those of the user, or,
 * where there are as many values, mutated inputs in front of them, as ExecuTorch's
 * runtime gives both. Borrows the set. */
struct dg_expected {
    const struct dg_value_set *set; /* NULL: nothing is expected */
    bool has_names;                 /* else values stand in order */
    bool mutations;                 /* mutated inputs, too */
    bool unpaired; /* there are as many values as neither has: nothing can be said */
    size_t n_users, n_values;
    struct dg_expected_output {
        bool belongs;
        const struct dg_arg *value; /* by out0..., which count what belongs, or by its
                                       name; NULL: the set has none */
    } * outputs;                    /* by output of the schedule */
    struct dg_text_set names;       /* of the set's values */
    const struct dg_arg **of_name;
    struct dg_arena memory;
};
void dg_expected_begin(struct dg_expected *expected, const struct dg_schedule *schedule,
                       const struct dg_value_set *set);
void dg_expected_end(struct dg_expected *expected);
/* The value of that name (for steps: their FX name), or NULL. */
const struct dg_arg *dg_expected_named(const struct dg_expected *expected,
                                       const char *name);
/* An expected value, if any, as it stands for one of the kind of `own`: an array of one
 * element for a number. Borrows what `expected` holds. */
struct dg_arg dg_expected_like(const struct dg_arg *expected, const struct dg_arg *own);
/* Fails where a value has a name that is no output's and no step's, saying which there
 * are. */
enum dg_status dg_expected_check(const struct dg_schedule *schedule,
                                 const struct dg_value_set *set, struct dg_error *err);
#endif
