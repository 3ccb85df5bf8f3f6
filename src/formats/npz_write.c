/* Writing tensors as an archive of numpy. */
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>

#include "base/output.h"
#include "base/text.h"
#include "formats/tensor_file_parts.h"

enum {
    ALIGNMENT = 64,
    LOCAL_SIGNATURE = 0x04034b50,
    CENTRAL_SIGNATURE = 0x02014b50,
    END_SIGNATURE = 0x06054b50,
    VERSION = 20,
    UTF8_NAMES = 1 << 11,
    JANUARY_1980 = 0x21,
    MOST_ENTRIES = UINT16_MAX
};

struct archive {
    FILE *file;
    struct dg_writer local, central; /* headers */
    uint64_t offset;
    size_t n_entries;
    struct dg_error *err;
};

static void put(struct dg_writer *out, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;

        dg_write(out, &byte, 1);
    }
}

/* What local and central headers share, from the version on. */
static void put_common(struct dg_writer *out, struct dg_text name, uint32_t crc,
                       uint64_t size)
{
    put(out, VERSION, 2);
    put(out, UTF8_NAMES, 2);
    put(out, 0, 4); /* stored; midnight */
    put(out, JANUARY_1980, 2);
    put(out, crc, 4);
    put(out, size, 4);
    put(out, size, 4);
    put(out, name.size, 2);
    put(out, 0, 2);
}

static void send(struct archive *archive, const void *data, size_t size)
{
    if (size)
        fwrite(data, 1, size, archive->file); /* ferror() tells, at the end */
    archive->offset += size;
}

static enum dg_status add_entry(struct archive *archive, struct dg_text name,
                                struct dg_text header, struct dg_bytes array)
{
    uint64_t size = header.size + array.size;
    uint32_t crc = libdeflate_crc32(0, header.data, header.size);

    if (size + name.size + archive->offset > UINT32_MAX - (1 << 20) ||
        archive->n_entries == MOST_ENTRIES)
        return dg_fail(archive->err, DG_ERR_FORMAT,
                       "entry %.*s: an .npz takes at most 4 GB and %d arrays",
                       name.size < 100 ? (int)name.size : 100, name.data, MOST_ENTRIES);
    if (array.size)
        crc = libdeflate_crc32(crc, array.data, array.size);
    put(&archive->central, CENTRAL_SIGNATURE, 4);
    put(&archive->central, VERSION, 2);
    put_common(&archive->central, name, crc, size);
    put(&archive->central, 0, 10); /* comment, disk, attributes */
    put(&archive->central, archive->offset, 4);
    dg_write_text(&archive->central, name);
    archive->local.size = 0;
    put(&archive->local, LOCAL_SIGNATURE, 4);
    put_common(&archive->local, name, crc, size);
    dg_write_text(&archive->local, name);
    send(archive, archive->local.data, archive->local.size);
    send(archive, header.data, header.size);
    send(archive, array.data, array.size);
    archive->n_entries++;
    return DG_OK;
}

static const char *descr_of(enum dg_type type)
{
    static const char *const descrs[] = {
        [DG_TYPE_BOOL] = "|b1", [DG_TYPE_U8] = "|u1",  [DG_TYPE_I8] = "|i1",
        [DG_TYPE_I16] = "<i2",  [DG_TYPE_I32] = "<i4", [DG_TYPE_I64] = "<i8",
        [DG_TYPE_F16] = "<f2",  [DG_TYPE_F32] = "<f4", [DG_TYPE_F64] = "<f8",
        [DG_TYPE_U16] = "<u2",  [DG_TYPE_U32] = "<u4", [DG_TYPE_U64] = "<u8",
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

/* Elements in order; copied where the tensor is a view of another order. */
static struct dg_bytes elements(const struct dg_tensor *tensor, struct dg_arena *memory)
{
    size_t size = dg_type_bytes(tensor->type), count = (size_t)dg_tensor_count(tensor);
    int64_t index[DG_RANK_MOST] = {0}, at = tensor->offset;
    uint8_t *copy;

    if (!count || dg_tensor_contiguous(tensor))
        return (struct dg_bytes){count ? dg_tensor_data(tensor) : NULL, count * size};
    copy = dg_alloc(memory, count, size);
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
    return (struct dg_bytes){copy, count * size};
}

static enum dg_status add_tensor(struct archive *archive, const char *name,
                                 const char *suffix, const struct dg_tensor *tensor)
{
    struct dg_arena memory = {0};
    struct dg_text entry = dg_format(&memory, "%s%s%s.npy", name, suffix ? "__" : "",
                                     suffix ? suffix : "");
    enum dg_status status = add_entry(archive, entry, npy_header(tensor, &memory),
                                      elements(tensor, &memory));

    dg_arena_clear(&memory);
    return status;
}

static enum dg_status add_scalar(struct archive *archive, const char *name,
                                 const char *suffix, enum dg_type type,
                                 const void *value)
{
    struct dg_tensor *tensor = dg_tensor_over(type, 0, NULL, value);
    enum dg_status status = add_tensor(archive, name, suffix, tensor);

    dg_tensor_drop(tensor);
    return status;
}

static enum dg_status add_value(struct archive *archive,
                                const struct dg_named_value *value)
{
    const struct dg_arg *arg = &value->value;
    const struct dg_tensor *tensor = arg->as.tensor;
    uint8_t truth;

    switch (arg->kind) {
    case DG_ARG_TENSOR:
        return add_tensor(archive, value->name, dg_raw_suffix(tensor->type), tensor);
    case DG_ARG_INT:
        return add_scalar(archive, value->name, "int", DG_TYPE_I64, &arg->as.integer);
    case DG_ARG_FLOAT:
        return add_scalar(archive, value->name, "float", DG_TYPE_F64, &arg->as.real);
    case DG_ARG_BOOL:
        truth = arg->as.integer != 0;
        return add_scalar(archive, value->name, "bool", DG_TYPE_BOOL, &truth);
    default:
        return DG_OK; /* numpy has no such value */
    }
}

static void put_end(struct archive *archive)
{
    struct dg_writer *out = &archive->central;
    size_t size = out->size;

    put(out, END_SIGNATURE, 4);
    put(out, 0, 4);
    put(out, archive->n_entries, 2);
    put(out, archive->n_entries, 2);
    put(out, size, 4);
    put(out, archive->offset, 4);
    put(out, 0, 2);
}

static enum dg_status write_archive(struct archive *archive, const char *path,
                                    const struct dg_named_value *values,
                                    size_t n_values)
{
    enum dg_status status = DG_OK;
    bool failed;

    for (size_t i = 0; !status && i < n_values; i++)
        status = add_value(archive, &values[i]);
    put_end(archive);
    send(archive, archive->central.data, archive->central.size);
    failed = ferror(archive->file) != 0;
    if ((fclose(archive->file) || failed) && !status)
        status = dg_fail(archive->err, DG_ERR_IO, "%s: cannot write: %s", path,
                         strerror(errno));
    dg_writer_clear(&archive->local);
    dg_writer_clear(&archive->central);
    return status;
}

enum dg_status dg_npz_write(const char *path, const struct dg_named_value *values,
                            size_t n_values, struct dg_error *err)
{
    struct archive archive = {.err = err};
    struct dg_output output;
    enum dg_status status = dg_output_begin_forward(&output, path, err);
    int file;

    if (status)
        return status;
    file = dg_output_open(&output);
    archive.file = file >= 0 ? fdopen(file, "wb") : NULL;
    if (archive.file)
        status = write_archive(&archive, path, values, n_values);
    else
        status = dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    return dg_output_finish(&output, status, err);
}
