/* Which node of the first export a node came from: `from_node` of its metadata, as
 * torch/_export/serde writes it, of which each list ends with the nearest source
 * (torch/fx/traceback.py). ExecuTorch numbers its debug handles by it. */
#include "exec/schedule_fx.h"
#include "formats/json.h"

struct source {
    struct dg_text name;
    int64_t graph;
    struct dg_text before; /* its own sources; JSON */
};

static void read_member(struct dg_json *json, struct dg_text key, struct source *source)
{
    if (dg_text_is(key, "name"))
        source->name = dg_json_string(json);
    else if (dg_text_is(key, "graph_id"))
        source->graph = dg_json_int(json);
    else if (dg_text_is(key, "from_node"))
        source->before = dg_json_skip(json);
    else
        dg_json_skip(json);
}

/* The last of a list; false: it is empty, or no such list. */
static bool last_source(struct dg_fx *fx, struct dg_text list, struct source *source)
{
    struct dg_error ignored = {0};
    struct dg_json json;
    struct dg_text key;
    bool found = false;

    dg_json_begin(&json, list, "from_node", &fx->scratch, &ignored);
    dg_json_array(&json);
    while (dg_json_item(&json)) {
        *source = (struct source){0};
        found = true;
        dg_json_object(&json);
        while (dg_json_key(&json, &key))
            read_member(&json, key, source);
    }
    return !dg_json_end(&json) && found;
}

uint32_t dg_fx_origin(struct dg_fx *fx, struct dg_text from_node)
{
    struct source source = {0}, next;
    struct dg_text list = from_node;
    struct dg_text_set *origins = &fx->origins;

    if (!from_node.size)
        return 0;
    while (list.size && last_source(fx, list, &next)) {
        source = next;
        list = next.before;
    }
    if (!source.name.size)
        return 0;
    return 1 +
           dg_text_set_add(origins, dg_format(&fx->schedule->memory, "%.*s.%lld",
                                              (int)source.name.size, source.name.data,
                                              (long long)source.graph));
}
