/* Writing tensors as an archive of numpy. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/tensor_file_parts.h"
#include "formats/zip_write.h"

enum { ALIGNMENT = 64 };

static const char *descr_of(enum dg_type type)
{
    static const char *const descrs[] = {
        [DG_TYPE_BOOL] = "|b1", [DG_TYPE_U8] = "|u1",    [DG_TYPE_I8] = "|i1",
        [DG_TYPE_I16] = "<i2",  [DG_TYPE_I32] = "<i4",   [DG_TYPE_I64] = "<i8",
        [DG_TYPE_F16] = "<f2",  [DG_TYPE_F32] = "<f4",   [DG_TYPE_F64] = "<f8",
        [DG_TYPE_U16] = "<u2",  [DG_TYPE_U32] = "<u4",   [DG_TYPE_U64] = "<u8",
        [DG_TYPE_C64] = "<c8",  [DG_TYPE_C128] = "<c16",
    };

    if (dg_raw_suffix(type))
        return dg_type_bytes(type) == 2 ? "<u2" : "|u1";
    return descrs[type];
}

/* Magic and description; the array behind it begins at a multiple of 64. */
static struct dg_text npy_header(const struct dg_tensor *tensor,
                                 struct dg_arena *memory)
{
    struct dg_writer dict = {0};
    struct dg_text header;
    size_t fill;

    dg_print(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (",
             descr_of(tensor->type));
    for (int i = 0; i < tensor->rank; i++)
        dg_print(&dict, "%lld,", (long long)tensor->sizes[i]);
    dg_print(&dict, "), }");
    fill = ALIGNMENT - (10 + dict.size + 1) % ALIGNMENT;
    header = dg_format(memory, "\x93NUMPY%c0  %s%*s\n", 1, dict.data, (int)fill, "");
    dg_writer_clear(&dict);
    ((char *)header.data)[7] = 0;
    ((char *)header.data)[8] = (char)((header.size - 10) & 0xff);
    ((char *)header.data)[9] = (char)((header.size - 10) >> 8);
    return header;
}

static void copy_in_order(uint8_t *copy, const struct dg_tensor *tensor, size_t count)
{
    size_t size = dg_type_bytes(tensor->type);
    int64_t index[DG_RANK_MOST] = {0}, at = tensor->offset;

    for (size_t i = 0; i < count; i++) {
        int dim = tensor->rank - 1;

        memcpy(copy + i * size, tensor->storage->bytes + (size_t)at * size, size);
        at += tensor->strides[dim];
        while (++index[dim] == tensor->sizes[dim] && dim > 0) {
            at -= index[dim] * tensor->strides[dim];
            index[dim--] = 0;
            at += tensor->strides[dim];
        }
    }
}

enum dg_status dg_elements_in_order(struct dg_bytes *elements,
                                    const struct dg_tensor *tensor,
                                    struct dg_arena *memory, struct dg_error *err)
{
    size_t size = dg_type_bytes(tensor->type), count = (size_t)dg_tensor_count(tensor);
    uint8_t *copy;

    *elements = (struct dg_bytes){NULL, count * size};
    if (!count)
        return DG_OK;
    if (dg_tensor_contiguous(tensor)) {
        elements->data = dg_tensor_data(tensor);
        return DG_OK;
    }
    if (!dg_memory_has(&dg_host_memory, elements->size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "%zu bytes to write, which a view repeats, are more than the"
                       " memory that is left",
                       elements->size);
    copy = dg_alloc(memory, count, size);
    copy_in_order(copy, tensor, count);
    elements->data = copy;
    return DG_OK;
}

static enum dg_status add_tensor(struct dg_zip_writer *zip, const char *name,
                                 const char *suffix, const struct dg_tensor *tensor,
                                 struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_text entry = dg_format(&memory, "%s%s%s.npy", name, suffix ? "__" : "",
                                     suffix ? suffix : "");
    struct dg_text header = npy_header(tensor, &memory);
    struct dg_bytes elements;
    enum dg_status status = dg_elements_in_order(&elements, tensor, &memory, err);

    if (status)
        dg_fail_at(err, name);
    else
        status = dg_zip_add(
            zip, entry, (struct dg_bytes){(const uint8_t *)header.data, header.size},
            elements);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status add_scalar(struct dg_zip_writer *zip, const char *name,
                                 const char *suffix, enum dg_type type,
                                 const void *value, struct dg_error *err)
{
    struct dg_tensor *tensor = dg_tensor_over(type, 0, NULL, value);
    enum dg_status status = add_tensor(zip, name, suffix, tensor, err);

    dg_tensor_drop(tensor);
    return status;
}

static enum dg_status add_value(struct dg_zip_writer *zip,
                                const struct dg_named_value *value,
                                struct dg_error *err)
{
    const struct dg_arg *arg = &value->value;
    const struct dg_tensor *tensor = arg->as.tensor;
    uint8_t truth;

    switch (arg->kind) {
    case DG_ARG_TENSOR:
        return add_tensor(zip, value->name, dg_raw_suffix(tensor->type), tensor, err);
    case DG_ARG_INT:
        return add_scalar(zip, value->name, "int", DG_TYPE_I64, &arg->as.integer, err);
    case DG_ARG_FLOAT:
        return add_scalar(zip, value->name, "float", DG_TYPE_F64, &arg->as.real, err);
    case DG_ARG_BOOL:
        truth = arg->as.integer != 0;
        return add_scalar(zip, value->name, "bool", DG_TYPE_BOOL, &truth, err);
    default:
        return DG_OK; /* numpy has no such value */
    }
}

struct values {
    const struct dg_named_value *values;
    size_t n_values;
};

static enum dg_status add_values(struct dg_zip_writer *zip, void *data,
                                 struct dg_error *err)
{
    const struct values *values = data;
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < values->n_values; i++)
        status = add_value(zip, &values->values[i], err);
    return status;
}

enum dg_status dg_npz_write(const char *path, const struct dg_named_value *values,
                            size_t n_values, struct dg_error *err)
{
    return dg_zip_write(path, add_values, &(struct values){values, n_values}, err);
}
