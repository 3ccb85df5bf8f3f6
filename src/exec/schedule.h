/* A method as steps over slots: what a machine runs. Made from the rows of a .pt2 graph
 * (schedule_fx.c) or from the instructions of a .pte (schedule_pte.c). */
#ifndef DG_EXEC_SCHEDULE_H
#define DG_EXEC_SCHEDULE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/tensor.h"
#include "kernels/kernel.h"
#include "store/store.h"

/* An argument as a step states it: known, in a slot, or a list of both. */
struct dg_operand {
    enum { DG_OPERAND_LITERAL, DG_OPERAND_SLOT, DG_OPERAND_LIST } kind;
    struct dg_arg literal; /* holds no tensor: constants have slots */
    uint32_t slot;
    struct dg_operand *items;
    size_t n_items;
};

enum dg_step_kind {
    DG_STEP_CALL,       /* an operator: results = kernel(args) */
    DG_STEP_OPAQUE,     /* cannot run here: results are unknown; without results, so
                           are its arguments, which it may have written */
    DG_STEP_MOVE,       /* results[0] is args[0] from now on */
    DG_STEP_JUMP_FALSE, /* go to step `jump` when args[0] is false */
    DG_STEP_FREE,       /* results[0] loses its memory */
    DG_STEP_COND,       /* args: predicate, operands...; schedules: then, else */
    DG_STEP_WHILE, /* args: carried list, additional list; schedules: condition, body */
    DG_STEP_WHILE_STACKED, /* the same, which gives what each turn carries, stacked */
    DG_STEP_SCAN,   /* args: init list, xs list, additional list; schedules: body */
    DG_STEP_MAP,    /* args: xs list, positional list; schedules: body */
    DG_STEP_INLINE, /* args: operands...; schedules: the callee */
    DG_STEP_ASSOCIATIVE_SCAN, /* args: xs list, additional list; schedules: combine */
    DG_STEP_AUTOCAST, /* args: dtype or none, operands...; schedules: the callee,
                         whose products are made in that dtype */
    DG_STEP_ITEM,     /* results[0] is item args[1] of the list args[0] */
    DG_STEP_BATCH,    /* dimension args[1] of args[0] becomes the batch of `level` */
    DG_STEP_UNBATCH,  /* the batch of `level` in args[0], or args[1] copies of what has
                         none, become dimension args[2] */
    DG_STEP_NOTHING,  /* says what other steps say, too */
};

/* How an overload uses the functional kernel that it has. */
enum dg_variant {
    DG_VARIANT_FUNCTIONAL, /* results are new, or views as the kernel makes them */
    DG_VARIANT_COPY,       /* `*_copy` of a view: the view, made contiguous */
    DG_VARIANT_IN_PLACE,   /* the result is written into args[0] */
    DG_VARIANT_OUT,        /* results are written into the last arguments */
    DG_VARIANT_OUT_TYPE,   /* arguments become as wide as the type of the result */
};

struct dg_step {
    enum dg_step_kind kind;
    int64_t node_id;   /* row; 0: none. Inside of a delegate: of its call */
    int64_t inside_id; /* row of delegate_node; 0: none */
    const char *name;  /* FX name; op_<n> of an instruction; op_<n>/Conv2d_3 inside */
    const char *op;    /* as the file names it; NULL for moves, jumps and frees */
    const struct dg_kernel *kernel; /* of CALL */
    enum dg_variant variant;
    enum dg_type out_type; /* of OUT_TYPE */
    const struct dg_xnn_step
        *xnnpack;      /* of a node inside of an XNNPACK delegate; NULL */
    bool shown_only;   /* nobody reads what it gives but who looks at each step */
    double near_tie;   /* of quantize_per_tensor: see dg_call */
    bool quantizes;    /* see dg_call */
    uint32_t handle;   /* its debug handle: equal for what lowering made of one node of
                          the program; 0: none */
    uint32_t origin;   /* of a .pt2: equal for what one node of its first export became;
                          0: it does not say */
    const bool *fills; /* of OPAQUE, by argument: what it writes by its schema; without
                          one memory that nothing wrote before, which is given to be
                          written; NULL: none is */
    const char *why;   /* of OPAQUE: "no kernel", "delegate XnnpackBackend" */
    struct dg_operand *args; /* of CALL: in the order of the functional schema, defaults
                                filled in; out arguments are not among them */
    size_t n_args;
    struct dg_operand *outs; /* of OUT in a .pt2: what the results are written into */
    size_t n_outs;
    uint32_t *results; /* slots. An FX call with several results has one slot, a list:
                          getitem takes them. Of OUT in a .pte: the slots written to */
    size_t n_results;
    uint32_t *releases; /* slots that no later step reads */
    size_t n_releases;
    uint32_t jump;
    uint32_t level;  /* of BATCH and UNBATCH: a bit */
    uint32_t levels; /* of others: those of all that it reads; 0: it is in no vmap */
    struct dg_schedule **schedules;
    size_t n_schedules;
};

