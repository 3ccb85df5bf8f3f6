/* Strings of JSON: checked eight bytes at a time, copied only if they have escapes. */
#include "formats/json_parts.h"

enum { ROOM = 1 << 16 };

#define EACH(byte) (0x0101010101010101u * (byte))

/* A mark in the top bit of each byte that is 0; exact up to the first one. */
static uint64_t zeros(uint64_t word)
{
    return (word - EACH(1)) & ~word & EACH(0x80);
}

/* The first quote, backslash or control character at or after `at`. *high collects the
 * top bits of what lies before it, and maybe of what lies behind it. */
static const char *find_stop(const char *at, const char *end, uint64_t *high)
{
    while (end - at >= 8) {
        uint64_t word = dg_u64((const uint8_t *)at);
        uint64_t stop = zeros(word ^ EACH('"')) | zeros(word ^ EACH('\\')) |
                        ((word - EACH(' ')) & ~word & EACH(0x80));

        *high |= word & EACH(0x80);
        if (stop)
            return at + __builtin_ctzll(stop) / 8;
        at += 8;
    }
    while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= ' ')
        *high |= (uint64_t)(*at++ & 0x80);
    return at;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The four hexadecimal digits at `at`, or -1. */
static int unit(const char *at, const char *end)
{
    int value = 0;

    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (digit(at[i]) < 0)
            return -1;
        value = value * 16 + digit(at[i]);
    }
    return value;
}

/* What stands for itself or for one control character behind a backslash. */
static char simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    }
    return '\0';
}

/* Step over the escape at `json->at`. */
static bool check_escape(struct dg_json *json)
{
    const char *at = json->at + 1;
    int code;

    if (at < json->end && (*at == 'n' || simple_escape(*at))) {
        json->at += 2;
        return true;
    }
    if (at == json->end || *at != 'u')
        return dg_json_fail(json, "expected an escape that JSON knows");
    code = unit(at + 1, json->end);
    if (code < 0)
        return dg_json_fail(json, "expected four hexadecimal digits after \\u");
    if (!code)
        return dg_json_fail(json, "expected text without NUL (\\u0000)");
    json->at += 6;
    return true;
}

struct dg_text dg_json_scan_string(struct dg_json *json, bool *has_escapes)
{
    struct dg_text raw = {json->at + 1, 0};
    uint64_t high = 0;

    *has_escapes = false;
    for (json->at++;;) {
        json->at = find_stop(json->at, json->end, &high);
        if (json->at == json->end)
            dg_json_fail(json, "expected '\"' at the end of the string");
        else if (*json->at == '"')
            break;
        else if (*json->at != '\\')
            dg_json_fail(json, "expected no control character (0x%02x) in a string",
                         (unsigned)*json->at);
        else if ((*has_escapes = check_escape(json)))
            continue;
        return (struct dg_text){0};
    }
    raw.size = (size_t)(json->at - raw.data);
    if (high && !dg_is_utf8(raw)) {
        json->at = raw.data;
        dg_json_fail(json, "expected UTF-8 in a string");
        return (struct dg_text){0};
    }
    json->at++;
    return raw;
}

static char *put_code(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xe0 | code >> 12);
        } else {
            *out++ = (char)(0xf0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *out++ = (char)(0x80 | (code & 0x3f));
    return out;
}

/* Write what the \u escape at *at means and step over it; the text was checked. */
static char *put_unit(char *out, const char **at, const char *end)
{
    unsigned code = (unsigned)unit(*at + 2, end);
    int low = -1;

    *at += 6;
    if (code < 0xd800 || code > 0xdfff)
        return put_code(out, code);
    if (code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u')
        low = unit(*at + 2, end);
    if (low < 0xdc00 || low > 0xdfff)
        return put_code(out, 0xfffd);
    *at += 6;
    return put_code(out, 0x10000 + ((code - 0xd800) << 10) + ((unsigned)low - 0xdc00));
}

/* Room for `size` bytes; what the text does not use, the next one does. */
static char *make_room(struct dg_json *json, size_t size)
{
    size_t room = (size_t)(json->end - json->begin);

    if (size <= (size_t)(json->room_end - json->room))
        return json->room;
    if (size > ROOM / 4)
        return dg_alloc(json->memory, size, 1);
    if (room > ROOM)
        room = ROOM;
    json->room = dg_alloc(json->memory, room, 1);
    json->room_end = json->room + room;
    return json->room;
}

struct dg_text dg_json_unescape(struct dg_json *json, struct dg_text raw)
{
    const char *at = raw.data, *end, *slash;
    char *text, *out;

    slash = raw.size ? memchr(at, '\\', raw.size) : NULL;
    if (!slash)
        return raw;
    end = raw.data + raw.size;
    text = out = make_room(json, raw.size);
    for (; slash; slash = at < end ? memchr(at, '\\', (size_t)(end - at)) : NULL) {
        memcpy(out, at, (size_t)(slash - at));
        out += slash - at;
        at = slash;
        if (at[1] == 'u') {
            out = put_unit(out, &at, end);
        } else {
            *out++ = simple_escape(at[1]);
            at += 2;
        }
    }
    memcpy(out, at, (size_t)(end - at));
    out += end - at;
    if (text == json->room)
        json->room = out;
    return (struct dg_text){text, (size_t)(out - text)};
}

struct dg_text dg_json_raw_string(struct dg_json *json)
{
    bool has_escapes;

    if (!dg_json_expect(json, DG_JSON_STRING))
        return (struct dg_text){0};
    return dg_json_scan_string(json, &has_escapes);
}

struct dg_text dg_json_string(struct dg_json *json)
{
    struct dg_text raw;
    bool has_escapes;

    if (!dg_json_expect(json, DG_JSON_STRING))
        return (struct dg_text){0};
    raw = dg_json_scan_string(json, &has_escapes);
    return has_escapes ? dg_json_unescape(json, raw) : raw;
}
