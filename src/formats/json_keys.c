/* Names seen in one object, so that duplicates are refused: compared one by one while
 * they are few, then by hash tables of their places in the text. */
#include "formats/json_parts.h"

enum { FEW = 8, FIRST_SLOTS = 32, LEVELS = 27 };

/* Each has twice the slots of the one before, and is kept for the next large object. */
struct table {
    uint32_t *places; /* of raw keys; meaningful where the tag is not 0 */
    uint8_t *tags;    /* parts of the hash */
};

struct dg_json_keys {
    const char *origin; /* what places count from */
    size_t count;
    uint32_t few_places[FEW];
    struct dg_text few[FEW];
    int level; /* of the table in use; -1: none */
    struct table tables[LEVELS];
};

void dg_json_keys_begin(struct dg_json *json)
{
    struct dg_json_frame *frame = &json->frames[json->depth - 1];

    if (!frame->keys)
        frame->keys = dg_alloc(json->memory, 1, sizeof(*frame->keys));
    frame->keys->count = 0;
    frame->keys->level = -1;
    frame->keys->origin = json->at;
}

static uint64_t mix(uint64_t value)
{
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

/* Depends on an address, so that no file can be written to collide. */
static uint64_t hash_of(const struct dg_json_keys *keys, struct dg_text key)
{
    const uint8_t *at = (const uint8_t *)key.data;
    uint64_t hash = mix((uintptr_t)keys + key.size), last = 0;
    size_t left = key.size;

    for (; left >= 8; left -= 8, at += 8)
        hash = mix(hash ^ dg_u64(at));
    while (left)
        last = last << 8 | at[--left];
    return mix(mix(hash ^ last));
}

static uint8_t tag_of(uint64_t hash)
{
    return (uint8_t)(hash >> 56 | 1);
}

static size_t n_slots(const struct dg_json_keys *keys)
{
    return keys->level < 0 ? 0 : (size_t)FIRST_SLOTS << keys->level;
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

static bool has(struct dg_json *json, const struct dg_json_keys *keys,
                struct dg_text key, uint64_t hash)
{
    const struct table *table = &keys->tables[keys->level];
    size_t last = n_slots(keys) - 1;

    for (size_t slot = hash & last; table->tags[slot]; slot = (slot + 1) & last) {
        if (table->tags[slot] == tag_of(hash) &&
            dg_text_equal(key_at(json, keys, table->places[slot]), key))
            return true;
    }
    return false;
}

static void put(struct dg_json_keys *keys, uint32_t place, uint64_t hash)
{
    struct table *table = &keys->tables[keys->level];
    size_t last = n_slots(keys) - 1, slot = hash & last;

    while (table->tags[slot])
        slot = (slot + 1) & last;
    table->places[slot] = place;
    table->tags[slot] = tag_of(hash);
}

/* Go to the next table and put there what the one before, or the list, has. */
static void grow(struct dg_json *json, struct dg_json_keys *keys)
{
    const struct table *old = keys->level < 0 ? NULL : &keys->tables[keys->level];
    size_t old_slots = n_slots(keys);
    struct table *table = &keys->tables[++keys->level];
    size_t slots = n_slots(keys);

    if (table->tags) {
        memset(table->tags, 0, slots);
    } else {
        table->tags = dg_alloc(json->memory, slots, sizeof(*table->tags));
        table->places = dg_alloc(json->memory, slots, sizeof(*table->places));
    }
    for (size_t i = 0; i < old_slots; i++) {
        if (old->tags[i])
            put(keys, old->places[i],
                hash_of(keys, key_at(json, keys, old->places[i])));
    }
    for (size_t i = 0; !old && i < FEW; i++)
        put(keys, keys->few_places[i], hash_of(keys, keys->few[i]));
}

static bool add_few(struct dg_json_keys *keys, uint32_t place, struct dg_text key)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (dg_text_equal(keys->few[i], key))
            return false;
    }
    keys->few_places[keys->count] = place;
    keys->few[keys->count++] = key;
    return true;
}

static bool add_many(struct dg_json *json, struct dg_json_keys *keys, uint32_t place,
                     struct dg_text key)
{
    uint64_t hash = hash_of(keys, key);

    if (keys->count >= n_slots(keys) / 4 * 3)
        grow(json, keys);
    if (has(json, keys, key, hash))
        return false;
    put(keys, place, hash);
    keys->count++;
    return true;
}

bool dg_json_keys_add(struct dg_json *json, struct dg_text raw, struct dg_text key)
{
    struct dg_json_keys *keys = json->frames[json->depth - 1].keys;
    size_t place = (size_t)(raw.data - keys->origin);

    if (place > UINT32_MAX)
        return dg_json_fail(json, "expected an object of less than 4 GiB");
    if (keys->count < FEW ? add_few(keys, (uint32_t)place, key)
                          : add_many(json, keys, (uint32_t)place, key))
        return true;
    json->at = raw.data - 1;
    return dg_json_fail(json, "expected each key once");
}
