/* What torch reads of each model of a package before it opens its library: which files
 * those are, and what must be in them (AOTIModelPackageLoader in
 * torch/csrc/inductor/aoti_package/model_package_loader.cpp, load_pt2() in
 * torch/export/pt2_archive/_package.py). */
#include <stdlib.h>

#include "base/sorted.h"
#include "formats/library_package.h"

static const char device_key[] = "AOTI_DEVICE_KEY";

/* An entry below data/aotinductor/MODEL/. */
struct part {
    struct dg_text model, name; /* its name without the root */
    size_t index;
    const struct dg_zip_entry *entry;
};

struct model {
    struct dg_text name;
    const struct part *source, *library; /* the last of each; NULL: there is none */
    const struct dg_zip_entry *wrapper;  /* the first metadata of a wrapper */
    size_t n_wrappers;
};

/* Of a value that is an array torch takes its items as strings, and any other for one
 * string of no name. */
static void read_other(struct dg_metadata *metadata, struct dg_json *json)
{
    enum dg_json_type type = dg_json_peek(json);

    if (type == DG_JSON_ARRAY) {
        dg_json_array(json);
        while (dg_json_item(json)) {
            if (dg_json_peek(json) != DG_JSON_STRING)
                metadata->no_string = dg_text("of an array");
            dg_json_skip(json);
        }
        return;
    }
    if (type != DG_JSON_STRING && type != DG_JSON_NULL)
        metadata->no_string = dg_text("alone");
    dg_json_skip(json);
}

static void read_strings(struct dg_metadata *metadata, struct dg_json *json,
                         struct dg_writer *out)
{
    struct dg_text key, value;

    dg_json_object_of_names(json);
    while (dg_json_key(json, &key)) {
        if (dg_json_peek(json) != DG_JSON_STRING) {
            metadata->no_string = metadata->no_string.data ? metadata->no_string : key;
            dg_json_skip(json);
            continue;
        }
        value = dg_json_string(json);
        if (dg_text_is(key, device_key))
            metadata->device = value;
        dg_print(out, out->size ? "," : "{");
        dg_write_json(out, key);
        dg_print(out, ":");
        dg_write_json(out, value);
    }
}

/* Torch stops behind the value, whatever follows, and takes the last of equal keys. */
void dg_metadata_read(struct dg_metadata *metadata, struct dg_pt2 *pt2,
                      const struct dg_zip_entry *entry, struct dg_text text)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
    struct dg_writer out = {0};
    struct dg_json json;

    *metadata = (struct dg_metadata){0};
    if (dg_text_begins(text, mark))
        text = (struct dg_text){text.data + strlen(mark), text.size - strlen(mark)};
    dg_json_begin(&json, text, dg_pt2_label(pt2, entry->name), &pt2->program->memory,
                  &metadata->err);
    if (dg_json_peek(&json) == DG_JSON_OBJECT)
        read_strings(metadata, &json, &out);
    else
        read_other(metadata, &json);
    dg_print(&out, out.size ? "}" : "{}");
    metadata->strings = dg_keep(&pt2->program->memory, &out);
    metadata->failed = json.failed;
}

static void report(struct dg_pt2 *pt2, const char *rule,
                   const struct dg_zip_entry *entry, const struct dg_metadata *metadata)
{
    const char *label = dg_pt2_label(pt2, entry->name);

    if (metadata->failed)
        dg_remark(pt2->program, rule, "%s", metadata->err.text);
    else if (metadata->no_string.data)
        dg_remark(pt2->program, rule, "%s: what it says of %s is no string", label,
                  dg_pt2_label(pt2, metadata->no_string));
    else
        dg_remark(pt2->program, rule, "%s names no device (%s)", label, device_key);
}

/* Runners that torch itself brings; others register what they are for. */
static bool is_known_device(struct dg_text device)
{
    static const char *const known[] = {"cpu", "cuda", "mps", "xpu"};

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (dg_text_is(device, known[i]))
            return true;
    }
    return false;
}

/* The metadata by which the library is opened. */
static void check_metadata(struct dg_pt2 *pt2, const struct dg_zip_entry *entry)
{
    struct dg_metadata metadata;
    struct dg_text text;

    if (!dg_package_read_text(pt2, entry, &text))
        return;
    dg_metadata_read(&metadata, pt2, entry, text);
    if (metadata.failed || metadata.no_string.data || !metadata.device.size)
        report(pt2, "library/package", entry, &metadata);
    else if (!is_known_device(metadata.device))
        dg_remark(pt2->program, "library/unknown-need",
                  "%s names device %s, for which torch has no runner of its own",
                  dg_pt2_label(pt2, entry->name), dg_pt2_label(pt2, metadata.device));
}

/* The metadata that Python looks at first: torch goes on without what it cannot read,
 * but not without a device in what it can. */
