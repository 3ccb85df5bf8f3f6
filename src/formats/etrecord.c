/* ETRecords: archives of the programs that a .pte was lowered from, and which of their
 * nodes its instructions are. */
#include <stdio.h>

#include "base/numeral.h"
#include "base/text_set.h"
#include "formats/pt2.h"

static const char edge[] = "edge_dialect_exported_program";
static const char *const beside[] = {"_state_dict", "_constants", "_example_inputs"};

static const struct dg_zip_entry *find(struct dg_pt2 *pt2, struct dg_text name,
                                       const char *suffix)
{
    return dg_zip_find(&pt2->zip, dg_format(&pt2->program->memory, "%.*s%s",
                                            (int)name.size, name.data, suffix));
}

/* Methods may be called like what lies beside another one: that is there, too. */
static bool is_beside(struct dg_pt2 *pt2, struct dg_text name)
{
    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
        size_t size = strlen(beside[i]);

        if (dg_pt2_ends(name, beside[i]) &&
            dg_zip_find(&pt2->zip, (struct dg_text){name.data, name.size - size}))
            return true;
    }
    return false;
}

static enum dg_status read_program(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                                   struct dg_text method)
{
    struct dg_pt2_parts parts = {entry, find(pt2, entry->name, beside[0]),
                                 find(pt2, entry->name, beside[1]),
                                 find(pt2, entry->name, beside[2])};

    return dg_pt2_read_parts(pt2, &parts, dg_text(dg_pt2_label(pt2, method)));
}

/* "forward" of edge_dialect_exported_program/forward, and of the name alone, which
 * writers before ExecuTorch 1.2 gave; size 0: it is something else. */
static struct dg_text method_of(struct dg_text name)
{
    size_t size = sizeof(edge) - 1;

    if (!dg_text_begins(name, edge))
        return (struct dg_text){0};
    if (name.size == size)
        return dg_text("forward");
    return name.data[size] == '/'
               ? (struct dg_text){name.data + size + 1, name.size - size - 1}
               : (struct dg_text){0};
}

static enum dg_status read_programs(struct dg_pt2 *pt2)
{
    const struct dg_zip_entry *exported =
        dg_zip_find(&pt2->zip, dg_text("exported_program"));
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < pt2->zip.n_entries && !status; i++) {
        struct dg_text method = method_of(pt2->zip.entries[i].name);

        if (method.size && !is_beside(pt2, pt2->zip.entries[i].name))
            status = read_program(pt2, &pt2->zip.entries[i], method);
    }
    if (!status && !pt2->program->n_methods && exported)
        status = read_program(pt2, exported, dg_text("forward"));
    if (!status && !pt2->program->n_methods)
        status = dg_fail(pt2->err, DG_ERR_FORMAT,
                         "the ETRecord holds no program: generate it together with the"
                         " edge program");
    return status;
}

/* Which instruction, or part of one, the handles that follow are of. */
struct place {
    int64_t method, instruction;
    struct dg_text part;
};

static void add_handle(struct dg_pt2 *pt2, struct dg_json *json,
                       const struct place *place)
{
    struct dg_text handle = dg_json_number(json);
    struct dg_instruction_handle_row *row;

    if (json->failed || place->method == DG_NONE)
        return;
    row = dg_add_instruction_handle(pt2->program);
    row->method = place->method;
    row->instruction = place->instruction;
    row->part = place->part;
    row->debug_handle = handle;
}

/* 3, or [1, 2]. */
static void read_handles(struct dg_pt2 *pt2, struct dg_json *json,
                         const struct place *place)
{
    if (dg_json_peek(json) != DG_JSON_ARRAY) {
        add_handle(pt2, json, place);
        return;
    }
    dg_json_array(json);
    while (dg_json_item(json))
        add_handle(pt2, json, place);
}

/* {"name": "QnnBackend", "delegate_map": {"7": [1, 2]}}: what is inside of a call. */
static void read_delegate(struct dg_pt2 *pt2, struct dg_json *json,
                          const struct place *place)
{
    struct place part = *place;
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (!dg_text_is(key, "delegate_map") || dg_json_peek(json) != DG_JSON_OBJECT) {
            dg_json_skip(json);
            continue;
        }
        dg_json_object(json);
        while (dg_json_key(json, &part.part))
            read_handles(pt2, json, &part);
    }
}

/* By number, their rows. */
static struct dg_text_set names_of(const struct dg_program *program)
{
    struct dg_text_set names = {0};

    for (size_t i = 0; i < program->n_methods; i++) {
        if (dg_text_set_add(&names, program->methods[i].name) == i)
            continue;
        dg_text_set_clear(&names); /* nobody knows which of two is meant */
        break;
    }
    return names;
}

static int64_t method_called(const struct dg_text_set *methods, struct dg_text name)
{
    uint32_t number = dg_text_set_find(methods, name);

    return number == DG_NO_TEXT ? DG_NONE : number;
}

typedef void read_fn(struct dg_pt2 *pt2, struct dg_json *json,
                     const struct place *place);

/* {"forward": {"0": ...}}: by method and instruction. */
static enum dg_status read_map(struct dg_pt2 *pt2, const char *name,
                               const struct dg_text_set *methods, read_fn *read)
{
    const struct dg_zip_entry *entry = dg_zip_find(&pt2->zip, dg_text(name));
    struct dg_json json;
    struct dg_text method, instruction;
    enum dg_status status;

    if (!entry)
        return DG_OK;
    status = dg_pt2_begin_json(pt2, entry, &json);
    if (status)
        return status;
    dg_json_object(&json);
    while (dg_json_key(&json, &method)) {
        struct place place = {.method = method_called(methods, method)};

        dg_json_object(&json);
        while (dg_json_key(&json, &instruction)) {
            char text[24];

            snprintf(text, sizeof(text), "%.*s",
                     (int)(instruction.size < 20 ? instruction.size : 20),
                     instruction.data);
            if (dg_read_count(&place.instruction, text) &&
                place.instruction <= UINT32_MAX)
                read(pt2, &json, &place);
            else
                dg_json_fail(&json, "expected the number of an instruction");
        }
    }
    return dg_pt2_end_json(pt2, entry, &json);
}

enum dg_status dg_pt2_read_etrecord(struct dg_pt2 *pt2)
{
    struct dg_text_set methods;
    enum dg_status status;

    pt2->old = pt2->exir = true;
    pt2->program->container = dg_text("ETRecord 0");
    dg_pt2_add_segments(pt2);
    status = read_programs(pt2);
    methods = names_of(pt2->program);
    if (!status)
        status = read_map(pt2, "debug_handle_map", &methods, read_handles);
    if (!status)
        status = read_map(pt2, "delegate_map", &methods, read_delegate);
    dg_text_set_clear(&methods);
    return status;
}
