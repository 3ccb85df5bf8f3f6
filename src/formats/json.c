/* JSON text walked in place: containers, words, and values stepped over. */
#include <libdeflate.h>

#include "formats/json_parts.h"

enum { SUM_STRIDE = 128 << 10 }; /* bytes: they fit into any second-level cache */

void dg_json_begin(struct dg_json *json, struct dg_text text, const char *source,
                   struct dg_arena *memory, struct dg_error *err)
{
    if (!text.data)
        text = dg_text("");
    *json = (struct dg_json){
        .begin = text.data,
        .at = text.data,
        .end = text.data + text.size,
        .source = source,
        .memory = memory,
        .err = err,
        .fresh = true,
    };
}

enum dg_status dg_json_end(struct dg_json *json)
{
    if (!json->failed && json->fresh && !json->depth)
        dg_json_fail(json, "expected a value, found nothing");
    dg_json_space(json);
    if (!json->failed && json->at < json->end)
        dg_json_fail(json, "expected the end of the text");
    return json->failed ? DG_ERR_FORMAT : DG_OK;
}

void dg_json_sum(struct dg_json *json)
{
    json->summed = json->begin;
    json->crc = 0;
}

static void sum_until(struct dg_json *json, const char *end)
{
    json->crc = libdeflate_crc32(json->crc, json->summed, (size_t)(end - json->summed));
    json->summed = end;
}

uint32_t dg_json_crc(struct dg_json *json)
{
    sum_until(json, json->end);
    return json->crc;
}

static const uint8_t type_of[256] = {
    ['{'] = DG_JSON_OBJECT, ['['] = DG_JSON_ARRAY,  ['"'] = DG_JSON_STRING,
    ['t'] = DG_JSON_BOOL,   ['f'] = DG_JSON_BOOL,   ['n'] = DG_JSON_NULL,
    ['-'] = DG_JSON_NUMBER, ['I'] = DG_JSON_NUMBER, ['N'] = DG_JSON_NUMBER,
    ['0'] = DG_JSON_NUMBER, ['1'] = DG_JSON_NUMBER, ['2'] = DG_JSON_NUMBER,
    ['3'] = DG_JSON_NUMBER, ['4'] = DG_JSON_NUMBER, ['5'] = DG_JSON_NUMBER,
    ['6'] = DG_JSON_NUMBER, ['7'] = DG_JSON_NUMBER, ['8'] = DG_JSON_NUMBER,
    ['9'] = DG_JSON_NUMBER,
};

enum dg_json_type dg_json_peek(struct dg_json *json)
{
    return type_of[(unsigned char)dg_json_space(json)];
}

bool dg_json_expect(struct dg_json *json, enum dg_json_type type)
{
    static const char *const names[] = {
        "nothing that JSON knows",
        "an object",
        "an array",
        "a string",
        "a number",
        "a boolean",
        "null",
    };
    enum dg_json_type found = dg_json_peek(json);

    if (json->failed)
        return false;
    if (!json->depth && !json->fresh)
        return dg_json_fail(json, "expected the end of the text");
    if (found != type)
        return dg_json_fail(json, "expected %s, found %s", names[type],
                            json->at < json->end ? names[found] : "the end");
    json->fresh = false;
    return true;
}

static bool enter(struct dg_json *json, enum dg_json_type type)
{
    struct dg_json_frame *frame;

    if (!dg_json_expect(json, type))
        return false;
    if (json->depth == DG_JSON_DEPTH)
        return dg_json_fail(json, "expected a nesting of at most %d", DG_JSON_DEPTH);
    frame = &json->frames[json->depth++];
    frame->key = (struct dg_text){0};
    frame->index = type == DG_JSON_ARRAY ? 0 : -1;
    json->fresh = true;
    json->at++;
    return true;
}

void dg_json_object(struct dg_json *json)
{
    if (!enter(json, DG_JSON_OBJECT))
        return;
    json->frames[json->depth - 1].names = false;
    dg_json_keys_begin(json);
}

void dg_json_object_of_names(struct dg_json *json)
{
    if (enter(json, DG_JSON_OBJECT))
        json->frames[json->depth - 1].names = true;
}

void dg_json_refuse_key(struct dg_json *json)
{
    json->at = json->frames[json->depth - 1].key_at;
    dg_json_fail(json, "expected each key once");
}

void dg_json_array(struct dg_json *json)
{
    enter(json, DG_JSON_ARRAY);
}