enum dg_slot_kind {
    DG_SLOT_COMPUTED,
    DG_SLOT_INPUT,    /* given by the caller of the method */
    DG_SLOT_CONSTANT, /* parameter, lifted tensor, scalar: `initial`; never written */
    DG_SLOT_BUFFER,   /* starts as `initial`, keeps what is written from call to call */
};

/* How it ends why a weight was not read that is a subclass of Tensor. */
#define DG_IS_PICKLED "is stored as a pickled object"

struct dg_slot {
    enum dg_slot_kind kind;
    const char *name;  /* of the value: FX name, or "value 7" */
    int64_t value_id;  /* row; 0: none */
    enum dg_type type; /* of a .pt2, computed: the dtype that the program says it has;
                          no float: not one of these, or none is known */
    struct dg_arg initial; /* NONE where computed; of a tensor slot of a .pte: a tensor
                              of its type, upper-bound shape and strides; of a tensor
                              input of a .pt2: of its type and example shape. These
                              two have no bytes to read */
    const char *missing;   /* why `initial` is not there: "weight w has no bytes"; NULL.
                              With `initial` UNKNOWN what reads it is not compared; else
                              it is an error */
    struct dg_operand *list; /* of a .pte list: what it holds, read when it is used */
    bool written; /* a step may write there, also through a view: it is kept */
    bool lent; /* a view of a constant whose readers take any float type by any strides:
                  a wide run does not widen it. Where the file has a copy it is none */
    bool zeros;       /* of a .pte: memory that is there before it is written */
    uint32_t shows;   /* of a .pte whose values have memory of their own: 1 + the slot
                         that   this is a view of; 0: none */
    uint32_t storage; /* of a .pt2: number of the bytes that hold it; 0: none */
    uint32_t levels;  /* of vmap, a bit each: those of which tensors here have a batch,
                         the outermost first, before their own dimensions */
    uint32_t within;  /* of what shares bytes that are written: 1 + the slot whose
                         memory holds all of them, maybe its own; 0: shares none */
    bool fixed;       /* of a .pte tensor: its sizes are static */
    bool is_nhwc;  /* inside of a delegate: an image, which is read and written as NCHW
                      from outside of its steps */
    int64_t arena; /* of a planned tensor; -1: memory of its own */
    uint64_t arena_offset, nbytes;
};

struct dg_io {
    uint32_t slot; /* DG_PORT_LITERAL: `literal` holds it */
    struct dg_arg literal;
    const char *name;    /* argument or value name; NULL */
    const char *kind;    /* tensor, sym_int, int, float, bool, string, none, ... */
    const char *spec;    /* user_input, parameter, buffer, user_output,
                            buffer_mutation, user_input_mutation, ...; a .pte: user_* */
    const char *target;  /* buffer or parameter name; NULL */
    uint32_t written_to; /* of a mutation: slot of the input that takes the value */
    enum dg_tolerance tolerance; /* of an output of what steps call: the loosest step
                                    behind it */
};

#define DG_IO_LITERAL UINT32_MAX

/* Bounds of a user input's symbolic dimension; dimensions of one symbol are equal. */
struct dg_dimension_range {
    uint32_t input; /* index into inputs */
    int dim;
    const char *symbol;  /* "s0" when the size is a plain symbol, else NULL */
    int64_t least, most; /* of the symbol; most INT64_MAX: none */
    int64_t hint;        /* size in the example; -1 */
};

