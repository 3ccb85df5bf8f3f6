/* The hash table: open addressing, at most half full, by XXH3 with a seed. */
#include "base/hash_table.h"

#include <stdlib.h>
#include <sys/random.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

static uint32_t hash_of(const struct dg_hash_table *table, struct dg_text key)
{
    return (uint32_t)XXH3_64bits_withSeed(key.size ? key.data : "", key.size,
                                          table->seed);
}

/* Where what is called `key` is or would go. */
static struct dg_hash_slot *slot_of(const struct dg_hash_table *table,
                                    struct dg_text key, uint32_t hash, dg_same_fn *same,
                                    const void *things)
{
    uint32_t last = table->n_slots - 1, at = hash & last;

    for (; table->slots[at].number; at = (at + 1) & last) {
        if (table->slots[at].hash == hash &&
            same(things, table->slots[at].number - 1, key))
            break;
    }
    return &table->slots[at];
}

static void draw_seed(struct dg_hash_table *table)
{
    /* Where there is no chance to be had, an address is one. */
    if (getrandom(&table->seed, sizeof(table->seed), GRND_NONBLOCK) !=
        sizeof(table->seed))
        table->seed = (uintptr_t)table;
}

static void put(struct dg_hash_table *table, struct dg_hash_slot slot)
{
    uint32_t last = table->n_slots - 1, at = slot.hash & last;

    while (table->slots[at].number)
        at = (at + 1) & last;
    table->slots[at] = slot;
}

static struct dg_hash_slot *make_slots(struct dg_hash_table *table)
{
    return table->memory
               ? dg_alloc(table->memory, table->n_slots, sizeof(*table->slots))
               : dg_zeroed(table->n_slots, sizeof(*table->slots));
}

/* The slots that there were, for the caller to free; in their place are free ones. */
static struct dg_hash_slot *replace_slots(struct dg_hash_table *table, uint32_t n_old)
{
    struct dg_hash_slot *old = table->slots;

    if (table->n_slots > table->room) {
        table->room = table->n_slots;
        table->slots = make_slots(table);
        return old;
    }
    old = dg_zeroed(n_old, sizeof(*old));
    if (n_old)
        memcpy(old, table->slots, n_old * sizeof(*old));
    memset(table->slots, 0, table->n_slots * sizeof(*table->slots));
    return old;
}

static void enlarge(struct dg_hash_table *table, uint32_t n_slots)
{
    uint32_t n_old = table->n_slots;
    struct dg_hash_slot *arena = table->memory ? table->slots : NULL, *old;

    if (!table->room)
        draw_seed(table);
    table->n_slots = n_slots;
    old = replace_slots(table, n_old);
    for (uint32_t i = 0; i < n_old; i++) {
        if (old[i].number)
            put(table, old[i]);
    }
    if (old != arena)
        free(old);
}

void dg_hash_table_prefetch(const struct dg_hash_table *table, struct dg_text key)
{
    if (table->n_slots)
        __builtin_prefetch(&table->slots[hash_of(table, key) & (table->n_slots - 1)]);
}

void dg_hash_table_expect(struct dg_hash_table *table, uint32_t n)
{
    uint32_t n_slots = FIRST_SLOTS;

    while (n_slots / 2 < n && n_slots <= UINT32_MAX / 4)
        n_slots *= 2;
    if (n_slots > table->n_slots)
        enlarge(table, n_slots);
}

uint32_t dg_hash_table_find(const struct dg_hash_table *table, struct dg_text key,
                            dg_same_fn *same, const void *things)
{
    uint32_t number =
        table->n ? slot_of(table, key, hash_of(table, key), same, things)->number : 0;

    return number ? number - 1 : DG_NO_NUMBER;
}

uint32_t dg_hash_table_add(struct dg_hash_table *table, struct dg_text key,
                           dg_same_fn *same, const void *things)
{
    uint32_t hash;
    struct dg_hash_slot *slot;

    if (table->n >= table->n_slots / 2)
        enlarge(table, table->n_slots ? table->n_slots * 2 : FIRST_SLOTS);
    hash = hash_of(table, key);
    slot = slot_of(table, key, hash, same, things);
    if (!slot->number)
        *slot = (struct dg_hash_slot){++table->n, hash};
    return slot->number - 1;
}

void dg_hash_table_empty(struct dg_hash_table *table)
{
    table->n = table->n_slots = 0;
}

void dg_hash_table_clear(struct dg_hash_table *table)
{
    if (!table->memory)
        free(table->slots);
    *table = (struct dg_hash_table){.memory = table->memory};
}