/* Step to the next member or item; leave the container at `close`. */
static bool next(struct dg_json *json, char close)
{
    char found = dg_json_space(json);

    if (json->failed)
        return false;
    if (json->summed && json->at - json->summed >= SUM_STRIDE)
        sum_until(json, json->at);
    if (found == close) {
        json->at++;
        json->depth--;
        json->fresh = false;
        return false;
    }
    if (json->fresh) {
        json->fresh = false;
        return true;
    }
    if (found != ',')
        return dg_json_fail(json, "expected ',' or '%c'", close);
    json->at++;
    if (dg_json_space(json) == close)
        return dg_json_fail(json, "expected another value after ','");
    return !json->failed;
}

static bool next_key(struct dg_json *json, struct dg_text *raw, bool *has_escapes)
{
    struct dg_json_frame *frame = &json->frames[json->depth - 1];

    if (!next(json, '}'))
        return false;
    if (dg_json_space(json) != '"')
        return dg_json_fail(json, "expected a key in quotes");
    *raw = dg_json_scan_string(json, has_escapes);
    if (json->failed)
        return false;
    frame->key = *raw;
    frame->key_at = raw->data - 1;
    if (dg_json_space(json) != ':')
        return dg_json_fail(json, "expected ':' after the key");
    json->at++;
    return true;
}

bool dg_json_key(struct dg_json *json, struct dg_text *key)
{
    struct dg_text raw;
    bool has_escapes;

    *key = (struct dg_text){0};
    if (json->failed || !next_key(json, &raw, &has_escapes))
        return false;
    *key = has_escapes ? dg_json_unescape(json, raw) : raw;
    json->frames[json->depth - 1].key = *key;
    return json->frames[json->depth - 1].names || dg_json_keys_add(json, raw, *key);
}

bool dg_json_item(struct dg_json *json)
{
    bool first = json->fresh;

    if (json->failed || !next(json, ']'))
        return false;
    json->frames[json->depth - 1].index += !first;
    return true;
}

static bool word(struct dg_json *json, const char *expected)
{
    size_t size = strlen(expected);

    if ((size_t)(json->end - json->at) < size || memcmp(json->at, expected, size) != 0)
        return dg_json_fail(json, "expected %s", expected);
    json->at += size;
    return true;
}

bool dg_json_bool(struct dg_json *json)
{
    bool value;

    if (!dg_json_expect(json, DG_JSON_BOOL))
        return false;
    value = *json->at == 't';
    return word(json, value ? "true" : "false") && value;
}

bool dg_json_null(struct dg_json *json)
{
    return dg_json_peek(json) == DG_JSON_NULL && dg_json_expect(json, DG_JSON_NULL) &&
           word(json, "null");
}

/* Step over a scalar, or into a container. */
static void skip_one(struct dg_json *json)
{
    switch (dg_json_peek(json)) {
    case DG_JSON_OBJECT:
        enter(json, DG_JSON_OBJECT);
        break;
    case DG_JSON_ARRAY:
        enter(json, DG_JSON_ARRAY);
        break;
    case DG_JSON_NUMBER:
        dg_json_number(json);
        break;
    case DG_JSON_BOOL:
        dg_json_bool(json);
        break;
    case DG_JSON_NULL:
        dg_json_null(json);
        break;
    case DG_JSON_STRING:
        dg_json_raw_string(json);
        break;
    case DG_JSON_END:
        dg_json_fail(json, "expected a value");
    }
}

struct dg_text dg_json_skip(struct dg_json *json)
{
    int outside = json->depth;
    struct dg_text raw;
    bool has_escapes;
    const char *start;

    dg_json_space(json);
    start = json->at;
    do {
        skip_one(json);
        while (json->depth > outside && !json->failed &&
               !(json->frames[json->depth - 1].index < 0
                     ? next_key(json, &raw, &has_escapes)
                     : dg_json_item(json))) {
        }
    } while (json->depth > outside && !json->failed);
    if (json->failed)
        return (struct dg_text){0};
    return (struct dg_text){start, (size_t)(json->at - start)};
}

bool dg_json_skip_same(struct dg_json *json, struct dg_text raw)
{
    dg_json_space(json);
    if (json->failed || (!json->depth && !json->fresh) ||
        (size_t)(json->end - json->at) < raw.size ||
        memcmp(json->at, raw.data, raw.size) != 0)
        return false;
    json->at += raw.size;
    json->fresh = false;
    return true;
}