struct dg_schedule {
    const char *method;
    int64_t method_id, graph_id, artifact_id;
    bool is_pte;
    struct dg_slot *slots;
    size_t n_slots;
    struct dg_step *steps;
    size_t n_steps;
    struct dg_io *inputs, *outputs; /* all of the signature, in its order */
    size_t n_inputs, n_outputs;
    struct dg_dimension_range *ranges;
    size_t n_ranges;
    uint64_t *arena_bytes; /* of a .pte, by number */
    uint64_t *arena_ends;  /* the same up to the last tensor in each */
    size_t n_arenas;
    uint32_t number;               /* 0; of the schedules that steps call: from 1 */
    struct dg_schedule **children; /* all schedules that steps call, at any depth */
    size_t n_children;
    bool writes;            /* a step, or one of a child, writes what it was given */
    size_t n_schedules;     /* that a run of this one may meet: numbers are below it */
    struct dg_arena memory; /* owns all of the above; tensors in `initial` are dropped
                               by dg_schedule_clear() */
};

/* The schedule of a graph of a .pt2, with branches and lowered modules that it calls.
 * `file` are the bytes of the program: weights are read in place. Clear *schedule even
 * on failure. */
enum dg_status dg_schedule_fx(struct dg_schedule *schedule, struct dg_store *store,
                              struct dg_bytes file, int64_t graph_id,
                              struct dg_error *err);

/* The schedule of a method of a .pte; `data` are the files of its .ptd companions, in
 * the order of their artifacts. */
struct dg_schedule_files {
    struct dg_bytes file;
    const struct dg_bytes *data;
    const int64_t *data_artifacts; /* artifact ids of `data` */
    size_t n_data;
};
enum dg_status dg_schedule_pte(struct dg_schedule *schedule, struct dg_store *store,
                               const struct dg_schedule_files *files, int64_t method_id,
                               struct dg_error *err);

/* Part of a schedule of a .pt2: the steps with chosen[i]. What they read from elsewhere
 * becomes inputs, what others read or the method returns becomes outputs. Shares the
 * memory of `whole`, which must outlive it. */
enum dg_status dg_schedule_part(struct dg_schedule *part,
                                const struct dg_schedule *whole, const bool *chosen,
                                struct dg_error *err);

/* The same schedule of a .pte with memory of its own for each value. Shares the memory
 * of `whole`, which must outlive it. */
void dg_schedule_apart(struct dg_schedule *apart, const struct dg_schedule *whole);

/* Make a buffer that begins with zeros of a slot whose initial tensor has no bytes. */
void dg_slot_keep(struct dg_slot *slot);

/* Fill in the releases of all steps: for schedules without jumps. */
void dg_schedule_releases(struct dg_schedule *schedule);
/* The same; last[]: the step behind which each slot is let go, if there is such one. */
void dg_schedule_release_at(struct dg_schedule *schedule, const uint32_t *last);

/* Call fn for each slot of an operand; for each that the step reads, or is given to
 * write into. */
typedef void dg_slot_fn(void *data, uint32_t slot);
void dg_operand_reads(const struct dg_operand *operand, dg_slot_fn *fn, void *data);
void dg_step_reads(const struct dg_step *step, dg_slot_fn *fn, void *data);
/* The same for what it writes among them: an operator that is not known, and gives
 * nothing, may write all. */
void dg_step_writes(const struct dg_step *step, dg_slot_fn *fn, void *data);
/* Whether it writes any of them. */
bool dg_step_changes(const struct dg_step *step);
/* Whether its kernel's operator, whatever the overload, is in a list that NULL ends. */
bool dg_step_is_one_of(const struct dg_step *step, const char *const *names);
/* Which of its arguments its kernel writes, by itself; flags are false before. */
void dg_step_kernel_writes(const struct dg_step *step, bool *written);

void dg_schedule_clear(struct dg_schedule *schedule);

enum { DG_ARGS_MOST = 40 };

/* The kernel and variant that an overload runs by; NULL kernel: none has it. n_inputs:
 * how many arguments of its schema come before out arguments; places: where the schema
 * of the kernel has each of them. */
struct dg_resolved {
    const struct dg_kernel *kernel;
    enum dg_variant variant;
    size_t n_inputs, n_outs;
    unsigned char places[DG_ARGS_MOST];
    size_t n_args; /* of the kernel */
};
struct dg_resolved dg_resolve(const char *op);
/* Why an overload that no kernel runs is not run: it is one of the user's, ... */
const char *dg_why_no_kernel(const char *op);

#endif
