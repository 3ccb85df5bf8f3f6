/* How well memory is planned: what it takes against what no plan could do without. */
#include <stdlib.h>

#include "graph/occupancy.h"
#include "verifiers/memory_parts.h"

enum {
    WORTH = 10000, /* bytes: less is not worth a word */
    MOST_PERCENT = 125,
};

/* 0 where a plan names an arena that the method lacks. */
static int64_t arena_size(const struct dg_method_liveness *method, int64_t arena)
{
    return arena >= 0 && (uint64_t)arena < method->n_arenas ? method->arenas[arena] : 0;
}

/* How many tensors live at `node` in the arena, and which is the largest. */
static uint32_t count_at(const struct dg_live_ranges *live, const struct dg_peak *peak,
                         uint32_t *largest)
{
    const struct dg_flow_value *values = live->flow->values;
    uint32_t n = 0;

    *largest = DG_FLOW_NONE;
    for (uint32_t i = 0; i < live->n_ranges; i++) {
        struct dg_live_range range;
        bool counted = dg_live_counted(live, i, &range);
        uint32_t value = live->variables[range.variable].value;

        if (!counted || values[value].arena != peak->arena ||
            range.begin > peak->node || range.end < peak->node)
            continue;
        n++;
        if (*largest == DG_FLOW_NONE ||
            values[value].end - values[value].begin >
                values[*largest].end - values[*largest].begin)
            *largest = value;
    }
    return n;
}

static void check_peak(struct dg_memory_walk *memory, const struct dg_peak *peak)
{
    const struct dg_flow_value *values = memory->method->flow.values;
    struct dg_memory_place place = DG_MEMORY_METHOD;
    int64_t size = arena_size(memory->method, peak->arena), lost;
    uint32_t n;

    if (peak->bytes <= 0 || size / MOST_PERCENT < peak->bytes / 100)
        return;
    lost = size - peak->bytes;
    if (lost < WORTH)
        return;
    place.node = peak->node;
    n = count_at(&memory->method->live, peak, &place.value);
    dg_memory_find(memory, place,
                   "arena %lld has %lld bytes, and never more than %lld of them matter"
                   " at a time: %.1f percent are lost; most matter at op_%u, of %u"
                   " tensors, the largest value %lld of %lld bytes",
                   (long long)peak->arena, (long long)size, (long long)peak->bytes,
                   100.0 * (double)lost / (double)size, peak->node, n,
                   (long long)values[place.value].idx,
                   (long long)(values[place.value].end - values[place.value].begin));
}

void dg_memory_peaks(struct dg_memory_walk *memory)
{
    struct dg_peaks peaks;

    if (memory->method->live.too_large)
        return;
    dg_live_peaks(&memory->method->live, &peaks);
    for (size_t i = 0; i < peaks.n_items && !memory->status; i++)
        check_peak(memory, &peaks.items[i]);
    free(peaks.items);
}
