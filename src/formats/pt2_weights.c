/* Weights, buffers and constants: where their bytes lie in the file. */
#include "formats/pt2.h"

#include <string.h>

struct payload {
    struct dg_text fqn, path;
    bool parameter, pickled, has_meta;
    struct dg_pt2_tensor tensor;
};

static void read_payload(struct dg_pt2 *pt2, struct dg_json *json,
                         struct payload *payload)
{
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "path_name")) {
            payload->path = dg_json_string(json);
        } else if (dg_text_is(key, "is_param")) {
            payload->parameter = dg_json_bool(json);
        } else if (dg_text_is(key, "use_pickle")) {
            payload->pickled = dg_json_bool(json);
        } else if (dg_text_is(key, "tensor_meta")) {
            payload->has_meta = !dg_json_null(json);
            if (payload->has_meta)
                payload->tensor = dg_pt2_tensor_meta(pt2, json);
        } else {
            dg_pt2_unknown(pt2, json, key);
        }
    }
}

/* weight_0, tensor_0, custom_obj_0, opaque_obj_0: nothing that leads elsewhere */
static bool is_payload_name(struct dg_text path)
{
    size_t at = path.size;

    while (at && path.data[at - 1] >= '0' && path.data[at - 1] <= '9')
        at--;
    if (at == path.size || path.size > 40)
        return false;
    path.size = at;
    return dg_text_is(path, "weight_") || dg_text_is(path, "tensor_") ||
           dg_text_is(path, "custom_obj_") || dg_text_is(path, "opaque_obj_");
}

/* One damage may hit all weights: it is counted, and said once. */
static void count_lack(struct dg_pt2 *pt2, const char *rule, struct dg_text fqn,
                       const char *what)
{
    const size_t most = sizeof(pt2->lacks) / sizeof(*pt2->lacks);
    size_t i = 0;

    while (i < pt2->n_lacks && strcmp(pt2->lacks[i].what, what) != 0)
        i++;
    if (i == pt2->n_lacks && i < most)
        pt2->lacks[pt2->n_lacks++] = (struct dg_pt2_lack){rule, what, fqn, 0};
    if (i < most)
        pt2->lacks[i].n++;
}

static void remark_on_lacks(struct dg_pt2 *pt2, int64_t method)
{
    for (size_t i = 0; i < pt2->n_lacks; i++) {
        const struct dg_pt2_lack *lack = &pt2->lacks[i];

        dg_remark(pt2->program, lack->rule, "weight %s: %s%s",
                  dg_pt2_label(pt2, lack->first), lack->what,
                  dg_pt2_more(pt2, lack->n - 1))
            ->method = method;
    }
    pt2->n_lacks = 0;
}

/* The view that the tensor takes must lie within its storage. */
static const char *misfit(const struct dg_pt2_tensor *tensor, uint64_t stored)
{
    uint64_t bytes = tensor->dtype ? (uint64_t)tensor->dtype->bytes : 0;
    int64_t end;

    if (!bytes)
        return NULL;
    if (tensor->elements < 0 || tensor->span < 0 ||
        tensor->storage_offset.type == DG_TEXT ||
        tensor->storage_offset.type == DG_REAL || tensor->storage_offset.integer < 0)
        return "its sizes, strides and offset are no plain numbers";
    if (!tensor->elements)
        return NULL;
    if (!stored)
        return "the archive has no data for it";
    if (stored % bytes)
        return "its data is not a whole number of elements";
    if (__builtin_add_overflow(tensor->span, tensor->storage_offset.integer, &end) ||
        (uint64_t)end > stored / bytes)
        return "it reaches beyond its data";
    return NULL;
}

static const struct dg_zip_entry *
payload_entry(struct dg_pt2 *pt2, const struct payload *payload, bool weights)
{
    if (!is_payload_name(payload->path))
        return NULL;
    return dg_pt2_find(pt2, "data/%s/%.*s", weights ? "weights" : "constants",
                       (int)payload->path.size, payload->path.data);
}

static struct dg_constant_row *add_constant(struct dg_pt2 *pt2, int64_t method,
                                            struct dg_text fqn, const char *kind)
{
    struct dg_constant_row *row = dg_add_constant(pt2->program);

    row->method = method;
    row->idx = pt2->n_constants++;
    row->fqn = fqn;
    row->kind = kind;
    return row;
}

static void set_bytes(struct dg_pt2 *pt2, struct dg_constant_row *row,
                      struct dg_bytes bytes)
{
    row->file_offset = dg_pt2_offset(pt2, bytes);
    row->nbytes = (int64_t)bytes.size;
    if (row->file_offset != DG_NONE || pt2->whole)
        row->bytes = bytes;
}

