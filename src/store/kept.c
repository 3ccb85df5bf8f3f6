/* Objects that were read from a store and are wanted again. */
#include "store/kept.h"

#include <stdlib.h>
#include <string.h>

#include "store/database.h"

struct key {
    void (*release)(void *); /* the kind */
    int64_t row;
};

struct dg_kept_object {
    struct key key;
    void *object; /* NULL: dropped */
};

static bool same_key(const void *objects, uint32_t number, struct dg_text key)
{
    const struct dg_kept_object *kept = objects;

    return !memcmp(&kept[number].key, key.data, sizeof(kept[number].key));
}

static struct dg_text text_of(const struct key *key)
{
    return (struct dg_text){(const char *)key, sizeof(*key)};
}

void dg_store_keep_row(struct dg_store *store, int64_t row, void *object,
                       void (*release)(void *))
{
    struct dg_kept *kept = &store->kept;
    struct key key = {release, row};
    uint32_t number =
        dg_hash_table_add(&kept->table, text_of(&key), same_key, kept->objects);

    if (number == kept->n_objects)
        DG_APPEND(kept->objects, kept->n_objects)->key = key;
    kept->objects[number].object = object;
}

void *dg_store_kept_row(const struct dg_store *store, int64_t row,
                        void (*release)(void *))
{
    const struct dg_kept *kept = &store->kept;
    struct key key = {release, row};
    uint32_t number =
        dg_hash_table_find(&kept->table, text_of(&key), same_key, kept->objects);

    return number == DG_NO_NUMBER ? NULL : kept->objects[number].object;
}

struct dg_arena *dg_store_memory(struct dg_store *store)
{
    return &store->kept.memory;
}

void dg_store_keep(struct dg_store *store, void *object, void (*release)(void *))
{
    dg_store_keep_row(store, 0, object, release);
}

void *dg_store_kept(const struct dg_store *store, void (*release)(void *))
{
    return dg_store_kept_row(store, 0, release);
}

void dg_store_drop(struct dg_store *store, void (*release)(void *))
{
    void *object = dg_store_kept(store, release);

    if (!object)
        return;
    dg_store_keep(store, NULL, release);
    release(object);
}

void dg_kept_clear(struct dg_kept *kept)
{
    for (uint32_t i = 0; i < kept->n_objects; i++) {
        if (kept->objects[i].object)
            kept->objects[i].key.release(kept->objects[i].object);
    }
    free(kept->objects);
    dg_arena_clear(&kept->memory);
    dg_hash_table_clear(&kept->table);
    *kept = (struct dg_kept){0};
}

void dg_store_forget(struct dg_store *store)
{
    dg_kept_clear(&store->kept);
}
