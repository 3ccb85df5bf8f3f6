/* Making a schedule from the rows of a method of a .pte. Private to exec/. */
#ifndef DG_EXEC_SCHEDULE_PTE_H
#define DG_EXEC_SCHEDULE_PTE_H

#include "base/text_set.h"
#include "exec/schedule.h"
#include "graph/model.h"
#include "graph/model_values.h"

/* What the schedule has to know of a value beyond its slot. */
struct dg_pte_value {
    const struct dg_model_value *stored;
    bool written; /* by some instruction */
};

/* An operator of the method, and how its operands become arguments of the kernel. */
struct dg_pte_op {
    const char *name;
    const struct dg_op *schema;
    struct dg_resolved resolved;
    size_t n_inputs, n_outs; /* operands before the result that is returned */
    struct dg_pte_arg {
        int operand; /* -1: the default; -2: the type of the first out argument */
        struct dg_operand otherwise;
        enum { DG_PTE_PLAIN, DG_PTE_TYPE, DG_PTE_REAL, DG_PTE_UNUSED } as;
    } * args; /* of the kernel */
    size_t n_args;
};

/* The data that values name: by key, or by index. */
struct dg_pte_data {
    struct dg_text_set keys;
    struct dg_bytes *of_key;               /* by number of the key */
    struct dg_bytes *constants, *mutables; /* by data_buffer_idx: up to the end of the
                                              segment; data NULL: not in the file */
    size_t n_constants, n_mutables;
    bool cut_off; /* a file has not what it says it has */
};

struct dg_inside;

struct dg_pte_maker {
    struct dg_schedule *schedule;
    struct dg_store *store;
    const struct dg_schedule_files *files;
    struct dg_pte_data data;
    const struct dg_model *model;
    const struct dg_model_values *stored;
    struct dg_pte_value *values; /* by slot: those of the method itself */
    size_t n_values, n_instructions;
    size_t slots_room, steps_room; /* in the schedule */
    struct dg_int_set inside_ids;  /* graphs of delegates, */
    struct dg_inside **insides;    /* by their numbers */
    size_t n_insides;
    size_t n_inside_rows; /* nodes and values of the graphs of all opened calls */
    uint64_t n_copied; /* bytes of constants of delegates */
    struct dg_pte_op *ops; /* by row of op */
    size_t n_ops;
    struct dg_arena scratch;
    struct dg_error *err;
};

/* A zeroed slot or step behind the last one; it may move with the next. */
struct dg_slot *dg_pte_add_slot(struct dg_pte_maker *maker);
struct dg_step *dg_pte_add_step(struct dg_pte_maker *maker);

enum dg_status dg_pte_schedule_data(struct dg_pte_maker *maker);
/* What to do for bytes that no file has. */
const char *dg_pte_data_wanted(const struct dg_pte_data *data);
enum dg_status dg_pte_schedule_slots(struct dg_pte_maker *maker);
enum dg_status dg_pte_schedule_steps(struct dg_pte_maker *maker);
/* Behind all others. */
enum dg_status dg_pte_schedule_lent(struct dg_pte_maker *maker);

/* The operator of row `op_id`, its operands matched to the kernel's arguments. */
const struct dg_pte_op *dg_pte_schedule_op(struct dg_pte_maker *maker, int64_t op_id,
                                           const char *name);

#endif
