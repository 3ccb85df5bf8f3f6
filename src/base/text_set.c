/* Texts by number and by name: a hash table of places in an array. */
#include "base/text_set.h"

#include <stdlib.h>

#include "base/arena.h"

enum { FIRST_SLOTS = 64 };

static uint64_t mix(uint64_t value)
{
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

/* Depends on an address, so that no file can be written to collide. */
static uint64_t hash_of(const struct dg_text_set *set, struct dg_text text)
{
    const uint8_t *at = (const uint8_t *)text.data;
    uint64_t hash = mix((uintptr_t)set->slots + text.size), last = 0;
    size_t left = text.size;

    for (; left >= 8; left -= 8, at += 8)
        hash = mix(hash ^ dg_u64(at));
    while (left)
        last = last << 8 | at[--left];
    return mix(mix(hash ^ last));
}

/* Where `text` is or would go. */
static uint32_t slot_of(const struct dg_text_set *set, struct dg_text text)
{
    uint32_t last = set->n_slots - 1;
    uint32_t slot = (uint32_t)(hash_of(set, text) >> 20) & last;

    while (set->slots[slot] && !dg_text_equal(set->texts[set->slots[slot] - 1], text))
        slot = (slot + 1) & last;
    return slot;
}

static void enlarge(struct dg_text_set *set)
{
    set->n_slots = set->n_slots ? set->n_slots * 2 : FIRST_SLOTS;
    free(set->slots);
    set->slots = calloc(set->n_slots, sizeof(*set->slots));
    if (!set->slots)
        dg_out_of_memory();
    for (uint32_t i = 0; i < set->n_texts; i++)
        set->slots[slot_of(set, set->texts[i])] = i + 1;
}

uint32_t dg_text_set_add(struct dg_text_set *set, struct dg_text text)
{
    uint32_t slot;

    if (set->n_texts >= set->n_slots / 2)
        enlarge(set);
    slot = slot_of(set, text);
    if (!set->slots[slot]) {
        *DG_APPEND(set->texts, set->n_texts) = text;
        set->slots[slot] = set->n_texts;
    }
    return set->slots[slot] - 1;
}

uint32_t dg_text_set_find(const struct dg_text_set *set, struct dg_text text)
{
    uint32_t slot = set->n_slots ? slot_of(set, text) : 0;

    return set->n_slots && set->slots[slot] ? set->slots[slot] - 1 : DG_NO_TEXT;
}

void dg_text_set_clear(struct dg_text_set *set)
{
    free(set->texts);
    free(set->slots);
    *set = (struct dg_text_set){0};
}
