/* Objects that were read from a store and are wanted again. */
#include "store/kept.h"

#include <stdlib.h>
#include <string.h>

#include "store/database.h"

/* What tells kinds apart: how they are released, or how they are read. */
struct key {
    void (*release)(void *); /* NULL: the store's memory holds it all */
    const struct dg_row_reader *reader;
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

static void keep(struct dg_kept *kept, const struct key *key, void *object)
{
    uint32_t number =
        dg_hash_table_add(&kept->table, text_of(key), same_key, kept->objects);

    if (number == kept->n_objects)
        DG_APPEND(kept->objects, kept->n_objects)->key = *key;
    kept->objects[number].object = object;
}

static void *find(const struct dg_kept *kept, const struct key *key)
{
    uint32_t number =
        dg_hash_table_find(&kept->table, text_of(key), same_key, kept->objects);

    return number == DG_NO_NUMBER ? NULL : kept->objects[number].object;
}

struct dg_arena *dg_store_memory(struct dg_store *store)
{
    return &store->kept.memory;
}

enum dg_status dg_store_read_row(const void **out, struct dg_store *store, int64_t row,
                                 const struct dg_row_reader *reader,
                                 struct dg_error *err)
{
    struct key key = {.reader = reader, .row = row};
    void *object = find(&store->kept, &key);
    enum dg_status status = DG_OK;

    if (!object) {
        object = dg_alloc(&store->kept.memory, 1, reader->size);
        status = reader->read(object, store, row, err);
        if (!status)
            keep(&store->kept, &key, object);
    }
    *out = object;
    return status;
}

void dg_store_keep(struct dg_store *store, void *object, void (*release)(void *))
{
    keep(&store->kept, &(struct key){.release = release}, object);
}

void *dg_store_kept(const struct dg_store *store, void (*release)(void *))
{
    return find(&store->kept, &(struct key){.release = release});
}

void dg_store_drop(struct dg_store *store, void (*release)(void *))
{
    void *object = dg_store_kept(store, release);

    if (!object)
        return;
    dg_store_keep(store, NULL, release);
    release(object);
}

void dg_store_drop_read_rows(struct dg_store *store)
{
    for (uint32_t i = 0; i < store->kept.n_objects; i++)
        if (store->kept.objects[i].key.reader)
            store->kept.objects[i].object = NULL;
    dg_arena_clear(&store->kept.memory);
}

void dg_kept_move(struct dg_kept *to, struct dg_kept *from)
{
    for (uint32_t i = 0; i < from->n_objects; i++) {
        struct dg_kept_object *one = &from->objects[i];

        if (!one->object || !one->key.release || find(to, &one->key))
            continue;
        keep(to, &one->key, one->object);
        one->object = NULL;
    }
}

void dg_kept_clear(struct dg_kept *kept)
{
    for (uint32_t i = 0; i < kept->n_objects; i++) {
        const struct dg_kept_object *one = &kept->objects[i];

        if (one->object && one->key.release)
            one->key.release(one->object);
    }
    free(kept->objects);
    dg_arena_clear(&kept->memory);
    dg_hash_table_clear(&kept->table);
    *kept = (struct dg_kept){0};
}

void dg_store_forget(struct dg_store *store)
{
    struct dg_error ignored = {0}; /* whoever asks next gets it */

    dg_kept_clear(&store->kept);
    if (dg_unwritten_write_all(store, &ignored) || !store->resident ||
        store->resident->n_virtual)
        return;
    dg_resident_free(store->resident);
    store->resident = NULL;
}
