/* Tensors that torch.save wrote, alone or in tuples, lists and dicts. */
#include "formats/pickle.h"
#include "formats/tensor_file_parts.h"
#include "formats/zip.h"

struct archive {
    struct dg_value_set *set;
    struct dg_zip zip;
    struct dg_text root; /* of entry names, with its "/" */
    bool swapped;        /* written by a big-endian machine */
    struct dg_error *err;
};

/* Empty where there is no such entry. */
static enum dg_status read_entry(struct archive *archive, const char *folder,
                                 struct dg_text name, struct dg_bytes *content)
{
    const struct dg_zip_entry *entry =
        dg_zip_find_below(&archive->zip, archive->root, folder, name);
    bool crc_matches;

    *content = (struct dg_bytes){0};
    if (!entry)
        return DG_OK;
    if (dg_zip_read(&archive->zip, entry, content, &crc_matches, archive->err))
        return archive->err->status;
    if (crc_matches || !entry->crc)
        return DG_OK;
    return dg_fail(archive->err, DG_ERR_FORMAT,
                   "entry %s%.*s: its CRC-32 does not match its content", folder,
                   (int)name.size, name.data);
}

static enum dg_status refuse(struct archive *archive, struct dg_text name,
                             const char *why)
{
    return dg_fail(archive->err, DG_ERR_FORMAT, "tensor %.*s: %s",
                   name.size < 100 ? (int)name.size : 100, name.data, why);
}

static bool is_complex32(const struct dg_pickle_tensor *tensor)
{
    return tensor->dtype && !strcmp(tensor->dtype->name, "c32");
}

static const char *why_not_readable(const struct dg_pickle_tensor *tensor)
{
    if (dg_type_of(tensor->dtype) == DG_TYPE_NONE)
        return "its dtype is not supported";
    if (!tensor->storage.data)
        return "it has no strided storage";
    if (tensor->conjugated || tensor->negated)
        return "it is a lazy conjugate or negative; save a clone";
    if (tensor->rank > DG_RANK_MOST)
        return "its rank is more than 16";
    return NULL;
}

static enum dg_status put_tensor(struct archive *archive, struct dg_text name,
                                 bool named, const struct dg_pickle_tensor *tensor)
{
    const char *why = why_not_readable(tensor);
    struct dg_arg value = {.kind = DG_ARG_TENSOR};
    struct dg_bytes bytes;
    enum dg_type type;
    size_t size;

    if (is_complex32(tensor)) {
        value = (struct dg_arg){DG_ARG_UNKNOWN, {.integer = -1}};
        dg_value_set_put(archive->set, name, named, value);
        return DG_OK;
    }
    if (why)
        return refuse(archive, name, why);
    if (read_entry(archive, "data/", tensor->storage, &bytes))
        return archive->err->status;
    type = dg_type_of(tensor->dtype);
    /* Tensors may share a storage, but then nobody copies it for each of them. */
    size = dg_type_bytes(dg_type_part(type));
    if ((archive->swapped || (uintptr_t)bytes.data % dg_type_alignment(type)) &&
        !dg_zip_spend(&archive->zip, bytes.size))
        return refuse(archive, name, "copies of its storage take more than the file");
    if (archive->swapped)
        bytes.data = dg_swapped_bytes(bytes, size, &archive->set->memory);
    value.as.tensor =
        dg_stored_tensor(type, (int)tensor->rank, tensor->sizes, tensor->strides,
                         tensor->offset, bytes, &archive->set->memory);
    if (!value.as.tensor)
        return dg_fail(archive->err, DG_ERR_FORMAT,
                       "tensor %.*s reaches beyond the %zu bytes of its storage "
                       "data/%.*s",
                       name.size < 100 ? (int)name.size : 100, name.data, bytes.size,
                       (int)tensor->storage.size, tensor->storage.data);
    dg_value_set_put(archive->set, name, named, value);
    return DG_OK;
}

