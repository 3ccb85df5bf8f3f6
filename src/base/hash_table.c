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
static uint32_t slot_of(const struct dg_hash_table *table, struct dg_text key,
                        uint32_t hash, dg_same_fn *same, const void *things)
{
    uint32_t last = table->n_slots - 1, slot = hash & last, number;

    for (; (number = table->slots[slot]); slot = (slot + 1) & last) {
        if (table->hashes[number - 1] == hash && same(things, number - 1, key))
            break;
    }
    return slot;
}

static uint32_t *take(struct dg_hash_table *table, uint32_t *old, size_t size)
{
    if (table->memory)
        return dg_alloc(table->memory, size, sizeof(*old));
    free(old);
    return dg_zeroed(size, sizeof(*old));
}

static void make_room(struct dg_hash_table *table)
{
    uint32_t *hashes = table->hashes;

    /* Where there is no chance to be had, an address is one. */
    if (!table->room && getrandom(&table->seed, sizeof(table->seed), GRND_NONBLOCK) !=
                            sizeof(table->seed))
        table->seed = (uintptr_t)table;
    table->room = table->n_slots;
    table->slots = take(table, table->slots, table->room);
    table->hashes = take(table, NULL, table->room / 2);
    if (table->n)
        memcpy(table->hashes, hashes, table->n * sizeof(*hashes));
    if (!table->memory)
        free(hashes);
}

static void enlarge(struct dg_hash_table *table)
{
    uint32_t last;

    table->n_slots = table->n_slots ? table->n_slots * 2 : FIRST_SLOTS;
    if (table->n_slots > table->room)
        make_room(table);
    else
        memset(table->slots, 0, table->n_slots * sizeof(*table->slots));
    last = table->n_slots - 1;
    for (uint32_t i = 0, slot; i < table->n; i++) {
        slot = table->hashes[i] & last;
        while (table->slots[slot])
            slot = (slot + 1) & last;
        table->slots[slot] = i + 1;
    }
}

uint32_t dg_hash_table_find(const struct dg_hash_table *table, struct dg_text key,
                            dg_same_fn *same, const void *things)
{
    uint32_t number =
        table->n ? table->slots[slot_of(table, key, hash_of(table, key), same, things)]
                 : 0;

    return number ? number - 1 : DG_NO_NUMBER;
}

uint32_t dg_hash_table_add(struct dg_hash_table *table, struct dg_text key,
                           dg_same_fn *same, const void *things)
{
    uint32_t hash, slot;

    if (table->n >= table->n_slots / 2)
        enlarge(table);
    hash = hash_of(table, key);
    slot = slot_of(table, key, hash, same, things);
    if (!table->slots[slot]) {
        table->hashes[table->n++] = hash;
        table->slots[slot] = table->n;
    }
    return table->slots[slot] - 1;
}

void dg_hash_table_empty(struct dg_hash_table *table)
{
    table->n = table->n_slots = 0;
}

void dg_hash_table_clear(struct dg_hash_table *table)
{
    if (!table->memory) {
        free(table->slots);
        free(table->hashes);
    }
    *table = (struct dg_hash_table){.memory = table->memory};
}