static void add_payload(struct dg_pt2 *pt2, const struct payload *payload,
                        int64_t method, bool weights)
{
    const struct dg_zip_entry *entry = payload_entry(pt2, payload, weights);
    bool object = dg_text_begins(payload->path, "custom_obj_") ||
                  dg_text_begins(payload->path, "opaque_obj_");
    struct dg_constant_row *row = add_constant(pt2, method, payload->fqn,
                                               object               ? "custom_obj"
                                               : payload->parameter ? "parameter"
                                               : weights            ? "buffer"
                                                                    : "constant");
    const char *problem = NULL;

    if (payload->has_meta) {
        row->dtype = payload->tensor.dtype ? payload->tensor.dtype->name : NULL;
        row->shape = payload->tensor.shape;
        row->strides = payload->tensor.strides;
        if (payload->tensor.storage_offset.type == DG_INTEGER)
            row->storage_offset = payload->tensor.storage_offset.integer;
    }
    if (!entry) {
        count_lack(pt2, "format/pt2-archive", payload->fqn,
                   "the archive has no entry for it");
        return;
    }
    row->segment = dg_pt2_segment(pt2, entry);
    if (!entry->method)
        set_bytes(pt2, row, entry->stored);
    else
        row->nbytes = (int64_t)entry->size;
    if (payload->has_meta && !payload->pickled)
        problem = misfit(&payload->tensor, entry->size);
    if (problem)
        count_lack(pt2, "constant/nbytes", payload->fqn, problem);
}

static void read_config(struct dg_pt2 *pt2, struct dg_json *json, int64_t method,
                        bool weights)
{
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (!dg_text_is(key, "config")) {
            dg_pt2_unknown(pt2, json, key);
            continue;
        }
        dg_json_object(json);
        while (dg_json_key(json, &key)) {
            struct payload payload = {.fqn = key};

            read_payload(pt2, json, &payload);
            if (!json->failed)
                add_payload(pt2, &payload, method, weights);
        }
    }
}

enum dg_status dg_pt2_payloads(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                               int64_t method, bool weights)
{
    struct dg_json json;
    enum dg_status status = dg_pt2_begin_json(pt2, entry, &json);

    if (status)
        return status;
    read_config(pt2, &json, method, weights);
    remark_on_lacks(pt2, method);
    return dg_pt2_end_json(pt2, entry, &json);
}

/* A tensor's data as torch.save keeps it. */
static void add_saved_tensor(struct dg_pt2 *pt2, const struct dg_pt2_saved *saved,
                             const struct dg_pickle_tensor *tensor,
                             struct dg_constant_row *row)
{
    struct dg_bytes bytes;

    row->dtype = tensor->dtype ? tensor->dtype->name : NULL;
    row->shape = dg_pt2_int_list(pt2, tensor->sizes, tensor->rank);
    row->strides = dg_pt2_int_list(pt2, tensor->strides, tensor->rank);
    row->storage_offset = tensor->offset;
    if (!tensor->storage.data)
        return;
    if (!dg_pt2_saved_storage(saved, tensor->storage, &bytes))
        count_lack(pt2, "format/pt2-archive", row->fqn,
                   "the archive has no entry for its data");
    else if (bytes.size < tensor->storage_bytes)
        count_lack(pt2, "constant/nbytes", row->fqn,
                   "its data is shorter than its storage");
    set_bytes(pt2, row, bytes);
}

static void add_saved(struct dg_pt2 *pt2, const struct dg_pt2_saved *saved,
                      int64_t segment, int64_t method, bool weights)
{
    const struct dg_pickle_value *dict = saved->value;

    for (size_t i = 0; i + 1 < dict->n_items; i += 2) {
        const struct dg_pickle_value *key = dict->items[i], *item = dict->items[i + 1];
        const struct dg_pickle_tensor *tensor = item->tensor;
        struct dg_constant_row *row = add_constant(
            pt2, method,
            key->type == DG_PICKLE_STRING ? key->text : (struct dg_text){0},
            item->type != DG_PICKLE_TENSOR ? "custom_obj"
            : tensor->parameter            ? "parameter"
            : weights                      ? "buffer"
                                           : "constant");

        row->segment = segment;
        if (item->type == DG_PICKLE_TENSOR)
            add_saved_tensor(pt2, saved, tensor, row);
    }
}

enum dg_status dg_pt2_state_dict(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                                 int64_t method, bool weights)
{
    const char *label = dg_pt2_label(pt2, entry->name);
    struct dg_pt2_saved saved = {0};
    struct dg_bytes content;
    enum dg_status status = dg_pt2_read(pt2, entry, &content);

