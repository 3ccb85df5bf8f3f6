/* Texts and whole numbers by number: arrays with a hash table. */
#include "base/text_set.h"

#include <stdlib.h>

static bool same_text(const void *texts, uint32_t number, struct dg_text key)
{
    return dg_text_equal(((const struct dg_text *)texts)[number], key);
}

uint32_t dg_text_set_add(struct dg_text_set *set, struct dg_text text)
{
    uint32_t number = dg_hash_table_add(&set->table, text, same_text, set->texts);

    if (number == set->n_texts)
        *DG_APPEND(set->texts, set->n_texts) = text;
    return number;
}

uint32_t dg_text_set_find(const struct dg_text_set *set, struct dg_text text)
{
    return dg_hash_table_find(&set->table, text, same_text, set->texts);
}

void dg_text_set_clear(struct dg_text_set *set)
{
    free(set->texts);
    dg_hash_table_clear(&set->table);
    *set = (struct dg_text_set){0};
}

static bool same_value(const void *values, uint32_t number, struct dg_text key)
{
    return !memcmp((const uint64_t *)values + number, key.data, key.size);
}

void dg_int_set_prefetch(const struct dg_int_set *set, uint64_t value)
{
    dg_hash_table_prefetch(&set->table,
                           (struct dg_text){(const char *)&value, sizeof(value)});
}

uint32_t dg_int_set_add(struct dg_int_set *set, uint64_t value)
{
    struct dg_text key = {(const char *)&value, sizeof(value)};
    uint32_t number = dg_hash_table_add(&set->table, key, same_value, set->values);

    if (number == set->n_values)
        *DG_APPEND(set->values, set->n_values) = value;
    return number;
}

uint32_t dg_int_set_find(const struct dg_int_set *set, uint64_t value)
{
    struct dg_text key = {(const char *)&value, sizeof(value)};

    return dg_hash_table_find(&set->table, key, same_value, set->values);
}

void dg_int_set_clear(struct dg_int_set *set)
{
    free(set->values);
    dg_hash_table_clear(&set->table);
    *set = (struct dg_int_set){0};
}
