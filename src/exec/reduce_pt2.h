/* What writing a part of a program as a .pt2 shares. */
#ifndef DG_EXEC_REDUCE_PT2_H
#define DG_EXEC_REDUCE_PT2_H

#include "base/json_writer.h"
#include "base/text_set.h"
#include "exec/reduce.h"

struct dg_part_writing {
    const struct dg_repro *repro;
    const struct dg_schedule *part;
    struct dg_store *store;
    struct dg_text_set names; /* of slots: */
    uint32_t *slots;          /* by number of its name */
    uint32_t *weights;        /* slots of constants that the part reads */
    size_t n_weights;
    bool exir; /* codes of dtypes are those of exir */
    struct dg_json_writer json;
    struct dg_arena memory;
    struct dg_error *err;
};

/* What a slot of the part has: a weight as it is stored, or what the run made. */
const struct dg_arg *dg_part_value(const struct dg_part_writing *writing,
                                   uint32_t slot);
bool dg_part_has_weight(const struct dg_part_writing *writing, uint32_t slot);
bool dg_part_has_tensor(const struct dg_part_writing *writing, uint32_t slot);

/* Members of the model's JSON. */
/* {"name": x} */
void dg_part_put_named(struct dg_part_writing *writing, const char *key,
                       struct dg_text name);
/* {"as_tensor": {"name": x}} */
void dg_part_put_tensor(struct dg_part_writing *writing, const char *key,
                        const char *name);
/* What is told of a tensor, contiguous as the file has it. */
void dg_part_put_meta(struct dg_part_writing *writing, const struct dg_tensor *tensor);
/* "inputs" of a node that calls `op`, from the arguments of its row. */
enum dg_status dg_part_put_arguments(struct dg_part_writing *writing, const char *op,
                                     struct dg_text args);
enum dg_status dg_part_put_graph(struct dg_part_writing *writing);

#endif