    if (status || !content.size)
        return status;
    status = dg_pt2_saved_open(pt2, &saved, content, label);
    if (!status && saved.value->type == DG_PICKLE_DICT)
        add_saved(pt2, &saved, dg_pt2_segment(pt2, entry), method, weights);
    else if (!status && saved.value->type != DG_PICKLE_NONE)
        dg_remark(pt2->program, "format/pt2-archive",
                  "%s holds no dictionary of tensors", label)
            ->method = method;
    remark_on_lacks(pt2, method);
    dg_pt2_saved_close(pt2, &saved);
    return status;
}

static bool same_bytes(const struct dg_constant_row *a, const struct dg_constant_row *b)
{
    return a->bytes.data && a->bytes.size == b->bytes.size &&
           !memcmp(a->bytes.data, b->bytes.data, a->bytes.size);
}

static void add_taken_tensor(struct dg_pt2 *pt2, const struct dg_pt2_saved *saved,
                             const struct dg_pt2_taken *taken, struct dg_names *names,
                             const struct dg_pickle_value *key,
                             const struct dg_pickle_tensor *tensor)
{
    struct dg_program *program = pt2->program;
    const struct dg_delegate_row *delegate = &program->delegates[taken->delegate];
    struct dg_constant_row *row = add_constant(pt2, delegate->method, key->text,
                                               tensor->parameter ? "parameter"
                                               : taken->weights  ? "buffer"
                                                                 : "constant");
    struct dg_name *name = dg_names_at(names, key->text);

    add_saved_tensor(pt2, saved, tensor, row);
    if (name->value == DG_NONE) {
        name->value = row - program->constants;
    } else if (same_bytes(&program->constants[name->value], row)) {
        program->n_constants--;
        pt2->n_constants--;
    } else {
        row->fqn = dg_format(&program->memory, "%.*s/%.*s", (int)delegate->name.size,
                             delegate->name.data, (int)key->text.size, key->text.data);
    }
}

static void add_taken(struct dg_pt2 *pt2, const struct dg_pt2_taken *taken,
                      struct dg_names *names)
{
    struct dg_pt2_saved saved = {0};
    struct dg_error ignored = {0}, *err = pt2->err;
    enum dg_status status;

    pt2->err = &ignored;
    status = dg_pt2_saved_open(pt2, &saved, taken->archive, "a lowered module");
    pt2->err = err;
    for (size_t i = 0;
         !status && saved.value->type == DG_PICKLE_DICT && i + 1 < saved.value->n_items;
         i += 2) {
        const struct dg_pickle_value *key = saved.value->items[i],
                                     *item = saved.value->items[i + 1];

        if (key->type == DG_PICKLE_STRING && item->type == DG_PICKLE_TENSOR)
            add_taken_tensor(pt2, &saved, taken, names, key, item->tensor);
    }
    dg_pt2_saved_close(pt2, &saved);
}

void dg_pt2_taken_weights(struct dg_pt2 *pt2, int64_t method)
{
    struct dg_program *program = pt2->program;
    struct dg_names names = {0};

    for (size_t i = 0; pt2->n_taken && i < program->n_constants; i++) {
        const struct dg_constant_row *row = &program->constants[i];

        if (row->method == method && row->fqn.data)
            dg_names_at(&names, row->fqn)->value = (int64_t)i;
    }
    for (size_t i = 0; i < pt2->n_taken; i++) {
        if (program->delegates[pt2->taken[i].delegate].method == method)
            add_taken(pt2, &pt2->taken[i], &names);
    }
    remark_on_lacks(pt2, method);
    dg_names_clear(&names);
}

/* Among the constants are the buffers that no checkpoint keeps: the signature knows. */
void dg_pt2_name_buffers(struct dg_pt2 *pt2, int64_t graph, size_t from)
{
    struct dg_program *program = pt2->program;
    struct dg_names buffers = {0};

    for (size_t i = 0; i < program->n_signatures; i++) {
        const struct dg_signature_row *row = &program->signatures[i];

        if (row->graph == graph && *row->direction == 'i' && row->target.data &&
            !strcmp(row->spec, "buffer"))
            dg_names_at(&buffers, row->target)->used = true;
    }
    for (size_t i = from; i < program->n_constants; i++) {
        struct dg_constant_row *row = &program->constants[i];

        if (row->fqn.data && !strcmp(row->kind, "constant") &&
            dg_names_find(&buffers, row->fqn))
            row->kind = "buffer";
    }
    dg_names_clear(&buffers);
}
