/* What the parts of a run share. */
#ifndef DG_EXEC_RUN_PARTS_H
#define DG_EXEC_RUN_PARTS_H

#include "exec/ancestry.h"
#include "exec/call_linear.h"
#include "exec/run.h"
#include "exec/slice.h"

enum {
    DG_EVALUATION_REFERENCE,
    DG_EVALUATION_WIDE,
    DG_EVALUATION_OWN_SUMS,
    DG_EVALUATION_GRIDS, /* own sums on other grids, if ranges are looked for */
    DG_EVALUATION_TESTED = DG_EVALUATION_GRIDS + DG_GRIDS,
    DG_LEGS
};

/* A machine in its role. */
struct dg_evaluation {
    struct dg_machine machine;
    bool open;
    bool lost; /* it failed or went another way: what it holds says nothing */
    struct dg_tensor **keys; /* by step: what it put in order */
    double seconds;
};

/* Which steps, inputs and outputs of another program belong to which of this one.
 * DG_NO_STEP, SIZE_MAX: none. Outputs of the user belong together when there are as
 * many. */
struct dg_matching {
    uint32_t *steps;
    uint32_t *named;  /* by step: which of `steps` to tell of */
    uint32_t *firsts; /* by step: where what it was matched together with begins;
                         DG_NO_STEP: it is alone */
    bool *joint;    /* by step: one of the two does more steps' work, so that they read
                   something else */
    bool *doubtful; /* by step: only its place among those of its operator says which
                       of the other program's it is */
    size_t *inputs, *outputs;
    size_t n_users, n_other_users; /* outputs of the user, here and there */
};

struct dg_comparison {
    const struct dg_numeric_request *request;
    struct dg_numeric_answer *answer;
    const struct dg_schedule *schedule;
    struct dg_schedule apart; /* of a .pte: what the references run */
    bool alone;               /* the program is judged by itself */
    struct dg_evaluation evaluations[DG_LEGS];
    struct dg_evaluation
        *tested; /* the reference itself, or evaluations[DG_EVALUATION_TESTED] */
    struct dg_slice **slices;       /* by slot; views share that of what they show */
    struct dg_slice **own_cones;    /* by slot, when a call begins */
    uint32_t *ordered_by;           /* by slot of indices: the step that made them */
    uint32_t *made_by;              /* by slot: the step that wrote it last */
    struct dg_matching matching;    /* of `against` */
    struct dg_arg *captured;        /* by step: what the other program has there */
    struct dg_tensor **read_shapes; /* by step: dg_note_shapes(); NULL */
    struct dg_arg *kept_outputs;    /* by output: what the other program gave; NULL */
    struct dg_expected expected, actual; /* of the call */
    bool other_grid;         /* what quantizes is held to what a delegate makes of it */
    bool expects;            /* calls have values that something else gave */
    bool meets_at_codes;     /* evaluations go on from codes that both programs have */
    bool only_steps;         /* outputs were judged before */
    enum dg_not_fed not_fed; /* the other program's step; else it read what this one's
                                did */
    bool *inner;             /* by step: nobody outside of its partition reads it */
    struct dg_evaluation whole;  /* of a part: the program that it is part of */
    struct dg_arg *part_inputs;  /* by input */
    size_t *part_input_of;       /* by slot: number of the input and 1; 0: none */
    struct dg_slice_step before; /* of the last step of the reference */
    struct dg_linear_sums linear_sums;
    uint64_t damaged; /* guard zones, before the call */
    struct dg_arena memory;
};

/* Evaluations. */
enum dg_status dg_evaluation_begin(struct dg_evaluation *evaluation,
                                   const struct dg_arg *inputs, struct dg_error *err);
enum dg_status dg_evaluation_step(struct dg_evaluation *evaluation, uint32_t i,
                                  uint32_t *next, struct dg_error *err);
/* Steps from `i` on, to the end of the call. */
enum dg_status dg_evaluation_run(struct dg_evaluation *evaluation, uint32_t i,
                                 struct dg_error *err);
