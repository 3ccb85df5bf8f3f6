/* What the file says of a node beside its call: source lines, modules, notes. */
#include <stdlib.h>

#include "formats/pt2.h"

/* The string behind raw JSON text in quotes. */
static struct dg_text unescape(struct dg_pt2 *pt2, struct dg_json *outer,
                               struct dg_text raw)
{
    struct dg_json json;
    struct dg_text text;

    dg_json_begin(&json, raw, outer->source, &pt2->program->memory, outer->err);
    text = dg_json_string(&json);
    if (dg_json_end(&json))
        outer->failed = true;
    return text;
}

/* The raw text of a string: most repeat, and need not be unescaped again. */
static struct dg_text raw_string(struct dg_json *json)
{
    if (dg_json_peek(json) == DG_JSON_STRING)
        return dg_json_skip(json);
    if (!dg_json_null(json))
        dg_json_fail(json, "expected a string");
    return (struct dg_text){0};
}

/* Its entry; NULL: there is none, or it is empty. Most nodes have that of the one
 * before, which need not even be walked. */
static struct dg_name *known_string(struct dg_names *strings, struct dg_json *json)
{
    struct dg_name *last = strings->n_names ? &strings->names[strings->last] : NULL;
    struct dg_text raw;

    if (last && dg_json_skip_same(json, last->text))
        return last;
    raw = raw_string(json);
    return raw.size > 2 ? dg_names_at(strings, raw) : NULL;
}

static int64_t trace(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_name *known = known_string(&pt2->traces, json);

    if (known && known->value == DG_NONE)
        known->value = dg_intern_trace(pt2->program, unescape(pt2, json, known->text));
    return known ? known->value : DG_NONE;
}

/* The text up to a separator that stands outside of brackets; stepped over with it. */
static struct dg_text take(struct dg_text *rest, char separator)
{
    struct dg_text taken = {rest->data, 0};
    int depth = 0;

    while (taken.size < rest->size) {
        char c = rest->data[taken.size];

        if (c == separator && !depth)
            break;
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
        taken.size++;
    }
    rest->data += taken.size;
    rest->size -= taken.size;
    if (rest->size) {
        rest->data++;
        rest->size--;
    }
    return taken;
}

/* torch <= 2.6 wrote "L['self'].up" where later ones write "up". */
static struct dg_text plain_path(struct dg_text path)
{
    static const char self[] = "L['self']";
    size_t size = sizeof(self) - 1;

    if (!dg_text_begins(path, self))
        return path;
    size += path.size > size && path.data[size] == '.';
    return (struct dg_text){path.data + size, path.size - size};
}

/* "key,path,type" items, outermost first; `;` cannot stand in them. */
static int64_t innermost(struct dg_pt2 *pt2, struct dg_text stack)
{
    int64_t module = DG_NONE;

    while (stack.size) {
        const char *end = memchr(stack.data, ';', stack.size);
        size_t size = end ? (size_t)(end - stack.data) : stack.size;
        struct dg_text item = {stack.data, size}, path;

        take(&item, ',');
        path = plain_path(take(&item, ','));
        module = dg_intern_module(pt2->program, path,
                                  item.size ? item : (struct dg_text){0});
        size += end ? 1 : 0;
        stack = (struct dg_text){stack.data + size, stack.size - size};
    }
    return module;
}

static int64_t module(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_name *known = known_string(&pt2->stacks, json);

    if (known && known->value == DG_NONE)
        known->value = innermost(pt2, unescape(pt2, json, known->text));
    return known ? known->value : DG_NONE;
}

static void begin_member(struct dg_writer *out, struct dg_text key)
{
    dg_write(out, out->size ? "," : "{", 1);
    dg_write_json(out, key);
    dg_write(out, ":", 1);
}

static void other(struct dg_json *json, struct dg_text key, struct dg_writer *out)
{
    begin_member(out, key);
    dg_pt2_copy_json(json, out);
}

/* What a string holds that should be JSON; of what is none, the string is. */
static struct dg_text held_json(struct dg_pt2 *pt2, struct dg_json *outer)
{
    struct dg_text text = dg_json_string(outer);
    struct dg_error ignored = {0};
    struct dg_arena memory = {0};
    struct dg_writer out = {0};
    struct dg_json json;

    dg_json_begin(&json, text, outer->source, &memory, &ignored);
    dg_pt2_copy_json(&json, &out);
    if (dg_json_end(&json)) {
        out.size = 0;
        dg_write_json(&out, text);
    }
    dg_arena_clear(&memory);
    return dg_keep(&pt2->program->memory, &out);
}

/* Only an object has a column of its own. */
static void read_custom(struct dg_pt2 *pt2, struct dg_json *json,
                        struct dg_pt2_meta *meta, struct dg_writer *out)
{
    struct dg_text text = held_json(pt2, json);

    if (text.data[0] == '{') {
        meta->custom = text;
        return;
    }
    begin_member(out, dg_text("custom"));
    dg_write_text(out, text);
}

void dg_pt2_metadata(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_meta *meta)
{
    struct dg_writer *out = &pt2->scratch;
    struct dg_text key;

    out->size = 0;
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "stack_trace"))
            meta->trace = trace(pt2, json);
        else if (dg_text_is(key, "nn_module_stack"))
            meta->module = module(pt2, json);
        else if (dg_text_is(key, "custom"))
            read_custom(pt2, json, meta, out);
        else if (dg_text_is(key, "debug_handle"))
            meta->debug_handle = held_json(pt2, json);
        else
            other(json, key, out);
    }
    if (out->size) {
        dg_write(out, "}", 1);
        meta->other = dg_pt2_keep(pt2, out);
    }
}
