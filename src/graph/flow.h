/* The instructions of one method of a .pte as arrays: what they read and write, where
 * they jump, where their values lie. */
#ifndef DG_GRAPH_FLOW_H
#define DG_GRAPH_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "graph/model_values.h"

enum { DG_FLOW_NONE = UINT32_MAX };

/* What an instruction does to a value. */
enum dg_flow_how {
    DG_FLOW_READ = 1 << 0,
    DG_FLOW_WRITE = 1 << 1,
    DG_FLOW_KEEP = 1 << 2,     /* the write leaves part of what was there */
    DG_FLOW_UNSURE = 1 << 3,   /* it may do less: neither schema nor blob says it */
    DG_FLOW_MOVE = 1 << 4,     /* the value becomes a handle to another one's bytes */
    DG_FLOW_UPDATE = 1 << 5,   /* an operand that the operator changes */
    DG_FLOW_DELEGATE = 1 << 6, /* a delegate reads it; unsure: or may not look at it */
};

struct dg_flow_access {
    uint32_t node, value;
    uint32_t from; /* of a move */
    unsigned how;
};

struct dg_flow_value {
    int64_t idx;
    int64_t arena, begin, end; /* bytes [begin, end); arena -1: not planned */
    bool first;                /* defined before the first instruction */
    bool last;                 /* needed behind the last instruction */
    bool state;                /* keeps its bytes from run to run */
    bool named;                /* a buffer that the caller can find by its name */
    bool bare;                 /* a tensor for whose bytes the file has no place */
    bool made;                 /* a tensor whose bytes are none of the file's */
    bool updated;              /* an operator changes it */
    bool restored;             /* so that nothing of it is left: copy_ */
    bool fresh;                /* an instruction makes it */
    signed char constant;      /* of a bool that nothing writes: its value; else -1 */
};

struct dg_flow_node {
    int64_t jump;
    bool jumps, falls; /* whether control may go to `jump`, to the next */
    bool pointwise;
    bool moves; /* a MoveCall */
    bool nop;   /* a copy that copies nothing: its bytes were planned in place */
};

/* A basic block: instructions [begin, begin of the next). */
struct dg_flow_block {
    uint32_t begin;
    uint32_t next[2]; /* DG_FLOW_NONE: no such successor */
    bool leaves;      /* the method may end after it */
};

struct dg_flow {
    int64_t graph_id, first_id; /* store id of node 0; ids are consecutive */
    uint32_t n_nodes, n_values, n_blocks;
    struct dg_flow_node *nodes;
    struct dg_flow_value *values; /* by idx */
    const struct dg_model_value
        *stored;                     /* the same, as the file says them: the store's */
    struct dg_flow_access *accesses; /* by node */
    uint32_t n_accesses;
    bool too_large;      /* what calls do to items of lists is left out */
    uint32_t *access_of; /* accesses of node i begin at access_of[i] */
    struct dg_flow_block *blocks;
    uint32_t *block_of;               /* of a node */
    uint32_t *previous_of, *previous; /* predecessors of a block */
    struct dg_arena memory;
};

/* Whether an operator writes into its first operand without looking at it, though its
 * schema has it read: copy_ and its like. */
bool dg_flow_overwrites(const char *op);

/* Read graph `id`, whose method is a .pte's. Clear *flow whether or not this succeeds.
 */
enum dg_status dg_flow_load(struct dg_flow *flow, struct dg_store *store, int64_t id,
                            struct dg_error *err);
void dg_flow_clear(struct dg_flow *flow);

/* Divide the instructions into blocks; dg_flow_load() does it. */
void dg_flow_divide(struct dg_flow *flow);

#endif
