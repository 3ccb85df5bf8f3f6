/* Values of the graph of an XNNPACK delegate: types, quantization, constants and
 * scales. */
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/number.h"
#include "base/sorted.h"
#include "exec/schedule_inside_parts.h"
#include "formats/stored_tensor.h"
#include "graph/xnnpack_rows.h"

/* Several values may have one; it is copied once. */
struct dg_inside_constant {
    int64_t idx;
    struct dg_bytes bytes;
    float *scales[2]; /* as f32 and as bf16, once they were read so */
};

/* Bytes that the blob has, or that are looked up by key. */
static const char constants_sql[] =
    "SELECT idx, key, file_offset, nbytes FROM delegate_constant"
    " WHERE graph_id = ?1 ORDER BY idx";

static struct dg_bytes constant_bytes(const struct dg_inside_reading *reading,
                                      const struct dg_rows *row)
{
    const struct dg_pte_data *data = &reading->maker->data;
    struct dg_bytes bytes = {0};
    uint32_t key;

    if (dg_rows_null(row, 1)) {
        dg_stored_bytes(reading->maker->files->file, dg_rows_int_or(row, 2, -1),
                        dg_rows_int_or(row, 3, -1), &bytes);
        return bytes;
    }
    key = dg_text_set_find(&data->keys, dg_rows_slice(row, 1));
    return key == DG_NO_TEXT ? bytes : data->of_key[key];
}

static enum dg_status read_constants(struct dg_inside_reading *reading)
{
    struct dg_rows rows = dg_inside_rows(reading, constants_sql);

    while (dg_rows_next(&rows))
        *DG_APPEND(reading->constants, reading->n_constants) =
            (struct dg_inside_constant){.idx = dg_rows_int(&rows, 0),
                                        .bytes = constant_bytes(reading, &rows)};
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

static int by_idx(const void *a, const void *b)
{
    int64_t left = ((const struct dg_inside_constant *)a)->idx;
    int64_t right = ((const struct dg_inside_constant *)b)->idx;

    return (left > right) - (left < right);
}

/* NULL: nobody has its bytes. */
static struct dg_inside_constant *find_constant(const struct dg_inside_reading *reading,
                                                int64_t idx)
{
    struct dg_inside_constant key = {.idx = idx};
    struct dg_inside_constant *found =
        dg_search(&key, reading->constants, reading->n_constants, sizeof(key), by_idx);

    return found && found->bytes.data ? found : NULL;
}

static const char values_sql[] =
    "SELECT id, dtype, shape, flags, external_id, constant_idx,"
    "       json_extract(quantization, '$.type'), json_extract(quantization, "
    "'$.scale'),"
    "       json_extract(quantization, '$.zero_point'),"
    "       json_extract(quantization, '$.group_size'),"
    "       json_extract(quantization, '$.num_nonbatch_dims'),"
    "       json_extract(quantization, '$.scale_constant'),"
    "       json_extract(quantization, '$.num_scales'),"
    "       json_extract(quantization, '$.channel_dim')"
    "  FROM delegate_value WHERE graph_id = ?1 ORDER BY id";

enum {
    ID,
    DTYPE,
    SHAPE,
    FLAGS,
    EXTERNAL,
    CONSTANT,
    QUANTIZED,
    SCALE,
    ZERO_POINT,
    GROUP_SIZE
};
enum { INNER = GROUP_SIZE + 1, SCALE_CONSTANT, N_SCALES, CHANNEL_DIM };

static void read_quantization(struct dg_inside_reading *reading,
                              const struct dg_rows *row, struct dg_xnn_operand *operand)
{
    struct dg_text type = dg_text(dg_rows_text(row, QUANTIZED));

    if (dg_text_is(type, "per_tensor"))
        operand->quantized = DG_XNN_BY_TENSOR;
    else if (dg_text_is(type, "per_channel"))
        operand->quantized = DG_XNN_BY_CHANNEL;
    else if (dg_text_is(type, "per_channel_group"))
        operand->quantized = DG_XNN_BY_GROUP;
    else if (dg_text_is(type, "per_token"))
        operand->quantized = DG_XNN_BY_SLICE;
    else if (type.data)
        dg_inside_refuse(reading,
                         "a value of it is quantized in a way that is not known");
    operand->scale = (float)dg_rows_real(row, SCALE, 0);
    operand->zero_point = (int32_t)dg_rows_int(row, ZERO_POINT);
    operand->group_size = dg_rows_int(row, GROUP_SIZE);
    operand->n_inner = (int)(dg_rows_int(row, INNER) & 0xff);
}

static void read_type(struct dg_inside_reading *reading, const struct dg_rows *row,
                      struct dg_xnn_operand *operand)
{
    const char *name = dg_rows_text(row, DTYPE);

