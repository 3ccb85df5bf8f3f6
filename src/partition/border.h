/* What lies on the borders of partitions, while nodes move between them. */
#ifndef DG_PARTITION_BORDER_H
#define DG_PARTITION_BORDER_H

#include "base/text_set.h"
#include "partition/condense.h"

struct dg_use {
    uint32_t value, n; /* a node, and how often it is read */
};

/* Components have places along the run: partition p is 2p + 1, and unsupported nodes
 * that run between p - 1 and p are at 2p. Places never fall along an edge. */
struct dg_border {
    const struct dg_graph *graph;
    const uint16_t *marks;
    const int64_t *weights; /* NULL: 1 */
    const struct dg_condensed *condensed;
    const uint32_t *component_of; /* of each node */
    struct dg_csr members;        /* nodes of each component */
    uint32_t *at;                 /* the place of each component */
    uint32_t *use_of;             /* what component c reads: uses[use_of[c]].. */
    struct dg_use *uses;
    uint32_t *own_users;    /* of each node: uses within its component */
    uint32_t *n_places;     /* of each value: partitions that read it */
    struct dg_int_set keys; /* value and place */
    uint32_t *n_uses;       /* of each key */
    size_t n_keys;
    struct dg_arena memory;
};

/* `at` is filled in. Clear it afterwards. */
void dg_border_open(struct dg_border *border, const struct dg_condensed *condensed,
                    const uint32_t *component_of, const int64_t *weights,
                    const uint32_t *at);
void dg_border_clear(struct dg_border *border);

/* What moving a supported component adds to the weight of all borders. */
int64_t dg_border_change(const struct dg_border *border, uint32_t component,
                         uint32_t place);
void dg_border_move(struct dg_border *border, uint32_t component, uint32_t place);

/* What a value weighs on a border; constants nothing. */
int64_t dg_border_value_weight(const struct dg_border *border, uint32_t value);

/* The weight of all borders. */
int64_t dg_border_weight(const struct dg_border *border);

static inline bool dg_border_supported(const struct dg_border *border,
                                       uint32_t component)
{
    return !border->condensed->unsupported[component];
}

#endif
