/* Instructions of whose results nothing is read. */
#include <stdlib.h>

#include "base/sorted.h"
#include "verifiers/memory_parts.h"

/* What is read in a method: values, and places that a view without an instruction of
 * its own shows. */
struct readers {
    const struct dg_flow *flow;
    bool *read; /* of a value */
    struct place {
        int64_t arena, begin;
    } * shown; /* sorted */
    size_t n_shown;
    struct dg_arena memory;
};

static int compare(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    if (left->arena != right->arena)
        return left->arena < right->arena ? -1 : 1;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

static void find_readers(struct readers *readers, const struct dg_live_ranges *live)
{
    const struct dg_flow *flow = live->flow;

    readers->flow = flow;
    readers->read = dg_alloc(&readers->memory, flow->n_values, sizeof(bool));
    readers->shown =
        dg_alloc(&readers->memory, flow->n_values, sizeof(*readers->shown));
    for (uint32_t i = 0; i < flow->n_accesses; i++)
        readers->read[flow->accesses[i].value] |=
            (flow->accesses[i].how & (DG_FLOW_READ | DG_FLOW_UPDATE)) != 0;
    for (uint32_t i = 0; i < flow->n_values; i++) {
        const struct dg_flow_value *one = &flow->values[i];

        readers->read[i] |= one->last || live->buffer[i];
        if (readers->read[i] && !one->fresh && one->arena >= 0)
            readers->shown[readers->n_shown++] = (struct place){one->arena, one->begin};
    }
    dg_sort(readers->shown, readers->n_shown, sizeof(*readers->shown), compare);
}

static bool is_read(const struct readers *readers, uint32_t value)
{
    const struct dg_flow_value *one = &readers->flow->values[value];
    struct place key = {one->arena, one->begin};

    return readers->read[value] ||
           (one->arena >= 0 &&
            dg_search(&key, readers->shown, readers->n_shown, sizeof(key), compare));
}

/* The first tensor that the instruction writes for nothing; DG_FLOW_NONE: it serves, or
 * may do more than it says. */
static uint32_t dead_result(const struct readers *readers, uint32_t node)
{
    const struct dg_flow *flow = readers->flow;
    uint32_t found = DG_FLOW_NONE;

    for (uint32_t i = flow->access_of[node]; i < flow->access_of[node + 1]; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];

        if (access->how & (DG_FLOW_UNSURE | DG_FLOW_UPDATE | DG_FLOW_MOVE) ||
            (access->how & DG_FLOW_WRITE && is_read(readers, access->value)))
            return DG_FLOW_NONE;
        if (access->how & DG_FLOW_WRITE && flow->values[access->value].made &&
            found == DG_FLOW_NONE)
            found = access->value;
    }
    return found;
}

void dg_memory_dead_stores(struct dg_memory_walk *memory)
{
    const struct dg_live_ranges *live = &memory->method->live;
    struct readers readers = {0};

    if (dg_memory_gives_up(memory))
        return;
    find_readers(&readers, live);
    for (uint32_t node = 0; node < live->flow->n_nodes && !memory->status; node++) {
        uint32_t value = dead_result(&readers, node);

        if (value != DG_FLOW_NONE)
            dg_memory_find(memory, (struct dg_memory_place){NULL, node, value, NULL, 0},
                           "op_%u writes value %lld, and nothing reads what it writes",
                           node, (long long)live->flow->values[value].idx);
    }
    dg_arena_clear(&readers.memory);
}
