/* Where in a JSON text a failure lies: byte offset and path. */
#include "formats/json_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

enum { KEY_SHOWN = 60, PATH_SIZE = 300 };

struct place {
    char text[PATH_SIZE];
    size_t size;
};

static bool is_plain(struct dg_text key)
{
    for (size_t i = 0; i < key.size; i++) {
        if (!isalnum((unsigned char)key.data[i]) && key.data[i] != '_')
            return false;
    }
    return key.size && key.size <= KEY_SHOWN;
}

/* At most KEY_SHOWN bytes, not ending within a character. */
static int shown(struct dg_text key)
{
    size_t size = key.size;

    if (size > KEY_SHOWN) {
        for (size = KEY_SHOWN; size && (key.data[size] & 0xc0) == 0x80; size--) {
        }
    }
    return (int)size;
}

static void add_frame(struct place *place, const struct dg_json_frame *frame)
{
    char *at = place->text + place->size;
    size_t left = sizeof(place->text) - place->size;
    int size = 0;

    if (frame->index >= 0)
        size = snprintf(at, left, "[%lld]", (long long)frame->index);
    else if (is_plain(frame->key))
        size = snprintf(at, left, ".%.*s", (int)frame->key.size, frame->key.data);
    else if (frame->key.data)
        size = snprintf(at, left, "[\"%.*s%s\"]", shown(frame->key), frame->key.data,
                        frame->key.size > KEY_SHOWN ? "..." : "");
    place->size += (size_t)size;
}

static void find_place(struct place *place, const struct dg_json *json)
{
    static const char cut[] = "...";

    strcpy(place->text, "$");
    place->size = 1;
    for (int i = 0; i < json->depth; i++) {
        size_t before = place->size;

        add_frame(place, &json->frames[i]);
        if (place->size + sizeof(cut) > sizeof(place->text)) {
            strcpy(place->text + before, cut);
            return;
        }
    }
}

bool dg_json_fail(struct dg_json *json, const char *fmt, ...)
{
    char what[256];
    struct place place;
    va_list args;

    if (json->failed)
        return false;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    find_place(&place, json);
    for (char *at = place.text; *at; at++) {
        if (iscntrl((unsigned char)*at))
            *at = '?';
    }
    dg_fail(json->err, DG_ERR_FORMAT, "%s: byte %zu, %s: %s", json->source,
            (size_t)(json->at - json->begin), place.text, what);
    json->failed = true;
    return false;
}
