/* Values of tensor files: which reader a file is for, names and their suffixes. */
#include "formats/tensor_file.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "formats/input.h"
#include "formats/tensor_file_parts.h"
#include "formats/zip.h"

enum dg_status dg_fail_at(struct dg_error *err, const char *place)
{
    struct dg_error told = *err;

    return dg_fail(err, told.status, "%s: %s", place, told.text);
}

const uint8_t *dg_swapped_bytes(struct dg_bytes bytes, size_t size,
                                struct dg_arena *memory)
{
    size_t whole = bytes.size - bytes.size % size;
    uint8_t *swapped = dg_alloc(memory, whole + 1, 1);

    for (size_t i = 0; i < whole; i++)
        swapped[i] = bytes.data[i - i % size + size - 1 - i % size];
    return swapped;
}

void dg_value_set_put(struct dg_value_set *set, struct dg_text name, bool named,
                      struct dg_arg value)
{
    struct dg_named_value *entry = DG_APPEND(set->values, set->n_values);

    entry->name = dg_copy(&set->memory, name);
    entry->named = named;
    entry->value = value;
}

const char *dg_raw_suffix(enum dg_type type)
{
    bool raw = type == DG_TYPE_BF16 || (type >= DG_TYPE_F8E5M2 && type <= DG_TYPE_F8E8M0FNU);

    return raw ? dg_type_name(type) : NULL;
}

static int64_t integer_of(const struct dg_tensor *array)
{
    const uint8_t *bytes = dg_tensor_data(array);
    size_t size = dg_type_bytes(array->type), unused = 64 - 8 * size;
    uint64_t bits = 0;

    memcpy(&bits, bytes, size);
    if (array->type >= DG_TYPE_I8 && array->type <= DG_TYPE_I64)
        return (int64_t)(bits << unused) >> unused;
    return (int64_t)bits;
}

static double real_of(const struct dg_tensor *array)
{
    const void *bytes = dg_tensor_data(array);

    return array->type == DG_TYPE_F64 ? *(const double *)bytes : *(const float *)bytes;
}

/* The Python scalar that a 0-d array stands for; false: it is none of that kind. */
static bool scalar_of(const struct dg_tensor *array, struct dg_text kind,
                      struct dg_arg *scalar)
{
    bool integer = dg_type_is_integer(array->type);
    bool real = array->type == DG_TYPE_F64 || array->type == DG_TYPE_F32;

    if (dg_tensor_count(array) != 1)
        return false;
    if (dg_text_is(kind, "float") && real)
        *scalar = (struct dg_arg){.kind = DG_ARG_FLOAT, .as.real = real_of(array)};
    else if (dg_text_is(kind, "float") && integer)
        *scalar =
            (struct dg_arg){.kind = DG_ARG_FLOAT, .as.real = (double)integer_of(array)};
    else if (dg_text_is(kind, "int") && integer)
        *scalar = (struct dg_arg){.kind = DG_ARG_INT, .as.integer = integer_of(array)};
    else if (dg_text_is(kind, "bool") && array->type == DG_TYPE_BOOL)
        *scalar =
            (struct dg_arg){.kind = DG_ARG_BOOL, .as.integer = integer_of(array) != 0};
    else
        return false;
    return true;
}

static bool is_scalar_suffix(struct dg_text suffix)
{
    return dg_text_is(suffix, "int") || dg_text_is(suffix, "float") ||
           dg_text_is(suffix, "bool");
}

static enum dg_type type_of_suffix(struct dg_text suffix)
{
    char name[16];

    if (suffix.size >= sizeof(name))
        return DG_TYPE_NONE;
    memcpy(name, suffix.data, suffix.size);
    name[suffix.size] = '\0';
    return dg_type_named(name);
}

static bool holds_raw_bits(const struct dg_tensor *array, enum dg_type type)
{
    bool is_unsigned = array->type == DG_TYPE_U8 ||
                       (array->type >= DG_TYPE_U16 && array->type <= DG_TYPE_U64);

    return array->type == type ||
           (is_unsigned && dg_type_bytes(array->type) == dg_type_bytes(type));
}

