/* Arenas and offsets: where tensors may lie. */
#include <stdlib.h>

#include "base/sorted.h"
#include "verifiers/memory_parts.h"

/* What is counted of each arena of a method. */
struct tally {
    int64_t n;
    uint32_t first; /* such value */
};

static struct tally *new_tallies(const struct dg_method_liveness *method)
{
    struct tally *tallies = calloc(method->n_arenas + 1, sizeof(*tallies));

    if (!tallies)
        dg_out_of_memory();
    return tallies;
}

static bool in_an_arena(const struct dg_method_liveness *method,
                        const struct dg_model_value *value)
{
    return value->mem_id >= 1 && (uint64_t)value->mem_id < method->n_arenas;
}

static struct dg_memory_place at_value(uint32_t value)
{
    struct dg_memory_place place = DG_MEMORY_METHOD;

    place.value = value;
    return place;
}

void dg_memory_ids(struct dg_memory_walk *memory)
{
    const struct dg_method_liveness *method = memory->method;

    for (uint32_t i = 0; i < method->flow.n_values && !memory->status; i++) {
        const struct dg_model_value *one = &method->flow.stored[i];

        if (one->mem_id != DG_NONE && !in_an_arena(method, one))
            dg_memory_find(
                memory, at_value(i),
                "value %lld lies in arena %lld; the method has arenas 1..%lld",
                (long long)one->idx, (long long)one->mem_id,
                (long long)method->n_arenas - 1);
    }
}

void dg_memory_extents(struct dg_memory_walk *memory)
{
    const struct dg_method_liveness *method = memory->method;

    for (uint32_t i = 0; i < method->flow.n_values && !memory->status; i++) {
        const struct dg_model_value *one = &method->flow.stored[i];
        int64_t size, end;

        if (!in_an_arena(method, one) || one->nbytes == DG_NONE)
            continue;
        size = method->arenas[one->mem_id];
        if (one->offset < 0 || __builtin_add_overflow(one->offset, one->nbytes, &end) ||
            end > size)
            dg_memory_find(memory, at_value(i),
                           "value %lld has %lld bytes at byte %lld of arena %lld, which"
                           " has %lld bytes",
                           (long long)one->idx, (long long)one->nbytes,
                           (long long)one->offset, (long long)one->mem_id,
                           (long long)size);
    }
}

typedef bool is_odd_fn(const struct dg_model_value *value);

static void find_odd(struct dg_memory_walk *memory, size_t arena,
                     const struct tally *tally, const char *how, bool note_if_larger)
{
    const struct dg_method_liveness *method = memory->method;
    const struct dg_model_value *first = &method->flow.stored[tally->first];
    struct dg_memory_place place = at_value(tally->first);

    if (note_if_larger && method->arenas[arena] >= first->offset)
        place.severity = "note";
    dg_memory_find(memory, place,
                   "%lld of the tensors in arena %zu (%lld bytes) begin %s; the"
                   " first is value %lld at byte %lld",
                   (long long)tally->n, arena, (long long)method->arenas[arena], how,
                   (long long)first->idx, (long long)first->offset);
}

/* One finding for an arena: how many of its tensors are odd, and the first of them. */
static void tally(struct dg_memory_walk *memory, is_odd_fn *is_odd, const char *how,
                  bool note_if_larger)
{
    const struct dg_method_liveness *method = memory->method;
    struct tally *tallies = new_tallies(method);

    for (uint32_t i = 0; i < method->flow.n_values; i++) {
        const struct dg_model_value *one = &method->flow.stored[i];
        struct tally *its = &tallies[in_an_arena(method, one) ? one->mem_id : 0];

        if (one->mem_id != DG_NONE && is_odd(one) && !its->n++)
            its->first = i;
    }
    for (size_t arena = 1; arena < method->n_arenas && !memory->status; arena++) {
        if (tallies[arena].n)
            find_odd(memory, arena, &tallies[arena], how, note_if_larger);
    }
    free(tallies);
}

static bool is_unaligned(const struct dg_model_value *value)
{
    return value->offset & 15;
}

static bool is_far(const struct dg_model_value *value)
{
    return value->offset > UINT32_MAX;
}

void dg_memory_alignment(struct dg_memory_walk *memory)
{
    tally(memory, is_unaligned, "at a byte that is no multiple of 16", false);
}

void dg_memory_far_offsets(struct dg_memory_walk *memory)
{
    tally(memory, is_far, "at 4 GiB or behind", true);
}

enum { PADDING = 80 }; /* 64 bytes for XNNPACK, and rounding up to 16 */

/* Where an arena that methods may share ends in one of them: each uses its part. */
struct end {
    int64_t artifact, arena, byte;
};

struct ends {
    struct end *items;
    size_t n_items;
};

static int compare(const void *a, const void *b)
{
    const struct end *left = a, *right = b;

    if (left->artifact != right->artifact)
        return left->artifact < right->artifact ? -1 : 1;
    if (left->arena != right->arena)
        return left->arena < right->arena ? -1 : 1;
    return (left->byte > right->byte) - (left->byte < right->byte);
}

static void list_ends(struct ends *ends, const struct dg_liveness *liveness)
{
    for (size_t i = 0; i < liveness->n_items; i++) {
        for (size_t arena = 2; arena < liveness->items[i].n_arenas; arena++)
            *DG_APPEND(ends->items, ends->n_items) =
                (struct end){liveness->items[i].artifact, (int64_t)arena,
                             liveness->items[i].ends[arena]};
    }
    dg_sort(ends->items, ends->n_items, sizeof(*ends->items), compare);
}

/* Arenas behind the first end where they do in any method. */
static int64_t end_of(const struct ends *ends, const struct dg_method_liveness *method,
                      size_t arena)
{
    struct end key = {method->artifact, (int64_t)arena, INT64_MAX};
    size_t n;

    if (arena < 2)
        return method->ends[arena];
    n = DG_SORTED_UP_TO(ends->items, ends->n_items, &key, compare);
    return ends->items[n - 1].byte;
}

static void look_for_slack(struct dg_memory_walk *memory, const struct ends *ends)
{
    const struct dg_method_liveness *method = memory->method;

    for (size_t i = 1; i < method->n_arenas && !memory->status; i++) {
        long long size = method->arenas[i], end = end_of(ends, method, i);

        if (size > end && size - end > PADDING)
            dg_memory_find(memory, DG_MEMORY_METHOD,
                           "arena %zu has %lld bytes, and its tensors end at byte %lld:"
                           " %lld bytes are never used",
                           i, size, end, size - end);
    }
}

enum dg_status dg_memory_slack(const struct dg_findings *found, struct dg_error *err)
{
    struct dg_memory_walk memory = {.found = found, .err = err};
    struct ends ends = {0};
    struct dg_liveness *liveness;

    memory.status = dg_liveness_read(&liveness, found->store, err);
    if (memory.status)
        return memory.status;
    list_ends(&ends, liveness);
    for (size_t i = 0; i < liveness->n_items && !memory.status; i++) {
        memory.method = &liveness->items[i];
        look_for_slack(&memory, &ends);
    }
    free(ends.items);
    return memory.status;
}
