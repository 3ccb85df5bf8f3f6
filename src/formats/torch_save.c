/* Writing values as torch.save does: a pickle beside the bytes of storages. */
#include "formats/torch_save.h"

#include <string.h>

#include "base/dtype.h"
#include "base/text.h"
#include "formats/tensor_file.h"
#include "formats/zip_write.h"

struct saving {
    const struct dg_arg *values;
    size_t n_values;
    struct dg_arena memory;
};

static const struct dg_dtype *dtype_of(const struct dg_tensor *tensor)
{
    return dg_dtype_of_name(dg_text(dg_type_name(tensor->type)));
}

/* Codes of the pickle protocol 2. */
static void put_global(struct dg_writer *out, const char *module, const char *name)
{
    dg_print(out, "c%s\n%s\n", module, name);
}

static void put_low_bytes(struct dg_writer *out, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        dg_write(out, &(char){(char)(value >> 8 * i)}, 1);
}

static void put_text(struct dg_writer *out, struct dg_text text)
{
    dg_write(out, "X", 1);
    put_low_bytes(out, text.size, 4);
    dg_write_text(out, text);
}

static void put_integer(struct dg_writer *out, int64_t value)
{
    dg_write(out, "\x8a\x08", 2); /* LONG1 of 8 bytes */
    put_low_bytes(out, (uint64_t)value, 8);
}

static void put_real(struct dg_writer *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    dg_write(out, "G", 1);
    for (int i = 7; i >= 0; i--)
        dg_write(out, &(char){(char)(bits >> 8 * i)}, 1);
}

static void put_integers(struct dg_writer *out, const int64_t *values, int n)
{
    dg_write(out, "(", 1);
    for (int i = 0; i < n; i++)
        put_integer(out, values[i]);
    dg_write(out, "t", 1);
}

static void put_storage(struct dg_writer *out, const struct dg_tensor *tensor,
                        struct dg_text key)
{
    dg_write(out, "(", 1);
    put_text(out, dg_text("storage"));
    put_global(out, "torch", dtype_of(tensor)->storage);
    put_text(out, key);
    put_text(out, dg_text("cpu"));
    put_integer(out, dg_tensor_count(tensor));
    dg_write(out, "tQ", 2); /* a tuple, by which the storage is looked up */
}

static void put_tensor(struct dg_writer *out, const struct dg_tensor *tensor,
                       struct dg_text key)
{
    int64_t strides[DG_RANK_MOST];

    dg_contiguous_strides(tensor->rank, tensor->sizes, strides);
    put_global(out, "torch._utils", "_rebuild_tensor_v2");
    dg_write(out, "(", 1);
    put_storage(out, tensor, key);
    put_integer(out, 0);
    put_integers(out, tensor->sizes, tensor->rank);
    put_integers(out, strides, tensor->rank);
    dg_write(out, "\x89", 1); /* requires no gradient */
    put_global(out, "collections", "OrderedDict");
    dg_write(out, ")RtR", 4); /* no hooks; the arguments; call */
}

static void put_value(struct dg_writer *out, const struct dg_arg *value,
                      struct dg_text key)
{
    switch (value->kind) {
    case DG_ARG_TENSOR:
        put_tensor(out, value->as.tensor, key);
        break;
    case DG_ARG_INT:
        put_integer(out, value->as.integer);
        break;
    case DG_ARG_FLOAT:
        put_real(out, value->as.real);
        break;
    case DG_ARG_BOOL:
        dg_write(out, value->as.integer ? "\x88" : "\x89", 1);
        break;
    default:
        dg_write(out, "N", 1);
    }
}

static struct dg_text key_of(struct saving *saving, size_t i)
{
    return dg_format(&saving->memory, "%zu", i);
}

static void put_pickle(struct dg_writer *out, struct saving *saving)
{
    dg_write(out, "\x80\x02(", 3);
    for (size_t i = 0; i < saving->n_values; i++)
        put_value(out, &saving->values[i], key_of(saving, i));
    dg_write(out, "t}\x86.", 4); /* with an empty dict a pair */
}

static struct dg_bytes bytes_of(const char *data, size_t size)
{
    return (struct dg_bytes){(const uint8_t *)data, size};
}

static enum dg_status add_storage(struct dg_zip_writer *zip, struct saving *saving,
                                  size_t i, struct dg_error *err)
{
    struct dg_bytes elements;
    enum dg_status status = dg_elements_in_order(&elements, saving->values[i].as.tensor,
                                                 &saving->memory, err);

    return status ? status
                  : dg_zip_add(zip, dg_format(&saving->memory, "archive/data/%zu", i),
                               elements, (struct dg_bytes){0});
}

static enum dg_status fill(struct dg_zip_writer *zip, void *data, struct dg_error *err)
{
    struct saving *saving = data;
    struct dg_writer pickle = {0};
    enum dg_status status;

    put_pickle(&pickle, saving);
    status = dg_zip_add(zip, dg_text("archive/data.pkl"),
                        bytes_of(pickle.data, pickle.size), (struct dg_bytes){0});
    if (!status)
        status = dg_zip_add(zip, dg_text("archive/byteorder"), bytes_of("little", 6),
                            (struct dg_bytes){0});
    for (size_t i = 0; i < saving->n_values && !status; i++) {
        if (saving->values[i].kind == DG_ARG_TENSOR)
            status = add_storage(zip, saving, i, err);
    }
    if (!status)
        status = dg_zip_add(zip, dg_text("archive/version"), bytes_of("3\n", 2),
                            (struct dg_bytes){0});
    dg_writer_clear(&pickle);
    return status;
}

enum dg_status dg_torch_save_inputs(struct dg_bytes *saved, const struct dg_arg *values,
                                    size_t n_values, struct dg_error *err)
{
    struct saving saving = {values, n_values, {0}};
    enum dg_status status;

    *saved = (struct dg_bytes){0};
    for (size_t i = 0; i < n_values; i++) {
        const struct dg_dtype *dtype =
            values[i].kind == DG_ARG_TENSOR ? dtype_of(values[i].as.tensor) : NULL;

        if (values[i].kind == DG_ARG_TENSOR && (!dtype || !dtype->storage))
            return DG_OK;
    }
    status = dg_zip_make(saved, fill, &saving, err);
    dg_arena_clear(&saving.memory);
    return status;
}
