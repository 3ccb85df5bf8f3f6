/* Names seen in one object, so that duplicates are refused: compared one by one while
 * they are few, then by a hash table of their places in the text. */
#include "base/hash_table.h"
#include "formats/json_parts.h"

enum { FEW = 8 };

struct dg_json_keys {
    const char *origin; /* what places count from */
    uint32_t *places;   /* of keys as they are written */
    size_t count, room;
    struct dg_text few[FEW]; /* the first ones */
    struct dg_hash_table table;
};

void dg_json_keys_begin(struct dg_json *json)
{
    struct dg_json_frame *frame = &json->frames[json->depth - 1];

    if (!frame->keys) {
        frame->keys = dg_alloc(json->memory, 1, sizeof(*frame->keys));
        frame->keys->table.memory = json->memory;
    }
    frame->keys->count = 0;
    frame->keys->origin = json->at;
    dg_hash_table_empty(&frame->keys->table);
}

/* The key at a place, where it was found to be a right string before. */
static struct dg_text key_at(struct dg_json *json, const struct dg_json_keys *keys,
                             uint32_t place)
{
    const char *start = keys->origin + place, *at = start;

    while (*at != '"')
        at += 1 + (*at == '\\');
    return dg_json_unescape(json, (struct dg_text){start, (size_t)(at - start)});
}

struct seen {
    struct dg_json *json;
    struct dg_json_keys *keys;
};

static bool same_key(const void *things, uint32_t number, struct dg_text key)
{
    const struct seen *seen = things;

    return dg_text_equal(key_at(seen->json, seen->keys, seen->keys->places[number]),
                         key);
}

static bool is_new(struct dg_json *json, struct dg_json_keys *keys, struct dg_text key)
{
    struct seen seen = {json, keys};

    for (size_t i = 0; keys->count < FEW && i < keys->count; i++) {
        if (dg_text_equal(keys->few[i], key))
            return false;
    }
    if (keys->count < FEW)
        return true;
    for (size_t i = 0; keys->count == FEW && i < FEW; i++)
        dg_hash_table_add(&keys->table, keys->few[i], same_key, &seen);
    return dg_hash_table_add(&keys->table, key, same_key, &seen) == keys->count;
}

static void note(struct dg_json *json, struct dg_json_keys *keys, uint32_t place,
                 struct dg_text key)
{
    uint32_t *old = keys->places;

    if (keys->count == keys->room) {
        keys->room = keys->room ? 2 * keys->room : FEW;
        keys->places = dg_alloc(json->memory, keys->room, sizeof(*old));
        if (old)
            memcpy(keys->places, old, keys->count * sizeof(*old));
    }
    if (keys->count < FEW)
        keys->few[keys->count] = key;
    keys->places[keys->count++] = place;
}

bool dg_json_keys_add(struct dg_json *json, struct dg_text raw, struct dg_text key)
{
    struct dg_json_keys *keys = json->frames[json->depth - 1].keys;
    size_t place = (size_t)(raw.data - keys->origin);

    if (place > UINT32_MAX)
        return dg_json_fail(json, "expected an object of less than 4 GiB");
    if (!is_new(json, keys, key)) {
        dg_json_refuse_key(json);
        return false;
    }
    note(json, keys, (uint32_t)place, key);
    return true;
}
