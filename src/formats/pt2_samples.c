/* Example inputs: the leaves of what the program was exported with. */
#include "formats/pt2.h"

enum { MAX_DEPTH = 32, MAX_LEAVES = 100000 };

struct walk {
    struct dg_pt2 *pt2;
    const struct dg_pt2_saved *saved;
    struct dg_writer path;
    int64_t method, pos;
    int depth;
};

static void describe_tensor(struct walk *walk, const struct dg_pickle_tensor *tensor,
                            struct dg_sample_input_row *row)
{
    struct dg_bytes bytes;

    row->dtype = tensor->dtype ? tensor->dtype->name : NULL;
    row->shape = dg_pt2_int_list(walk->pt2, tensor->sizes, tensor->rank);
    row->strides = dg_pt2_int_list(walk->pt2, tensor->strides, tensor->rank);
    row->storage_offset = tensor->offset;
    if (dg_pt2_saved_storage(walk->saved, tensor->storage, &bytes)) {
        row->file_offset = dg_pt2_offset(walk->pt2, bytes);
        row->nbytes = (int64_t)bytes.size;
    }
}

static void describe(struct walk *walk, const struct dg_pickle_value *value,
                     struct dg_sample_input_row *row)
{
    row->kind = "opaque";
    switch (value->type) {
    case DG_PICKLE_NONE:
        row->kind = "none";
        break;
    case DG_PICKLE_BOOL:
    case DG_PICKLE_INT:
        row->kind = value->type == DG_PICKLE_INT ? "int" : "bool";
        row->scalar = (struct dg_any){.type = DG_INTEGER, .integer = value->integer};
        break;
    case DG_PICKLE_FLOAT:
        row->kind = "float";
        row->scalar = (struct dg_any){.type = DG_REAL, .real = value->real};
        break;
    case DG_PICKLE_TENSOR:
        row->kind = "tensor";
        describe_tensor(walk, value->tensor, row);
        break;
    case DG_PICKLE_STRING:
    case DG_PICKLE_OPAQUE:
        row->kind = value->type == DG_PICKLE_STRING ? "string" : "opaque";
        row->scalar = (struct dg_any){.type = DG_TEXT, .text = value->text};
        break;
    default:
        break;
    }
}

static void leaf(struct walk *walk, const struct dg_pickle_value *value)
{
    struct dg_sample_input_row *row = dg_add_sample_input(walk->pt2->program);
    struct dg_text path = {walk->path.data, walk->path.size};

    row->method = walk->method;
    row->pos = walk->pos++;
    row->path = (struct dg_text){dg_copy(&walk->pt2->program->memory, path), path.size};
    describe(walk, value, row);
}

static void append_key(struct walk *walk, const struct dg_pickle_value *key)
{
    struct dg_writer *path = &walk->path;

    if (key->type == DG_PICKLE_STRING && walk->depth == 1) {
        dg_write(path, ".", 1);
        dg_write_text(path, key->text);
    } else if (key->type == DG_PICKLE_STRING) {
        dg_write(path, "[", 1);
        dg_write_json(path, key->text);
        dg_write(path, "]", 1);
    } else if (key->type == DG_PICKLE_INT) {
        dg_print(path, "[%lld]", (long long)key->integer);
    } else {
        dg_write(path, "[?]", 3);
    }
}

static void visit(struct walk *walk, const struct dg_pickle_value *value)
{
    bool dict = value->type == DG_PICKLE_DICT;
    bool list = value->type == DG_PICKLE_TUPLE || value->type == DG_PICKLE_LIST;
    size_t length = walk->path.size;

    if (walk->pos >= MAX_LEAVES)
        return;
    if ((!dict && !list) || walk->depth == MAX_DEPTH) {
        leaf(walk, value);
        return;
    }
    walk->depth++;
    for (size_t i = dict; i < value->n_items; i += 1 + dict) {
        if (dict)
            append_key(walk, value->items[i - 1]);
        else
            dg_print(&walk->path, "[%zu]", i);
        visit(walk, value->items[i]);
        walk->path.size = length;
    }
    walk->depth--;
}

static void visit_named(struct walk *walk, const char *name,
                        const struct dg_pickle_value *value)
{
    walk->path.size = 0;
    dg_write_text(&walk->path, dg_text(name));
    visit(walk, value);
}

enum dg_status dg_pt2_samples(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                              int64_t method)
{
    struct dg_pt2_saved saved = {0};
    struct walk walk = {.pt2 = pt2, .saved = &saved, .method = method};
    const struct dg_pickle_value *value;
    struct dg_bytes content;
    enum dg_status status = dg_pt2_read(pt2, entry, &content);

    if (status || !content.size)
        return status;
    status = dg_pt2_saved_open(pt2, &saved, content, dg_pt2_label(pt2, entry->name));
    value = saved.value;
    if (!status && value->type == DG_PICKLE_TUPLE && value->n_items == 2) {
        visit_named(&walk, "args", value->items[0]);
        visit_named(&walk, "kwargs", value->items[1]);
    } else if (!status && value->type != DG_PICKLE_NONE) {
        visit_named(&walk, "args", value);
    }
    dg_pt2_saved_close(pt2, &saved);
    dg_writer_clear(&walk.path);
    return status;
}