    operand->four_bits = name && !strcmp(name, "i4");
    operand->type = operand->four_bits ? DG_TYPE_U8
                    : name             ? dg_type_named(name)
                                       : DG_TYPE_NONE;
    if (operand->type == DG_TYPE_NONE)
        dg_inside_refuse(reading, "a value of it has elements that are not known");
    operand->shape = dg_xnn_shape_said(dg_rows_text(row, SHAPE));
    if (operand->shape.rank < 0)
        dg_inside_refuse(reading,
                         "a value of it has more dimensions than the runtime knows");
}

/* How many scales a constant has: of channels the runtime does not count them, and
 * takes one for each. -1: there is no such dimension. */
static int64_t n_scales(const struct dg_rows *row, const struct dg_xnn_operand *operand)
{
    int64_t dim = dg_rows_int_or(row, CHANNEL_DIM, -1);

    if (operand->quantized != DG_XNN_BY_CHANNEL)
        return dg_rows_int(row, N_SCALES);
    return dim >= 0 && dim < operand->shape.rank ? operand->shape.sizes[dim] : -1;
}

static void read_value(struct dg_inside_reading *reading, const struct dg_rows *row)
{
    struct dg_inside *inside = reading->inside;
    struct dg_inside_value *value = DG_APPEND(inside->values, inside->n_values);

    value->id = dg_rows_int(row, ID);
    value->flags = (unsigned)dg_rows_int(row, FLAGS);
    value->external = dg_rows_int_or(row, EXTERNAL, -1);
    value->constant = dg_rows_int_or(row, CONSTANT, -1);
    value->operand.constant = value->constant >= 0;
    value->scale_constant = dg_rows_int(row, SCALE_CONSTANT);
    value->writer = DG_INSIDE_NONE;
    read_type(reading, row, &value->operand);
    read_quantization(reading, row, &value->operand);
    value->n_scales = n_scales(row, &value->operand);
}

static enum dg_status read_rows(struct dg_inside_reading *reading)
{
    struct dg_rows rows = dg_inside_rows(reading, values_sql);

    while (dg_rows_next(&rows))
        read_value(reading, &rows);
    reading->inside->values =
        dg_inside_moved(reading, reading->inside->values,
                        reading->inside->n_values * sizeof(struct dg_inside_value));
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

static int by_id(const void *a, const void *b)
{
    int64_t left = ((const struct dg_inside_value *)a)->id;
    int64_t right = ((const struct dg_inside_value *)b)->id;

    return (left > right) - (left < right);
}

uint32_t dg_inside_number(const struct dg_inside_reading *reading, int64_t id)
{
    struct dg_inside_value key = {.id = id};
    const struct dg_inside *inside = reading->inside;
    const struct dg_inside_value *found =
        dg_search(&key, inside->values, inside->n_values, sizeof(key), by_id);

    return found ? (uint32_t)(found - inside->values) : DG_INSIDE_NONE;
}

/* Scales that the graph says, one behind the other by value. */
static const char scales_sql[] =
    "SELECT v.id, item.value, count(*) OVER (PARTITION BY v.id)"
    "  FROM delegate_value AS v, json_each(v.quantization, '$.scales') AS item"
    " WHERE v.graph_id = ?1 ORDER BY v.id, item.key";

/* The runtime keeps those of groups in bf16, rounded by a factor and cut. */
static float group_scale(float scale)
{
    return dg_bf16_value((uint16_t)(dg_bits_of_float(scale * 1.00389105f) >> 16));
}

static enum dg_status read_scales(struct dg_inside_reading *reading)
{
    struct dg_rows rows = dg_inside_rows(reading, scales_sql);
    float *scales = NULL;

