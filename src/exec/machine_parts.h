/* Parts of the machine. Private to exec/. */
#ifndef DG_EXEC_MACHINE_PARTS_H
#define DG_EXEC_MACHINE_PARTS_H

#include "exec/machine.h"

/* What the slots of one schedule hold. */
struct dg_call_frame {
    const struct dg_schedule *schedule;
    struct dg_arg *slots;
    bool *reported;          /* by step: among the unknowns of this call */
    bool active;             /* a call of its schedule is under way */
    struct dg_arena scratch; /* of the present step */
};

/* Fails when loops have turned so often in this call that they may never end. */
enum dg_status dg_count_turn(struct dg_machine *machine, struct dg_error *err);

/* machine_values.c: values of slots. */

/* The value of a slot, loaded where it is a constant; NULL: failed. */
struct dg_arg *dg_slot_value(struct dg_machine *machine, struct dg_call_frame *frame,
                             uint32_t slot, struct dg_error *err);
/* An operand; *value borrows what slots hold, and its lists live in frame->scratch. */
enum dg_status dg_operand_value(struct dg_machine *machine, struct dg_call_frame *frame,
                                const struct dg_operand *operand, struct dg_arg *value,
                                struct dg_error *err);
/* Put a value of the host into a slot, as this machine keeps it, to be read only: who
 * writes into it gets a copy. */
enum dg_status dg_slot_lend(struct dg_machine *machine, struct dg_call_frame *frame,
                            uint32_t slot, const struct dg_arg *value,
                            struct dg_error *err);
void dg_slot_drop(struct dg_call_frame *frame, uint32_t slot);
/* Drop what a slot holds, unless a call must find it again. */
void dg_slot_release(struct dg_machine *machine, struct dg_call_frame *frame,
                     uint32_t slot);
/* The slot takes over `value`. */
void dg_slot_take(struct dg_call_frame *frame, uint32_t slot, struct dg_arg value);

/* Every slot that may see the bytes of `tensor` becomes `unknown`. */
void dg_poison(struct dg_call_frame *frame, const struct dg_tensor *tensor,
               struct dg_arg unknown);
/* The same of all bytes that were poisoned, in graphs that were called. */
void dg_poison_lost(struct dg_call_frame *frame, struct dg_arg unknown);

/* The item that is unknown, or NULL; lists are searched. */
const struct dg_arg *dg_unknown_in(const struct dg_arg *value);

/* transfer.c: conversions and copies. */

/* A copy on the host: one share. NULL: failed. */
struct dg_tensor *dg_to_host(struct dg_machine *machine, struct dg_tensor *tensor,
                             struct dg_error *err);
/* A tensor of the host where this machine keeps it, strides as they are: one share. */
struct dg_tensor *dg_to_device(struct dg_machine *machine, struct dg_tensor *tensor,
                               struct dg_error *err);
/* Any value, tensors and lists of them moved by one of the two above. */
typedef struct dg_tensor *dg_move_fn(struct dg_machine *machine,
                                     struct dg_tensor *tensor, struct dg_error *err);
enum dg_status dg_move_value(struct dg_machine *machine, dg_move_fn *move,
                             const struct dg_arg *from, struct dg_arg *to,
                             struct dg_error *err);
/* In f64 where this machine keeps floats so: one share. */
struct dg_tensor *dg_widened(struct dg_machine *machine, struct dg_tensor *tensor,
                             struct dg_error *err);
/* Write the elements of `from` into `to`, which has its shape; a `from` that only the
 * caller holds may be left with others. */
enum dg_status dg_write_into(struct dg_machine *machine, struct dg_tensor *to,
                             struct dg_tensor *from, struct dg_error *err);
/* The bytes under `to`, of a device, become those under `host`. */
enum dg_status dg_send_back(struct dg_machine *machine, struct dg_tensor *to,
                            struct dg_tensor *host, struct dg_error *err);
/* The same where `to` is the machine's own, and `from` lies elsewhere or broadcasts: by
 * way of the host where the device does not do it. */
enum dg_status dg_copy_into(struct dg_machine *machine, struct dg_tensor *to,
                            struct dg_tensor *from, struct dg_error *err);
/* A contiguous copy with memory of its own, as it is or in another type: one share.
 * NULL: failed. */
struct dg_tensor *dg_cast(struct dg_machine *machine, struct dg_tensor *tensor,
                          enum dg_type type, struct dg_error *err);
struct dg_tensor *dg_copied(struct dg_machine *machine, struct dg_tensor *tensor,
                            struct dg_error *err);
/* All bytes of its storage, as a tensor of them: one share. */
struct dg_tensor *dg_bytes_under(const struct dg_tensor *tensor);
bool dg_on_host(const struct dg_machine *machine);

/* call_step.c: one operator. */
enum dg_status dg_call_step(struct dg_machine *machine, struct dg_call_frame *frame,
                            uint32_t step, struct dg_error *err);

