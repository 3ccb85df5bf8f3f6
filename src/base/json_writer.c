/* Writing JSON. What is written wrong is a bug of ours. */
#include "base/json_writer.h"

#include <assert.h>
#include <inttypes.h>

static void separate(struct dg_json_writer *json)
{
    if (json->comma)
        dg_write(json->out, ",", 1);
    if (json->line)
        dg_write(json->out, "\n", 1);
    json->comma = json->line = false;
}

static bool in_object(const struct dg_json_writer *json)
{
    return json->open.size && json->open.data[json->open.size - 1] == '}';
}

struct dg_writer *dg_put_raw(struct dg_json_writer *json, const char *key)
{
    assert(in_object(json) == (key || json->named) && !(key && json->named));
    separate(json);
    if (key) {
        dg_write(json->out, "\"", 1);
        dg_write_text(json->out, dg_text(key));
        dg_write(json->out, "\":", 2);
    }
    json->named = false;
    json->comma = json->open.size > 0;
    return json->out;
}

static void begin(struct dg_json_writer *json, const char *key, const char *brackets)
{
    dg_write(dg_put_raw(json, key), brackets, 1);
    dg_write(&json->open, brackets + 1, 1);
    json->comma = false;
}

void dg_put_object(struct dg_json_writer *json, const char *key)
{
    begin(json, key, "{}");
}

void dg_put_array(struct dg_json_writer *json, const char *key)
{
    begin(json, key, "[]");
}

void dg_put_end(struct dg_json_writer *json)
{
    assert(json->open.size && !json->named);
    dg_write(json->out, &json->open.data[--json->open.size], 1);
    json->comma = json->open.size > 0;
    json->line = false;
}

void dg_put_name(struct dg_json_writer *json, struct dg_text name)
{
    assert(in_object(json) && !json->named);
    separate(json);
    dg_write_json(json->out, name);
    dg_write(json->out, ":", 1);
    json->named = true;
}

void dg_put_line(struct dg_json_writer *json)
{
    json->line = true;
}

void dg_put_text(struct dg_json_writer *json, const char *key, struct dg_text text)
{
    if (text.data)
        dg_write_json(dg_put_raw(json, key), text);
    else
        dg_put_null(json, key);
}

void dg_put_int(struct dg_json_writer *json, const char *key, int64_t number)
{
    dg_print(dg_put_raw(json, key), "%" PRId64, number);
}

void dg_put_known(struct dg_json_writer *json, const char *key, int64_t number)
{
    if (number < 0)
        dg_put_null(json, key);
    else
        dg_put_int(json, key, number);
}

void dg_put_bool(struct dg_json_writer *json, const char *key, bool yes)
{
    dg_write_text(dg_put_raw(json, key), dg_text(yes ? "true" : "false"));
}

void dg_put_null(struct dg_json_writer *json, const char *key)
{
    dg_write(dg_put_raw(json, key), "null", 4);
}

void dg_json_written(struct dg_json_writer *json)
{
    assert(!json->open.size && !json->named);
    dg_writer_clear(&json->open);
}