    while (dg_rows_next(&rows)) {
        uint32_t number = dg_inside_number(reading, dg_rows_int(&rows, 0));
        struct dg_xnn_operand *operand = &reading->inside->values[number].operand;
        float scale = (float)dg_rows_real(&rows, 1, 0);

        if (!operand->scales) {
            scales = dg_alloc(dg_inside_memory(reading), (size_t)dg_rows_int(&rows, 2),
                              sizeof(*scales));
            operand->scales = scales;
        }
        scales[operand->n_scales++] =
            operand->quantized == DG_XNN_BY_GROUP ? group_scale(scale) : scale;
    }
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

/* Constants may be the same bytes: what copies of all of them cost is bounded by the
 * files. */
static bool may_copy(struct dg_inside_reading *reading, uint64_t size)
{
    const struct dg_schedule_files *files = reading->maker->files;
    uint64_t most = files->file.size;

    for (size_t i = 0; i < files->n_data; i++)
        most += files->data[i].size;
    if (reading->maker->n_copied + size > 2 * most) {
        dg_inside_refuse(reading, "constants of it overlap too often");
        return false;
    }
    reading->maker->n_copied += size;
    return true;
}

enum { AS_F32, AS_BF16 };

/* NULL: they were copied too often. */
static const float *scales_of(struct dg_inside_reading *reading,
                              struct dg_inside_constant *constant, int form)
{
    const uint8_t *at = constant->bytes.data;
    size_t n = constant->bytes.size / (form == AS_BF16 ? 2 : 4);
    float *scales = constant->scales[form];

    if (scales || !may_copy(reading, n * sizeof(*scales)))
        return scales;
    constant->scales[form] = scales =
        dg_alloc(dg_inside_memory(reading), n, sizeof(*scales));
    for (size_t i = 0; i < n; i++)
        scales[i] =
            form == AS_BF16 ? dg_bf16_value(dg_u16(at + 2 * i)) : dg_f32(at + 4 * i);
    return scales;
}

static void refuse_without(struct dg_inside_reading *reading, const char *what)
{
    dg_inside_refuse(reading, dg_format(dg_inside_memory(reading),
                                        "%s of it are not in the files: %s", what,
                                        dg_pte_data_wanted(&reading->maker->data))
                                  .data);
}

/* Of groups in bf16, else in f32. */
static void load_scales(struct dg_inside_reading *reading,
                        struct dg_inside_value *value)
{
    struct dg_inside_constant *constant = find_constant(reading, value->scale_constant);
    int form = value->operand.quantized == DG_XNN_BY_GROUP ? AS_BF16 : AS_F32;
    size_t size = form == AS_BF16 ? 2 : 4;

    if (!constant) {
        refuse_without(reading, "scales");
    } else if (value->n_scales < 0) {
        dg_inside_refuse(reading,
                         "a value of it has scales of a dimension that it lacks");
    } else if ((uint64_t)value->n_scales > constant->bytes.size / size) {
        dg_inside_refuse(reading, "scales of it have too few bytes");
    } else {
        value->operand.scales = scales_of(reading, constant, form);
        value->operand.n_scales = value->operand.scales ? value->n_scales : 0;
    }
}

enum { ALIGNED = 4 }; /* to the largest element that XNNPACK has */

static void load_constant(struct dg_inside_reading *reading,
                          struct dg_inside_value *value)
{
    const struct dg_xnn_operand *operand = &value->operand;
    struct dg_inside_constant *constant = find_constant(reading, value->constant);
    struct dg_xnn_shape shape = operand->shape;
    struct dg_tensor *tensor = NULL;

    if (!constant) {
        refuse_without(reading, "constants");
        return;
    }
    if ((uintptr_t)constant->bytes.data % ALIGNED &&
        !may_copy(reading, constant->bytes.size))
        return;
    constant->bytes.data =
        dg_aligned_bytes(constant->bytes, ALIGNED, dg_inside_memory(reading));
    if (operand->four_bits && shape.rank > 0)
        shape.sizes[shape.rank - 1] =
            shape.sizes[shape.rank - 1] / 2 + shape.sizes[shape.rank - 1] % 2;
    if (shape.rank >= 0 && operand->type != DG_TYPE_NONE)
        tensor = dg_stored_tensor(operand->type, shape.rank, shape.sizes, NULL, 0,
                                  constant->bytes, dg_inside_memory(reading));
    if (tensor)
        value->initial = (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
    else
        dg_inside_refuse(reading, "a constant of it has too few bytes");
}

static void load_constants(struct dg_inside_reading *reading)
{
    for (uint32_t i = 0; i < reading->inside->n_values; i++) {
        struct dg_inside_value *value = &reading->inside->values[i];

        if (value->constant >= 0)
            load_constant(reading, value);
        if (value->scale_constant)
            load_scales(reading, value);
    }
}

enum dg_status dg_inside_read_values(struct dg_inside_reading *reading)
{
    enum dg_status status = read_rows(reading);

    if (!status)
        status = read_constants(reading);
    if (!status)
        status = read_scales(reading);
    if (!status)
        load_constants(reading);
    free(reading->constants);
    reading->constants = NULL;
    return status;
}
