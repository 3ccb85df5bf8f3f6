/* The JSON walker: what is walked without a failure must be skipped without one. */
#include <stdlib.h>

#include "formats/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_scalar(struct dg_json *json)
{
    switch (dg_json_peek(json)) {
    case DG_JSON_NUMBER:
        dg_json_double(json);
        break;
    case DG_JSON_BOOL:
        dg_json_bool(json);
        break;
    case DG_JSON_NULL:
        dg_json_null(json);
        break;
    default:
        if (!dg_is_utf8(dg_json_string(json)))
            abort();
    }
}

static void walk(struct dg_json *json)
{
    bool is_object[DG_JSON_DEPTH + 1];
    struct dg_text key;

    do {
        enum dg_json_type type = dg_json_peek(json);

        if (type == DG_JSON_OBJECT || type == DG_JSON_ARRAY) {
            is_object[json->depth] = type == DG_JSON_OBJECT;
            if (type == DG_JSON_OBJECT)
                dg_json_object(json);
            else
                dg_json_array(json);
        } else {
            read_scalar(json);
        }
        while (json->depth && !json->failed &&
               !(is_object[json->depth - 1] ? dg_json_key(json, &key)
                                            : dg_json_item(json))) {
        }
    } while (json->depth && !json->failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_arena memory = {0};
    struct dg_error walked = {0}, skipped = {0};
    struct dg_text text = {(const char *)data, size};
    static struct dg_json json;

    dg_json_begin(&json, text, "fuzz", &memory, &walked);
    walk(&json);
    dg_json_end(&json);
    dg_json_begin(&json, text, "fuzz", &memory, &skipped);
    dg_json_skip(&json);
    if (dg_json_end(&json) && !walked.status)
        abort();
    if (!dg_is_utf8(dg_text(walked.text)) && dg_is_utf8(text))
        abort();
    dg_arena_clear(&memory);
    return 0;
}