/* Value of a slot of an evaluation; NONE when the evaluation is lost or closed. Drop
 * it.
 */
void dg_evaluation_read(struct dg_evaluation *evaluation, uint32_t slot,
                        struct dg_arg *value);
/* Make the tensors of a value its own. */
void dg_keep_copy(struct dg_arg *value);

/* Step `i` of the reference, with slices and orders kept. */
enum dg_status dg_comparison_step(struct dg_comparison *comparison, uint32_t i,
                                  uint32_t *next, struct dg_error *err);
/* Values of the slots that a step reads, in their order. */
struct dg_reads {
    uint32_t *slots;
    struct dg_arg *values;
    size_t n;
};
/* What the reference is about to read: it may be gone after the step, or changed. */
void dg_read_arguments(struct dg_comparison *comparison, uint32_t i,
                       struct dg_reads *reads);
void dg_reads_clear(struct dg_reads *reads);

/* Step `i` of all evaluations. `substituted`: what the reference reads there, for the
 * others to read instead of their own; NULL: their own. */
enum dg_status dg_comparison_step_all(struct dg_comparison *comparison, uint32_t i,
                                      uint32_t *next,
                                      const struct dg_reads *substituted,
                                      struct dg_error *err);
/* The same step once more, in the evaluations beside the reference. */
enum dg_status dg_comparison_step_again(struct dg_comparison *comparison, uint32_t i,
                                        uint32_t next,
                                        const struct dg_reads *substituted,
                                        struct dg_error *err);
/* Whether the other program, if there is one, has this step, too. */
bool dg_has_counterpart(const struct dg_comparison *comparison, uint32_t i);
/* Whether one of the two is inside of a delegate. */
bool dg_has_node_inside(const struct dg_comparison *comparison, uint32_t i);
/* A list of shares of what step `i` of the evaluation has just made. */
void dg_capture_results(struct dg_evaluation *evaluation, uint32_t i,
                        struct dg_arg *values);

/* Steps that were not compared, from what step `i` reads back to what passed. */
void dg_comparison_candidates(struct dg_comparison *comparison, uint32_t i);
/* The same from outputs that fail: results behind `from`. */
void dg_comparison_candidates_of_outputs(struct dg_comparison *comparison, size_t from);

/* Put the other program's name before the error of its evaluation. */
enum dg_status dg_comparison_name(const struct dg_comparison *comparison,
                                  enum dg_status status, struct dg_error *err);

/* All steps of a call side by side, each judged. */
enum dg_status dg_comparison_lockstep(struct dg_comparison *comparison,
                                      struct dg_error *err);

/* What is compared at one place: a share of every evaluation's value. */
struct dg_place {
    uint32_t slot; /* of the schedule; DG_NO_STEP: none */
    struct dg_arg values[DG_LEGS];
    const struct dg_arg *expected; /* NULL: the reference */
    struct dg_slice slice;
};
void dg_place_drop(struct dg_place *place);
/* What stands behind a value. */
void dg_evidence_take(struct dg_evidence *evidence, const struct dg_slice *slice);
/* Fills all but step, output, name and op of *result. */
void dg_comparison_judge(struct dg_comparison *comparison,
                         struct dg_numeric_result *result,
                         const struct dg_place *place);
enum dg_status dg_comparison_outputs(struct dg_comparison *comparison,
                                     struct dg_error *err);
/* The same of what something else gave; slices: by slot. */
enum dg_status dg_comparison_actual(struct dg_comparison *comparison,
                                    const struct dg_slice *slices,
                                    struct dg_error *err);

/* Where all outputs from `first` on pass, a step that fails and may be another one than
 * it was held to is not compared. */
void dg_comparison_excuse_doubtful(struct dg_comparison *comparison, size_t first);

/* Why the value cannot be what the program has in that slot: another dtype, or a shape
 * that it does not give. "": it can. */
enum dg_status dg_hold_to_declared(char why[200],
                                   const struct dg_comparison *comparison,
                                   uint32_t slot, const struct dg_arg *value,
                                   struct dg_error *err);
