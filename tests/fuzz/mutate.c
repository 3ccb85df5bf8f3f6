/* What all mutants need, and mutants of bytes that have no structure. */
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

uint64_t mutate_random(struct mutation *m, uint64_t below)
{
    uint64_t z = m->random += 0x9e3779b97f4a7c15; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return below ? z % below : z;
}

uint64_t mutate_number(struct mutation *m, uint64_t old)
{
    static const uint64_t edges[] = {
        0,          1,         2,          7,          16,
        127,        128,       255,        256,        32767,
        65535,      INT32_MAX, 1u << 31,   UINT32_MAX, 1ull << 40,
        1ull << 62, INT64_MAX, 1ull << 63, UINT64_MAX, 0x7ff0000000000000,
    };
    uint64_t bit = 1ull << mutate_random(m, mutate_random(m, 2) ? 8 : 64);

    switch (mutate_random(m, 6)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return old ^ bit;
    case 3:
        return mutate_random(m, 64);
    case 4:
        return -edges[mutate_random(m, sizeof(edges) / sizeof(*edges))];
    default:
        return edges[mutate_random(m, sizeof(edges) / sizeof(*edges))];
    }
}

const char *mutate_text(struct mutation *m)
{
    static const char *const texts[] = {
        "",
        "=1+1",
        "\x1b[31m",
        "\xe2\x80\xae",
        "\xc2\x85",
        "\xe2\x80\x8b",
        "a\nb",
        "a\tb",
        "%s%n",
        "../../etc",
        "'; --",
        "<b>&amp;\"",
        "forward",
        "input",
        "aten.add.Tensor",
        "Infinity",
        "s0 + 1",
        "\xff\xfe",
        "9223372036854775808",
        "a.b.c.d.e.f",
        "x[0](y)",
        "|`*_",
        "-",
        "\x7f\x01",
    };

    return texts[mutate_random(m, sizeof(texts) / sizeof(*texts))];
}

void mutate_splice(struct dg_writer *file, size_t at, size_t old, struct dg_text with)
{
    struct dg_writer whole = {0};

    dg_write(&whole, file->data, at);
    dg_write_text(&whole, with);
    dg_write(&whole, file->data + at + old, file->size - at - old);
    dg_writer_clear(file);
    *file = whole;
}

void mutate_bytes(struct mutation *m, struct dg_writer *file)
{
    size_t at = mutate_random(m, file->size), span = 1ull << mutate_random(m, 4);
    uint64_t number = mutate_number(m, mutate_random(m, 256));

    if (!file->size)
        return;
    if (span > file->size - at)
        span = file->size - at;
    switch (mutate_random(m, 8)) {
    case 0:
        mutate_splice(file, at, file->size - at, (struct dg_text){0});
        break;
    case 1:
        mutate_splice(file, at, span, (struct dg_text){0});
        break;
    case 2:
        mutate_splice(file, at, 0, dg_text(mutate_text(m)));
        break;
    case 3:
        memmove(file->data + at, file->data + mutate_random(m, file->size - span + 1),
                span);
        break;
    default:
        memcpy(file->data + at, &number, span < 8 ? span : 8);
    }
}

static bool begins(const struct dg_writer *file, size_t at, const char *magic)
{
    size_t size = strlen(magic);

    return file->size >= at + size && !memcmp(file->data + at, magic, size);
}

static bool mutate_structure(struct mutation *m, struct dg_writer *file)
{
    if (begins(file, 0, "SQLite format 3"))
        return mutate_store(m, file);
    if (begins(file, 0, "PK\3\4"))
        return mutate_zip(m, file);
    if (begins(file, 4, "ET12") || begins(file, 4, "FT01") || begins(file, 4, "BP08"))
        return mutate_flatbuffer(m, file);
    return mutate_json(m, file);
}

void mutate(struct mutation *m, struct dg_writer *file)
{
    for (uint64_t n = 1 + !mutate_random(m, 4); n; n--) {
        if (!mutate_random(m, 16) || !mutate_structure(m, file))
            mutate_bytes(m, file);
    }
}
