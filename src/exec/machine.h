/* A machine runs a schedule: one evaluation of a comparison. Several machines may share
 * a schedule. */
#ifndef DG_EXEC_MACHINE_H
#define DG_EXEC_MACHINE_H

#include "exec/device.h"
#include "exec/schedule.h"

/* A step that could not run, or rests on one. */
struct dg_unknown {
    uint32_t step;
    uint32_t origin; /* the step whose result is missing; itself when it is the first */
    const char *why; /* "no kernel", "delegate XnnpackBackend"; lives in the machine */
};

struct dg_linear_sums;

struct dg_machine {
    const struct dg_schedule *schedule;
    const struct dg_device *device;
    struct dg_context context;
    struct dg_arg *slots;         /* of the schedule: those of frames[0] */
    struct dg_call_frame *frames; /* by number of the schedule: what its slots hold */
    bool shows;                   /* steps run that are only looked at */
    int depth;                    /* of the schedule that runs */
    enum dg_type autocast;        /* under it: the type of products; else NONE */
    enum dg_type cast_to;         /* of the present call */
    /* between the reference and the wide evaluation; NULL: none */
    struct dg_linear_sums *linear_sums;
    const char *why; /* the first thing that could not run, of this step */
    unsigned char *
        *arenas; /* of a .pte: planned memory, 8 bytes for each in a wide run */
    struct dg_unknown *unknowns; /* of the present call */
    size_t n_unknowns;
    uint32_t turns;        /* of loops, in the present call */
    uint32_t batched_runs; /* of steps under vmap, in the present call */
    uint64_t fallbacks;    /* steps that ran on the host for want of a kernel */
    struct dg_arena memory, scratch;
};

/* `device` NULL: the host. Close *machine whether or not this succeeds. Buffers start
 * as the file says; they keep what calls write. */
enum dg_status dg_machine_open(struct dg_machine *machine,
                               const struct dg_schedule *schedule,
                               const struct dg_device *device,
                               enum dg_precision precision, int n_threads,
                               struct dg_error *err);
void dg_machine_close(struct dg_machine *machine);

/* Let go of what the present call computed, and was given; planned memory of a .pte
 * stays. */
void dg_machine_drop(struct dg_machine *machine);

/* Begin a call: what the last one computed is dropped, buffers stay. `inputs` has one
 * item for each input of the schedule; only those of user inputs (and of parts: all)
 * are read. Tensors are on the host; wide runs widen them. Fails naming the input that
 * does not fit the signature: count, dtype, rank, size. */
enum dg_status dg_machine_begin(struct dg_machine *machine, const struct dg_arg *inputs,
                                struct dg_error *err);
/* Run step `i`; *next is the step that follows (n_steps: the end). Errors name node, op
 * and what the kernel says. */
enum dg_status dg_machine_step(struct dg_machine *machine, uint32_t i, uint32_t *next,
                               struct dg_error *err);
/* All steps, then mutated buffers are written back. */
enum dg_status dg_machine_run(struct dg_machine *machine, struct dg_error *err);
/* What dg_machine_run() does behind the last step, for those who step by hand. */
enum dg_status dg_machine_finish(struct dg_machine *machine, struct dg_error *err);

/* The value of a slot on the host: a new share; tensors of a device are copied. UNKNOWN
 * where a step could not run. */
enum dg_status dg_machine_read(struct dg_machine *machine, uint32_t slot,
                               struct dg_arg *value, struct dg_error *err);
/* Whether a tensor of `value` lies in `storage`; lists are searched. */
bool dg_sees(const struct dg_arg *value, const struct dg_storage *storage);
/* Replace what a slot holds by `value` (of the host), converted to what this machine
 * keeps: how parts get another machine's values. */
enum dg_status dg_machine_write(struct dg_machine *machine, uint32_t slot,
                                const struct dg_arg *value, struct dg_error *err);
enum dg_status dg_machine_output(struct dg_machine *machine, size_t output,
                                 struct dg_arg *value, struct dg_error *err);

#endif
