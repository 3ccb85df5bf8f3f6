/* One of two programs that are compared: its nodes as numbers that mean the same in
 * both. */
#ifndef DG_DIFF_SIDE_H
#define DG_DIFF_SIDE_H

#include "base/csr.h"
#include "diff/diff.h"
#include "diff/graphs.h"
#include "diff/named.h"
#include "diff/words.h"
#include "graph/model_whole.h"

/* What is compared of a node, as words. */
struct dg_diff_node {
    uint32_t place; /* method and path of the graph, behind one another; 0: no graph */
    uint32_t op;
    uint32_t name; /* without the number that an export gives it; of inputs their place;
                      of calls of delegates the backend */
    uint32_t fqn;  /* of its module */
    uint32_t args; /* what it reads stands as "@"; of a get_attr its target */
    uint32_t type; /* of what it makes; symbols of sizes have no numbers until it is
                      known which is which */
    uint32_t weights; /* and delegates, that an instruction names */
    uint32_t trace, meta;
    enum dg_node_kind kind;
};

struct dg_diff_side {
    struct dg_store *store;
    const struct dg_model *model;
    const struct dg_model_names *names;
    const struct dg_model_values *values;
    struct dg_diff_words *words;
    struct dg_diff_graph *graphs; /* in row i + 1 */
    size_t n_graphs;
    struct dg_diff_node *nodes; /* as the model numbers them */
    uint32_t n_nodes;
    uint32_t *types;              /* words of the types of values of a .pt2 */
    uint32_t *layouts;            /* words of how tensors lie; in row i + 1 */
    bool symbolic;                /* there are symbols in them */
    struct dg_diff_state *states; /* of a .pte */
    size_t n_states;
    bool is_pte;
    bool skips_lists;            /* of a .pte: there are too many items in them */
    struct dg_csr makers, users; /* nodes that a node reads, and that read it */
    struct dg_diff_resource *resources; /* of a .pte, as the next */
    size_t n_resources;
    struct dg_csr named;            /* resources that a node names */
    struct dg_diff_output *outputs; /* their makers, and what they name, are rows behind
                                       those of the nodes */
    size_t n_outputs;
    struct dg_arena memory;
};

/* Of the old program and the new one, with words that mean the same in both. Clear both
 * whether or not this succeeds. */
enum dg_status dg_diff_sides_read(struct dg_diff_side sides[2],
                                  struct dg_store *const stores[2],
                                  struct dg_diff_words *words, struct dg_error *err);

/* One of them. Clear *side whether or not this succeeds. */
enum dg_status dg_diff_side_read(struct dg_diff_side *side, struct dg_store *store,
                                 struct dg_diff_words *words, struct dg_error *err);
void dg_diff_side_clear(struct dg_diff_side *side);

/* What an instruction does, of its operands: words of the nodes, and makers. */
enum dg_status dg_diff_read_operands(struct dg_diff_side *side, struct dg_error *err);

/* How tensors lie in memory, and on which device. */
enum dg_status dg_diff_read_layouts(struct dg_diff_side *side, struct dg_error *err);

/* Names of inputs of a .pt2, as words of the nodes. */
enum dg_status dg_diff_read_inputs(struct dg_diff_side *side, struct dg_error *err);

/* A computation, or a step of a schedule: no input, output, attribute or item. */
bool dg_diff_is_call(const struct dg_diff_side *side, uint32_t node);

/* "relu" of "relu_1" */
struct dg_text dg_diff_base_name(struct dg_text name);

static inline struct dg_text dg_diff_text(const struct dg_diff_side *side,
                                          uint32_t word)
{
    return side->words->set.texts[word];
}

#endif