/* autocast.c: arguments of the first overload `op`, cast as torch's CPU autocast does.
 * Values in `owned`, one for each, are the caller's to drop. */
enum dg_status dg_autocast(struct dg_machine *machine, const char *op,
                           struct dg_arg *args, struct dg_arg *owned, size_t n_args,
                           struct dg_error *err);

/* The same of out_dtype: all become as wide as `out_type`, and the result has it. */
enum dg_status dg_widen_arguments(struct dg_machine *machine, enum dg_type out_type,
                                  struct dg_arg *args, struct dg_arg *owned,
                                  size_t n_args, struct dg_error *err);
enum dg_status dg_give_out_type(struct dg_machine *machine, enum dg_type out_type,
                                struct dg_arg *result, struct dg_error *err);

/* control.c: branches, loops and inlined graphs. */
enum dg_status dg_control_step(struct dg_machine *machine, struct dg_call_frame *frame,
                               uint32_t step, struct dg_error *err);
/* Whether a value is true: a bool, a number, a tensor of one element. */
enum dg_status dg_truth(struct dg_machine *machine, const struct dg_arg *value,
                        bool *truth, struct dg_error *err);

/* vmap.c: a step that reads values with a batch, at each place of it. */
enum dg_status dg_batched_step(struct dg_machine *machine, struct dg_call_frame *frame,
                               uint32_t step, struct dg_error *err);
/* vmap_dims.c: a dimension becomes the batch of a level, or is one again. */
enum dg_status dg_batch_step(struct dg_machine *machine, struct dg_call_frame *frame,
                             uint32_t step, struct dg_error *err);

/* machine_steps.c: a step by itself, without what follows it. */
enum dg_status dg_step_run(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t step, struct dg_error *err);

/* machine.c */
enum dg_status dg_frame_step(struct dg_machine *machine, struct dg_call_frame *frame,
                             uint32_t i, uint32_t *next, struct dg_error *err);
/* Mutated buffers take their new values. */
enum dg_status dg_frame_finish(struct dg_machine *machine, struct dg_call_frame *frame,
                               struct dg_error *err);
/* All results of a step are unknown, for want of what step `origin` did not make: the
 * step itself where it could not run. `why` NULL: because of `origin`. */
void dg_step_unknown(struct dg_machine *machine, struct dg_call_frame *frame,
                     uint32_t step, int64_t origin, const char *why);
/* "node NAME (OP): " before what *err says; returns `status`. */
enum dg_status dg_step_fail(const struct dg_step *step, enum dg_status status,
                            struct dg_error *err);

/* machine_pte.c: what only a .pte needs. */
enum dg_status dg_pte_open(struct dg_machine *machine, struct dg_error *err);
/* What a call did not know it computes anew in the next one. */
void dg_pte_begin(struct dg_machine *machine, struct dg_call_frame *frame);
void dg_pte_close(struct dg_machine *machine);
/* The result of an `.out` overload goes into the memory of its slot. */
enum dg_status dg_pte_give(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, const struct dg_arg *result,
                           struct dg_error *err);
/* Without an out argument, a slot that has no memory takes the result as it is. */
enum dg_status dg_pte_take(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, const struct dg_arg *result,
                           struct dg_error *err);
/* Nobody knows what a slot holds, nor what lies on the same bytes. */
void dg_pte_forget(struct dg_machine *machine, struct dg_call_frame *frame,
                   uint32_t slot, struct dg_arg unknown);
/* Before a kernel runs: spoil those arguments that its results lie on. */
void dg_pte_overlap(struct dg_machine *machine, struct dg_call_frame *frame,
                    const struct dg_step *step, const struct dg_arg *args);
/* The type, shape and strides that the file gives a tensor slot; NULL: it is none. */
const struct dg_tensor *dg_pte_declared(const struct dg_schedule *schedule,
                                        uint32_t slot);
/* Dense strides in the order of memory that `declared` has, for other sizes. */
void dg_pte_lay_out(struct dg_tensor *tensor, const struct dg_tensor *declared,
                    int64_t step);
/* A tensor in the type and order of dimensions of a slot, and of the shape of another.
 */
struct dg_tensor *dg_pte_unplanned(struct dg_machine *machine, uint32_t slot,
                                   const struct dg_tensor *like, struct dg_error *err);
enum dg_status dg_pte_clear(struct dg_machine *machine, unsigned char *bytes,
                            size_t size, struct dg_error *err);
/* What a slot holds that is a view without any instruction; memory for one that is read
 * before it is written. NULL: failed. */
struct dg_arg *dg_pte_show(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, struct dg_error *err);
struct dg_arg *dg_pte_room(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, struct dg_error *err);
void dg_pte_free(struct dg_machine *machine, struct dg_call_frame *frame,
                 uint32_t slot);

#endif
