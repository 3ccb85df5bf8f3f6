/* Parts of control flow. Private to exec/. */
#ifndef DG_EXEC_CONTROL_PARTS_H
#define DG_EXEC_CONTROL_PARTS_H

#include "exec/machine_parts.h"

/* A step of control flow that runs. */
struct dg_control {
    struct dg_machine *machine;
    struct dg_call_frame *frame;
    const struct dg_step *step;
    struct dg_arg *args; /* of the step: they borrow what slots hold */
    struct dg_error *err;
};

/* Values that are owned here: malloc, so that more can be appended. */
struct dg_values {
    struct dg_arg *items;
    size_t n;
};

void dg_values_push(struct dg_values *values, const struct dg_arg *value);
void dg_values_push_list(struct dg_values *values, const struct dg_arg *list);
void dg_values_clear(struct dg_values *values);

/* Run a schedule; its results are added to `results`. */
enum dg_status dg_control_run(struct dg_control *control,
                              const struct dg_schedule *schedule,
                              const struct dg_values *args, struct dg_values *results);

/* Copy `item` to place `i` of `length` in the first dimension of *all, which is made
 * with the first item. */
enum dg_status dg_stack(struct dg_machine *machine, struct dg_tensor **all,
                        struct dg_tensor *item, int64_t i, int64_t length,
                        struct dg_error *err);

/* vmap_join.c: what a step gave at each of `n` places, as one value; it is unknown
 * where one of them is. */
enum dg_status dg_join_places(struct dg_machine *machine, struct dg_arg *result,
                              const struct dg_arg *places, size_t n,
                              struct dg_error *err);
/* vmap_empty.c: what a step may read in the place of a batch that has no place, and the
 * batch of what it then gives, which has none either. */
enum dg_status dg_place_of_nothing(struct dg_machine *machine,
                                   const struct dg_arg *batch, struct dg_arg *place,
                                   struct dg_error *err);
enum dg_status dg_batch_of_nothing(struct dg_machine *machine,
                                   const struct dg_arg *place, struct dg_arg *batch,
                                   struct dg_error *err);

enum dg_status dg_run_while(struct dg_control *control, struct dg_values *results);
enum dg_status dg_run_scan(struct dg_control *control, struct dg_values *results);
enum dg_status dg_run_map(struct dg_control *control, struct dg_values *results);
enum dg_status dg_run_associative_scan(struct dg_control *control,
                                       struct dg_values *results);

#endif