static enum dg_status put_leaf(struct archive *archive, struct dg_text name, bool named,
                               const struct dg_pickle_value *leaf)
{
    struct dg_arg value = {.as.integer = leaf->integer};

    switch (leaf->type) {
    case DG_PICKLE_TENSOR:
        return put_tensor(archive, name, named, leaf->tensor);
    case DG_PICKLE_NONE:
        value = (struct dg_arg){.kind = DG_ARG_NONE};
        break;
    case DG_PICKLE_BOOL:
        value.kind = DG_ARG_BOOL;
        break;
    case DG_PICKLE_INT:
        value.kind = DG_ARG_INT;
        break;
    case DG_PICKLE_FLOAT:
        value = (struct dg_arg){.kind = DG_ARG_FLOAT, .as.real = leaf->real};
        break;
    case DG_PICKLE_STRING:
        value.kind = DG_ARG_STRING;
        value.as.string = dg_copy(&archive->set->memory, leaf->text);
        break;
    default:
        return dg_fail(archive->err, DG_ERR_FORMAT,
                       "value %.*s is %.*s; expected tensors and Python scalars",
                       name.size < 100 ? (int)name.size : 100, name.data,
                       leaf->text.size < 100 ? (int)leaf->text.size : 100,
                       leaf->text.data ? leaf->text.data : "no tensor");
    }
    dg_value_set_put(archive->set, name, named, value);
    return DG_OK;
}

/* Leaves in the order of a pytree. Names are the keys of the outermost dict. The pickle
 * reader bounds the depth. */
static enum dg_status put_values(struct archive *archive,
                                 const struct dg_pickle_value *value)
{
    bool dict = value->type == DG_PICKLE_DICT;
    enum dg_status status = DG_OK;

    if (!dict && value->type != DG_PICKLE_TUPLE && value->type != DG_PICKLE_LIST) {
        struct dg_text name =
            dg_format(&archive->set->memory, "%zu", archive->set->n_values);

        return put_leaf(archive, name, false, value);
    }
    for (size_t i = dict; !status && i < value->n_items; i += 1 + dict)
        status = put_values(archive, value->items[i]);
    return status;
}

static bool is_container(const struct dg_pickle_value *value)
{
    return value->type == DG_PICKLE_TUPLE || value->type == DG_PICKLE_LIST ||
           value->type == DG_PICKLE_DICT;
}

static enum dg_status put_dict(struct archive *archive,
                               const struct dg_pickle_value *dict)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i + 1 < dict->n_items; i += 2) {
        const struct dg_pickle_value *key = dict->items[i], *value = dict->items[i + 1];

        status = key->type == DG_PICKLE_STRING && !is_container(value)
                     ? put_leaf(archive, key->text, true, value)
                     : put_values(archive, value);
    }
    return status;
}

static enum dg_status read_values(struct archive *archive)
{
    struct dg_pickle_value *value;
    struct dg_bytes content;
    enum dg_status status = read_entry(archive, "", dg_text("byteorder"), &content);

    archive->swapped = content.size == 3 && !memcmp(content.data, "big", 3);
    if (!status)
        status = read_entry(archive, "", dg_text("data.pkl"), &content);
    if (!status)
        status = dg_pickle_read(&value, content, "data.pkl", &archive->zip.memory,
                                archive->err);
    if (status)
        return status;
    return value->type == DG_PICKLE_DICT ? put_dict(archive, value)
                                         : put_values(archive, value);
}

enum dg_status dg_saved_tensors_read(struct dg_value_set *set, struct dg_error *err)
{
    struct archive archive = {.set = set, .err = err};
    enum dg_status status = dg_zip_open(&archive.zip, set->file, err);
    const char *slash;

    if (!status && archive.zip.n_entries) {
        archive.root = archive.zip.entries[0].name;
        slash = memchr(archive.root.data, '/', archive.root.size);
        archive.root.size = slash ? (size_t)(slash + 1 - archive.root.data) : 0;
        status = read_values(&archive);
    }
    dg_arena_adopt(&set->memory, &archive.zip.memory);
    dg_zip_clear(&archive.zip);
    return status;
}
