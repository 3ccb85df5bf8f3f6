/* The tables by which a loader finds symbols of a shared object by their names: that of
 * GNU where there is one, else that of System V. */
#include <inttypes.h>

#include "formats/library_image.h"

static const struct dg_elf_field word_field = {{0, 0}, {4, 4}},
                                 address_field = {{0, 0}, {4, 8}};

enum { WORD = 4, GNU_HEADER = 4 * WORD, HEADER = 2 * WORD };

struct hash_table {
    struct dg_elf_image *image;
    struct dg_bytes bytes;
    uint32_t n_buckets, n_chains;
    uint32_t first, n_filters, shift; /* of GNU's */
    size_t filters, buckets, chains;  /* where they begin */
    bool *found;
    size_t n_symbols, n_seen, steps; /* a chain may lead into another, or into itself */
};

static uint32_t word_at(const struct hash_table *table, size_t at)
{
    return (uint32_t)dg_elf_image_number(table->image, table->bytes.data + at,
                                         word_field);
}

static uint32_t gnu_hash(struct dg_text name)
{
    uint32_t hash = 5381;

    for (size_t i = 0; i < name.size; i++)
        hash = hash * 33 + (uint8_t)name.data[i];
    return hash;
}

uint32_t dg_elf_hash(struct dg_text name)
{
    uint32_t hash = 0;

    for (size_t i = 0; i < name.size; i++) {
        hash = (hash << 4) + (uint8_t)name.data[i];
        hash ^= hash >> 24 & 0xf0;
        hash &= 0x0fffffff;
    }
    return hash;
}

/* Whether a chain may go on to a symbol. */
static bool step(struct hash_table *table, uint64_t symbol)
{
    if (symbol >= table->n_symbols || table->steps++ >= table->n_symbols) {
        dg_elf_image_fault(
            table->image, "its hash table leads to symbol %" PRIu64 "%s", symbol,
            symbol >= table->n_symbols ? ", which is in no segment that is loaded"
                                       : ", and goes in circles");
        return false;
    }
    if (symbol >= table->n_seen)
        table->n_seen = (size_t)symbol + 1;
    return true;
}

/* Two bits of a word say that a name may be there. */
static bool passes_filter(const struct hash_table *table, uint32_t hash)
{
    size_t bytes = table->image->view.wide ? 8 : 4;
    uint32_t bits = (uint32_t)bytes * 8;
    size_t index = hash / bits & (table->n_filters - 1);
    uint64_t filter = dg_elf_image_number(
        table->image, table->bytes.data + table->filters + index * bytes,
        address_field);
    uint32_t other = hash >> (table->shift & 31);

    return filter >> hash % bits & filter >> other % bits & 1;
}

/* A chain ends with a value whose last bit is set. */
static bool walk_gnu_chain(struct hash_table *table, uint32_t bucket)
{
    uint64_t symbol = word_at(table, table->buckets + (size_t)bucket * WORD);

    if (!symbol)
        return true;
    for (;; symbol++) {
        uint64_t at = table->chains + (symbol - table->first) * WORD;
        uint32_t value, hash;

        if (symbol < table->first || !dg_inside(at, WORD, table->bytes.size)) {
            dg_elf_image_fault(table->image,
                               "its hash table leads to symbol %" PRIu64
                               ", of which it has no value",
                               symbol);
            return false;
        }
        if (!step(table, symbol))
            return false;
        value = word_at(table, at);
        hash = gnu_hash(dg_elf_image_symbol_name(table->image, symbol));
        table->found[symbol] |=
            (value | 1) == (hash | 1) && hash % table->n_buckets == bucket &&
            passes_filter(table, hash) && dg_elf_image_defines(table->image, symbol);
        if (value & 1)
            return true;
    }
}

static void read_gnu_table(struct hash_table *table)
{
    uint64_t filter_bytes;

    table->first = word_at(table, WORD);
    table->n_filters = word_at(table, 2 * WORD);
    table->shift = word_at(table, 3 * WORD);
    filter_bytes = (uint64_t)table->n_filters * (table->image->view.wide ? 8 : 4);
    table->filters = GNU_HEADER;
    table->buckets = GNU_HEADER + filter_bytes;
    table->chains = table->buckets + (size_t)table->n_buckets * WORD;
    if (!table->n_filters || table->n_filters & (table->n_filters - 1)) {
        dg_elf_image_fault(
            table->image,
            "its hash table has %u words of a filter; expected a power of 2",
            table->n_filters);
        return;
    }
    if (table->chains > table->bytes.size) {
        dg_elf_image_fault(
            table->image,
            "its hash table, of %u buckets, is in no segment that is loaded",
            table->n_buckets);
        return;
    }
    for (uint32_t i = 0; i < table->n_buckets; i++) {
        if (!walk_gnu_chain(table, i))
            return;
    }
}

static bool walk_chain(struct hash_table *table, uint32_t bucket)
{
    uint32_t symbol = word_at(table, table->buckets + (size_t)bucket * WORD);

    while (symbol) {
        if (symbol >= table->n_chains) {
            dg_elf_image_fault(
                table->image,
                "its hash table leads to symbol %u, of which it has no value", symbol);
            return false;
        }
        if (!step(table, symbol))
            return false;
        table->found[symbol] |=
            dg_elf_hash(dg_elf_image_symbol_name(table->image, symbol)) %
                    table->n_buckets ==
                bucket &&
            dg_elf_image_defines(table->image, symbol);
        symbol = word_at(table, table->chains + (size_t)symbol * WORD);
    }
    return true;
}

/* It has a value of each symbol, also of those that it does not lead to. */
static void read_table(struct hash_table *table)
{
    table->n_chains = word_at(table, WORD);
    table->buckets = HEADER;
    table->chains = HEADER + (size_t)table->n_buckets * WORD;
    if (!dg_inside(table->chains, (uint64_t)table->n_chains * WORD,
                   table->bytes.size)) {
        dg_elf_image_fault(
            table->image,
            "its hash table, of %u buckets and %u symbols, is in no segment"
            " that is loaded",
            table->n_buckets, table->n_chains);
        return;
    }
    for (uint32_t i = 0; i < table->n_buckets; i++) {
        if (!walk_chain(table, i))
            return;
    }
    if (table->n_chains && table->n_chains <= table->n_symbols)
        table->n_seen = table->n_chains;
}

/* Without buckets a loader looks for nothing. */
size_t dg_elf_image_find_by_hash(struct dg_elf_image *image, bool *found,
                                 size_t n_symbols)
{
    bool of_gnu = image->tags[DG_TAG_GNU_HASH].given;
    const struct dg_elf_tag_value *tag =
        &image->tags[of_gnu ? DG_TAG_GNU_HASH : DG_TAG_HASH];
    struct hash_table table = {.image = image,
                               .bytes = dg_elf_image_bytes(image, tag->value),
                               .found = found,
                               .n_symbols = n_symbols};

    if (!tag->given)
        return 0;
    if (table.bytes.size < (of_gnu ? GNU_HEADER : HEADER)) {
        dg_elf_image_fault(image,
                           "its hash table, at address 0x%" PRIx64
                           ", is in no segment that is loaded",
                           tag->value);
        return 0;
    }
    table.n_buckets = word_at(&table, 0);
    if (table.n_buckets && of_gnu)
        read_gnu_table(&table);
    else if (table.n_buckets)
        read_table(&table);
    return table.n_seen;
}
