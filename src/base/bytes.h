/* Bounded views of memory. Whoever makes a view says how long the bytes live. */
#ifndef DG_BASE_BYTES_H
#define DG_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dg_bytes {
    const uint8_t *data;
    size_t size;
};

/* Text that need not end with NUL. `data` NULL means absent (SQL NULL). */
struct dg_text {
    const char *data;
    size_t size;
};

/* Whether [offset, offset + size) lies inside `length` bytes; never wraps. */
static inline bool dg_inside(uint64_t offset, uint64_t size, uint64_t length)
{
    return offset <= length && size <= length - offset;
}

/* Little-endian loads from any alignment. The caller has checked the bounds. */
static inline uint16_t dg_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t dg_u32(const uint8_t *at)
{
    return dg_u16(at) | (uint32_t)dg_u16(at + 2) << 16;
}

static inline uint64_t dg_u64(const uint8_t *at)
{
    return dg_u32(at) | (uint64_t)dg_u32(at + 4) << 32;
}

static inline float dg_f32(const uint8_t *at)
{
    uint32_t bits = dg_u32(at);
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The part of `bytes` at `offset`; the caller has checked it with dg_inside(). */
static inline struct dg_bytes dg_slice(struct dg_bytes bytes, size_t offset,
                                       size_t size)
{
    return (struct dg_bytes){bytes.data + offset, size};
}

static inline struct dg_text dg_text(const char *string)
{
    return (struct dg_text){string, string ? strlen(string) : 0};
}

static inline bool dg_text_is(struct dg_text text, const char *string)
{
    return text.data && text.size == strlen(string) &&
           !memcmp(text.data, string, text.size);
}

/* In the order of their bytes: below, at or above 0. */
static inline int dg_text_compare(struct dg_text a, struct dg_text b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static inline bool dg_text_equal(struct dg_text a, struct dg_text b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static inline bool dg_text_begins(struct dg_text text, const char *prefix)
{
    size_t size = strlen(prefix);

    return text.size >= size && !memcmp(text.data, prefix, size);
}

/* Whether the bytes are UTF-8: no overlong forms, surrogates or code points past
 * U+10FFFF. */
bool dg_is_utf8(struct dg_text text);

/* Bytes of the UTF-8 character that the text begins with, 0 when it is none; *point is
 * its code point. */
size_t dg_character(struct dg_text text, uint32_t *point);

/* What a terminal or an editor obeys and does not show: controls (C0, DEL, C1), and
 * marks that end lines, turn the direction of text or have no width. */
bool dg_is_control(uint32_t point);

#endif