/* Steps that did not run in this call. */
void dg_comparison_not_compared(struct dg_comparison *comparison);

/* Parts. Close even when opening failed. */
enum dg_status dg_part_open(struct dg_comparison *comparison, struct dg_error *err);
enum dg_status dg_part_inputs(struct dg_comparison *comparison,
                              const struct dg_arg *inputs, struct dg_error *err);
void dg_part_close(struct dg_comparison *comparison);

/* Other programs. */

/* What lowering made of a step of an exported program, at the end of it. */
struct dg_handle_match {
    uint32_t first, program; /* steps of the program, from the one that has the number
                                to that whose result... */
    uint32_t lowered;        /* ...this step has */
    uint32_t named;          /* the lowered step to tell of */
    bool is_joint;           /* several steps of either became one, or the reverse */
    bool is_doubtful;        /* both end with moves: equal sizes may hide another layout
                              */
};
/* A step that lowering put between others: it only moves what its first argument holds.
 */
bool dg_step_passes_on(const struct dg_step *step);
/* *n matches into room for as many as `lowered` has steps; hosts[]: which step of the
 * program each of those is that is in no delegate, DG_NO_STEP where that is not known.
 * `ancestry` is added to; NULL. */
void dg_match_handles(struct dg_handle_match *matches, size_t *n,
                      const struct dg_schedule *program,
                      const struct dg_schedule *lowered, const uint32_t *hosts,
                      struct dg_ancestry *ancestry, struct dg_arena *memory);
enum dg_status dg_match(struct dg_matching *matching,
                        const struct dg_schedule *schedule,
                        const struct dg_schedule *other, struct dg_arena *memory,
                        struct dg_error *err);

/* Inputs of this program in the order of the other one's signature; borrowed: `inputs`
 * holds the tensors. */
struct dg_arg *dg_inputs_of_other(const struct dg_matching *matching,
                                  const struct dg_schedule *other,
                                  const struct dg_inputs *inputs,
                                  struct dg_arena *memory);

/* run_judge_step.c */
struct dg_judged_step {
    uint32_t i;
    bool substituted; /* the evaluations were */
    bool once;        /* judge for `alone`, add no result */
};

/* Judge all results of a step, and add them to the answer; the worst verdict. */
enum dg_verdict dg_step_judge(struct dg_comparison *comparison,
                              const struct dg_judged_step *judged);

/* Whether a step that fails does so alone, too, with what the reference read: one that
 * passes was only handed errors. answer->alone is told of it. Steps that write what
 * they read cannot be run once more, nor can those be substituted that read something
 * else than their counterparts: those do not. */
enum dg_status dg_step_alone(struct dg_comparison *comparison,
                             struct dg_judged_step judged, uint32_t next,
                             const struct dg_reads *reads, bool *fails,
                             struct dg_error *err);

/* Result `result` of `n_ours` of a step, out of the list of what the other program's
 * has: several results are one list in a .pt2, and so many slots in a .pte. */
void dg_pick_result(struct dg_arg *value, const struct dg_arg *results, size_t n_ours,
                    size_t result);
/* What a node inside of a delegate gave, in the shape of the program's step, where only
 * sizes of 1 differ. */
void dg_take_shape(struct dg_arg *value, const struct dg_tensor *like);
/* Of the other program's counterpart of step `i`, which is about to run: the shapes of
 * what it reads, where one of the two is inside of a delegate. */
void dg_note_shapes(struct dg_comparison *comparison, uint32_t i);
/* The same of a value that is to be its argument number `read`. */
void dg_take_read_shape(const struct dg_comparison *comparison, uint32_t i, size_t read,
                        struct dg_arg *value);

/* run_comparison.c */
/* Clear it even if that fails. */
enum dg_status dg_comparison_open(struct dg_comparison *comparison,
                                  const struct dg_numeric_request *request,
                                  bool expects, struct dg_numeric_answer *answer,
                                  struct dg_error *err);
void dg_comparison_close(struct dg_comparison *comparison);
void dg_evaluation_close(struct dg_evaluation *evaluation);

#endif