static void check_wrapper(struct dg_pt2 *pt2, const struct dg_zip_entry *entry)
{
    struct dg_metadata metadata;
    struct dg_text text;

    if (!dg_package_read_text(pt2, entry, &text))
        return;
    dg_metadata_read(&metadata, pt2, entry, text);
    if (metadata.failed || metadata.no_string.data)
        report(pt2, dg_is_utf8(text) ? "library/unread" : "library/package", entry,
               &metadata);
    else if (!metadata.device.data)
        report(pt2, "library/package", entry, &metadata);
}

static void check_model(struct dg_pt2 *pt2, const struct model *model)
{
    const struct part *part = model->source ? model->source : model->library;
    const char *name = dg_pt2_label(pt2, model->name);
    const struct dg_zip_entry *metadata =
        part ? dg_package_beside(pt2, part->name, "_metadata.json") : NULL;

    if (model->n_wrappers > 1)
        dg_remark(pt2->program, "library/package",
                  "model %s has %zu libraries named *wrapper.so; torch takes one", name,
                  model->n_wrappers);
    if (!model->library &&
        !(part && dg_package_beside(pt2, part->name, "_compile_flags.json")))
        dg_remark(pt2->program, "library/package",
                  "model %s has no library, and no source with flags to compile it",
                  name);
    if (part && !metadata)
        dg_remark(pt2->program, "library/package", "model %s has no metadata beside %s",
                  name, dg_pt2_label(pt2, part->name));
    if (metadata)
        check_metadata(pt2, metadata);
    if (model->wrapper && model->wrapper != metadata)
        check_wrapper(pt2, model->wrapper);
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *one = a, *other = b;
    int order = dg_text_compare(one->model, other->model);

    return order ? order : (one->index > other->index) - (one->index < other->index);
}

/* MODEL of data/aotinductor/MODEL/NAME; data NULL: the entry is of no model. */
static struct dg_text model_of(struct dg_text name)
{
    static const char folder[] = "data/aotinductor/";
    const char *slash;

    if (!dg_text_begins(name, folder))
        return (struct dg_text){0};
    name = (struct dg_text){name.data + strlen(folder), name.size - strlen(folder)};
    slash = memchr(name.data, '/', name.size);
    return slash ? (struct dg_text){name.data, (size_t)(slash - name.data)}
                 : (struct dg_text){0};
}

static size_t list_parts(struct part **parts, struct dg_pt2 *pt2)
{
    size_t n = 0;

    for (size_t i = 0; i < pt2->zip.n_entries; i++) {
        const struct dg_zip_entry *entry = &pt2->zip.entries[i];
        struct dg_text name = dg_pt2_inner_name(pt2, entry), model = model_of(name);

        if (model.data)
            *DG_APPEND(*parts, n) = (struct part){model, name, i, entry};
    }
    dg_sort(*parts, n, sizeof(**parts), compare_parts);
    return n;
}

static const char wrapper[] = ".wrapper.so";

static int compare_names(const void *a, const void *b)
{
    const struct dg_text *one = a, *other = b;

    return dg_text_compare(*one, *other);
}

void dg_wrapped_list(struct dg_wrapped *wrapped, const struct dg_pt2 *pt2)
{
    *wrapped = (struct dg_wrapped){0};
    for (size_t i = 0; i < pt2->zip.n_entries; i++) {
        struct dg_text name = dg_pt2_inner_name(pt2, &pt2->zip.entries[i]);
        struct dg_text model = model_of(name);

        if (model.data && dg_pt2_ends(name, wrapper))
            *DG_APPEND(wrapped->models, wrapped->n_models) = model;
    }
    dg_sort(wrapped->models, wrapped->n_models, sizeof(*wrapped->models),
            compare_names);
}

bool dg_wrapped_opens(const struct dg_wrapped *wrapped, struct dg_text name)
{
    struct dg_text model = model_of(name);

    if (dg_pt2_ends(name, wrapper))
        return true;
    return (dg_pt2_ends(name, ".so") || dg_pt2_ends(name, ".pyd")) && model.data &&
           !dg_search(&model, wrapped->models, wrapped->n_models,
                      sizeof(*wrapped->models), compare_names);
}

void dg_wrapped_clear(struct dg_wrapped *wrapped)
{
    free(wrapped->models);
}

static void add_part(struct model *model, const struct part *part)
{
    model->n_wrappers += dg_pt2_ends(part->name, "wrapper.so");
    if (dg_pt2_ends(part->name, ".cpp"))
        model->source = part;
    else if (dg_pt2_ends(part->name, ".so") || dg_pt2_ends(part->name, ".pyd"))
        model->library = part;
    else if (dg_pt2_ends(part->name, "wrapper_metadata.json") && !model->wrapper)
        model->wrapper = part->entry;
}

void dg_package_check_models(struct dg_pt2 *pt2)
{
    struct part *parts = NULL;
    size_t n = list_parts(&parts, pt2);

    for (size_t i = 0; i < n;) {
        struct model model = {.name = parts[i].model};

        for (; i < n && dg_text_equal(parts[i].model, model.name); i++)
            add_part(&model, &parts[i]);
        check_model(pt2, &model);
    }
    free(parts);
}