/* What follows the last "__" of a name, when it has a meaning here. */
static struct dg_text suffix_of(struct dg_text name)
{
    for (size_t at = name.size; at > 2; at--) {
        struct dg_text suffix = {name.data + at, name.size - at};

        if (memcmp(name.data + at - 2, "__", 2) != 0)
            continue;
        if (is_scalar_suffix(suffix) || type_of_suffix(suffix) != DG_TYPE_NONE)
            return suffix;
        break;
    }
    return (struct dg_text){0};
}

static enum dg_status refuse_suffix(struct dg_tensor *array, struct dg_text suffix,
                                    struct dg_error *err)
{
    char shape[200];

    dg_fail(err, DG_ERR_FORMAT, "the suffix __%.*s does not fit an array of %s %s",
            (int)suffix.size, suffix.data, dg_type_name(array->type),
            dg_shape_text(array, shape, sizeof(shape)));
    dg_tensor_drop(array);
    return err->status;
}

enum dg_status dg_value_set_put_array(struct dg_value_set *set, struct dg_text name,
                                      struct dg_tensor *array, struct dg_error *err)
{
    struct dg_text suffix = suffix_of(name);
    struct dg_arg value = {.kind = DG_ARG_TENSOR, .as.tensor = array};

    if (suffix.size && is_scalar_suffix(suffix)) {
        if (!scalar_of(array, suffix, &value))
            return refuse_suffix(array, suffix, err);
        dg_tensor_drop(array);
    } else if (suffix.size) {
        if (!holds_raw_bits(array, type_of_suffix(suffix)))
            return refuse_suffix(array, suffix, err);
        array->type = type_of_suffix(suffix);
    }
    if (suffix.size)
        name.size -= suffix.size + 2;
    dg_value_set_put(set, name, true, value);
    return DG_OK;
}

/* What numpy.save wrote: one array without a name. */
static enum dg_status read_npy(struct dg_value_set *set, struct dg_error *err)
{
    struct dg_tensor *array = dg_npy_read(set->file, false, &set->memory, err);

    if (!array)
        return err->status;
    dg_value_set_put(set, dg_text("0"), false,
                     (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = array});
    return DG_OK;
}

static enum dg_status read_file(struct dg_value_set *set, struct dg_error *err)
{
    if (dg_npy_recognises(set->file))
        return read_npy(set, err);
    if (dg_zip_recognises(set->file))
        return dg_npz_read(set, err);
    if (set->file.size > 1 && set->file.data[0] == 0x80)
        return dg_fail(err, DG_ERR_FORMAT,
                       "a bare pickle, or an archive of torch before 1.6: save it "
                       "anew with torch.save");
    return dg_fail(err, DG_ERR_FORMAT,
                   "expected tensors: .npz, .npy, a folder of .npy, what torch.save "
                   "wrote, or a bundled program");
}

static bool is_folder(const char *path)
{
    struct stat state;

    return !stat(path, &state) && S_ISDIR(state.st_mode);
}

enum dg_status dg_value_set_open(struct dg_value_set *set, const char *path,
                                 struct dg_error *err)
{
    struct dg_input input;
    enum dg_status status;

    *set = (struct dg_value_set){.path = path};
    if (is_folder(path)) {
        status = dg_npy_folder_read(set, err);
        return status ? dg_fail_at(err, path) : DG_OK;
    }
    status = dg_input_map(&input, path, err);
    set->file = input.file;
    set->mapped = input.mapped;
    if (status)
        return status;
    return read_file(set, err) ? dg_fail_at(err, path) : DG_OK;
}

void dg_value_set_clear(struct dg_value_set *set)
{
    for (size_t i = 0; i < set->n_values; i++)
        dg_arg_drop(&set->values[i].value);
    free(set->values);
    dg_arena_clear(&set->memory);
    dg_input_release(set->file, set->mapped);
    *set = (struct dg_value_set){0};
}
