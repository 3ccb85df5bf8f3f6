/* What the files of the JSON walker share. */
#ifndef DG_FORMATS_JSON_PARTS_H
#define DG_FORMATS_JSON_PARTS_H

#include "formats/json.h"

/* Step over a string at `json->at`, checking it; its characters without the quotes. */
struct dg_text dg_json_scan_string(struct dg_json *json, bool *has_escapes);

/* Step over white space; the character there, or 0 at the end and after a failure. */
static inline char dg_json_space(struct dg_json *json)
{
    const char *at = json->at;

    while (at < json->end && (unsigned char)*at <= ' ' &&
           (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    json->at = at;
    return at < json->end && !json->failed ? *at : '\0';
}

/* Whether a value of that type is next; fails if not. */
bool dg_json_expect(struct dg_json *json, enum dg_json_type type);

/* Forget the names of the object before this one at the present depth. */
void dg_json_keys_begin(struct dg_json *json);

/* Note that the innermost object has `key`, written as `raw`; fails if it had it. */
bool dg_json_keys_add(struct dg_json *json, struct dg_text raw, struct dg_text key);

#endif
