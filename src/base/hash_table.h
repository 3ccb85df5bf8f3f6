/* The hash table: numbers of things that the caller keeps in an array, found by what
 * they are called. Start from {0}; end with dg_hash_table_clear(). base/text_set.h has
 * it with an array of texts or of whole numbers. */
#ifndef DG_BASE_HASH_TABLE_H
#define DG_BASE_HASH_TABLE_H

#include "base/arena.h"

enum { DG_NO_NUMBER = UINT32_MAX };

struct dg_hash_slot {
    uint32_t number; /* + 1; 0: free */
    uint32_t hash;   /* beside it: looking elsewhere would cost a miss of the cache */
};

struct dg_hash_table {
    struct dg_hash_slot *slots; /* open addressing */
    uint32_t n, n_slots, room;
    uint64_t seed;           /* drawn, so that no file can be written to collide */
    struct dg_arena *memory; /* where slots lie; NULL: malloc() */
};

/* Whether thing `number` among `things` is called `key`. */
typedef bool dg_same_fn(const void *things, uint32_t number, struct dg_text key);

/* The number of what is called `key`, or DG_NO_NUMBER. */
uint32_t dg_hash_table_find(const struct dg_hash_table *table, struct dg_text key,
                            dg_same_fn *same, const void *things);

/* The same, but what is new gets the next number: the caller then appends the thing. */
uint32_t dg_hash_table_add(struct dg_hash_table *table, struct dg_text key,
                           dg_same_fn *same, const void *things);

/* `key` will soon be asked for: what that reads is fetched while something else is
 * done. */
void dg_hash_table_prefetch(const struct dg_hash_table *table, struct dg_text key);

/* About `n` things will be added: they are not moved while the table grows. */
void dg_hash_table_expect(struct dg_hash_table *table, uint32_t n);

/* Forget all numbers, and keep the room. What follows costs as much as it has keys. */
void dg_hash_table_empty(struct dg_hash_table *table);
void dg_hash_table_clear(struct dg_hash_table *table);

#endif
