/* In which order the nodes of a delegate run, and which of its values are images. */
#include <string.h>

#include "exec/schedule_inside_parts.h"
#include "formats/blob.h"

/* Which nodes read a value: as lists of one array, by value. */
struct readers {
    uint32_t *first, *nodes;
};

static struct readers find_readers(const struct dg_inside *inside,
                                   struct dg_arena *memory)
{
    struct readers readers = {dg_alloc(memory, inside->n_values + 2u, sizeof(uint32_t)),
                              dg_alloc(memory,
                                       (size_t)inside->n_nodes * DG_XNN_INPUTS + 1,
                                       sizeof(uint32_t))};

    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        for (int k = 0; k < inside->nodes[i].step.node.n_inputs; k++)
            readers.first[inside->nodes[i].inputs[k] + 2]++;
    }
    for (uint32_t i = 0; i < inside->n_values; i++)
        readers.first[i + 2] += readers.first[i + 1];
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        for (int k = 0; k < inside->nodes[i].step.node.n_inputs; k++)
            readers.nodes[readers.first[inside->nodes[i].inputs[k] + 1]++] = i;
    }
    return readers;
}

static void count_waits(struct dg_inside *inside)
{
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        struct dg_inside_node *node = &inside->nodes[i];

        for (int k = 0; k < node->step.node.n_inputs; k++)
            node->n_waits += dg_inside_is_made(&inside->values[node->inputs[k]]);
    }
}

/* What `done` gives is there: who waited for nothing else runs. */
static uint32_t release(struct dg_inside *inside, const struct readers *readers,
                        const struct dg_inside_node *done, uint32_t n)
{
    for (int k = 0; k < done->step.n_outputs; k++) {
        uint32_t value = done->outputs[k];

        for (uint32_t r = readers->first[value]; r < readers->first[value + 1]; r++) {
            if (!--inside->nodes[readers->nodes[r]].n_waits)
                inside->order[n++] = readers->nodes[r];
        }
    }
    return n;
}

static bool is_in_order(const struct dg_inside *inside)
{
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        for (int k = 0; k < inside->nodes[i].step.node.n_inputs; k++) {
            const struct dg_inside_value *value =
                &inside->values[inside->nodes[i].inputs[k]];

            if (dg_inside_is_made(value) && value->writer >= i)
                return false;
        }
    }
    return true;
}

void dg_inside_order(struct dg_inside_reading *reading)
{
    struct dg_inside *inside = reading->inside;
    bool as_stored = is_in_order(inside);
    struct dg_arena scratch = {0};
    struct readers readers = find_readers(inside, &scratch);
    uint32_t n = 0;

    inside->order =
        dg_alloc(dg_inside_memory(reading), inside->n_nodes + 1u, sizeof(uint32_t));
    count_waits(inside);
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        if (as_stored || !inside->nodes[i].n_waits)
            inside->order[n++] = i;
    }
    for (uint32_t at = 0; !as_stored && at < n; at++)
        n = release(inside, &readers, &inside->nodes[inside->order[at]], n);
    if (n < inside->n_nodes)
        dg_inside_refuse(reading, "nodes of its graph wait for each other");
    dg_arena_clear(&scratch);
}
