/* The graph of an XNNPACK delegate from its rows: what its values and nodes are, where
 * its constants lie, and in which order nodes run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/number.h"
#include "base/sorted.h"
#include "exec/schedule_inside.h"
#include "formats/blob.h"
#include "formats/stored_tensor.h"
#include "graph/xnnpack_rows.h"

/* Several values may have one; it is copied once. */
struct constant {
    int64_t idx;
    struct dg_bytes bytes;
    float *scales[2]; /* as f32 and as bf16, once they were read so */
};

struct reading {
    struct dg_pte_maker *maker;
    struct dg_inside *inside;
    struct constant *constants; /* sorted by idx */
    size_t n_constants;
};

static struct dg_arena *memory_of(const struct reading *reading)
{
    return &reading->maker->schedule->memory;
}

/* The first reason counts. */
static void refuse(struct reading *reading, const char *why)
{
    if (!reading->inside->why)
        reading->inside->why = why;
}

/* Where it stays: rows that are behind point at it. */
static void *moved(struct reading *reading, void *items, size_t size)
{
    void *copy = dg_alloc(memory_of(reading), size, 1);

    if (size)
        memcpy(copy, items, size);
    free(items);
    return copy;
}

static struct dg_rows rows_of(struct reading *reading, const char *sql)
{
    return dg_rows_of(reading->maker->store, sql, reading->inside->graph_id,
                      reading->maker->err);
}

/* Bytes that the blob has, or that are looked up by key. */
static const char constants_sql[] =
    "SELECT idx, key, file_offset, nbytes FROM delegate_constant"
    " WHERE graph_id = ?1 ORDER BY idx";

static struct dg_bytes constant_bytes(const struct reading *reading,
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

static enum dg_status read_constants(struct reading *reading)
{
    struct dg_rows rows = rows_of(reading, constants_sql);

    while (dg_rows_next(&rows))
        *DG_APPEND(reading->constants, reading->n_constants) = (struct constant){
            .idx = dg_rows_int(&rows, 0), .bytes = constant_bytes(reading, &rows)};
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

static int by_idx(const void *a, const void *b)
{
    int64_t left = ((const struct constant *)a)->idx;
    int64_t right = ((const struct constant *)b)->idx;

    return (left > right) - (left < right);
}

/* NULL: nobody has its bytes. */
static struct constant *find_constant(const struct reading *reading, int64_t idx)
{
    struct constant key = {.idx = idx};
    struct constant *found =
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
    "       json_extract(quantization, '$.num_scales')"
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
enum { INNER = GROUP_SIZE + 1, SCALE_CONSTANT, N_SCALES };

static void read_quantization(struct reading *reading, const struct dg_rows *row,
                              struct dg_xnn_operand *operand)
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
        refuse(reading, "a value of it is quantized in a way that is not known");
    operand->scale = (float)dg_rows_real(row, SCALE, 0);
    operand->zero_point = (int32_t)dg_rows_int(row, ZERO_POINT);
    operand->group_size = dg_rows_int(row, GROUP_SIZE);
    operand->n_inner = (int)(dg_rows_int(row, INNER) & 0xff);
}

static void read_type(struct reading *reading, const struct dg_rows *row,
                      struct dg_xnn_operand *operand)
{
    const char *name = dg_rows_text(row, DTYPE);

    operand->four_bits = name && !strcmp(name, "i4");
    operand->type = operand->four_bits ? DG_TYPE_U8
                    : name             ? dg_type_named(name)
                                       : DG_TYPE_NONE;
    if (operand->type == DG_TYPE_NONE)
        refuse(reading, "a value of it has elements that are not known");
    operand->shape = dg_xnn_shape_said(dg_rows_text(row, SHAPE));
    if (operand->shape.rank < 0)
        refuse(reading, "a value of it has more dimensions than the runtime knows");
}

static void read_value(struct reading *reading, const struct dg_rows *row)
{
    struct dg_inside *inside = reading->inside;
    struct dg_inside_value *value = DG_APPEND(inside->values, inside->n_values);

    value->id = dg_rows_int(row, ID);
    value->flags = (unsigned)dg_rows_int(row, FLAGS);
    value->external = dg_rows_int_or(row, EXTERNAL, -1);
    value->constant = dg_rows_int_or(row, CONSTANT, -1);
    value->operand.constant = value->constant >= 0;
    value->scale_constant = dg_rows_int(row, SCALE_CONSTANT);
    value->n_scales = dg_rows_int(row, N_SCALES);
    value->writer = DG_INSIDE_NONE;
    read_type(reading, row, &value->operand);
    read_quantization(reading, row, &value->operand);
}

static enum dg_status read_values(struct reading *reading)
{
    struct dg_rows rows = rows_of(reading, values_sql);

    while (dg_rows_next(&rows))
        read_value(reading, &rows);
    reading->inside->values =
        moved(reading, reading->inside->values,
              reading->inside->n_values * sizeof(struct dg_inside_value));
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

static int by_id(const void *a, const void *b)
{
    int64_t left = ((const struct dg_inside_value *)a)->id;
    int64_t right = ((const struct dg_inside_value *)b)->id;

    return (left > right) - (left < right);
}

static uint32_t number_of(const struct reading *reading, int64_t id)
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

static enum dg_status read_scales(struct reading *reading)
{
    struct dg_rows rows = rows_of(reading, scales_sql);
    float *scales = NULL;

    while (dg_rows_next(&rows)) {
        uint32_t number = number_of(reading, dg_rows_int(&rows, 0));
        struct dg_xnn_operand *operand = &reading->inside->values[number].operand;
        float scale = (float)dg_rows_real(&rows, 1, 0);

        if (!operand->scales) {
            scales = dg_alloc(memory_of(reading), (size_t)dg_rows_int(&rows, 2),
                              sizeof(*scales));
            operand->scales = scales;
        }
        scales[operand->n_scales++] =
            operand->quantized == DG_XNN_BY_GROUP ? group_scale(scale) : scale;
    }
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

enum { AS_F32, AS_BF16 };

static const float *scales_of(const struct reading *reading, struct constant *constant,
                              int form)
{
    const uint8_t *at = constant->bytes.data;
    size_t n = constant->bytes.size / (form == AS_BF16 ? 2 : 4);
    float *scales = constant->scales[form];

    if (scales)
        return scales;
    constant->scales[form] = scales = dg_alloc(memory_of(reading), n, sizeof(*scales));
    for (size_t i = 0; i < n; i++)
        scales[i] =
            form == AS_BF16 ? dg_bf16_value(dg_u16(at + 2 * i)) : dg_f32(at + 4 * i);
    return scales;
}

/* Of groups in bf16, else in f32. */
static void load_scales(struct reading *reading, struct dg_inside_value *value)
{
    struct constant *constant = find_constant(reading, value->scale_constant);
    int form = value->operand.quantized == DG_XNN_BY_GROUP ? AS_BF16 : AS_F32;
    size_t size = form == AS_BF16 ? 2 : 4;

    if (!constant || value->n_scales < 0 ||
        (uint64_t)value->n_scales > constant->bytes.size / size) {
        refuse(reading, "scales of it are not in the files: a .ptd is needed");
        return;
    }
    value->operand.scales = scales_of(reading, constant, form);
    value->operand.n_scales = value->n_scales;
}

enum { ALIGNED = 4 }; /* to the largest element that XNNPACK has */

static void load_constant(struct reading *reading, struct dg_inside_value *value)
{
    const struct dg_xnn_operand *operand = &value->operand;
    struct constant *constant = find_constant(reading, value->constant);
    struct dg_xnn_shape shape = operand->shape;
    struct dg_tensor *tensor = NULL;

    if (!constant) {
        refuse(reading, "constants of it are not in the files: a .ptd is needed");
        return;
    }
    constant->bytes.data =
        dg_aligned_bytes(constant->bytes, ALIGNED, memory_of(reading));
    if (operand->four_bits && shape.rank > 0)
        shape.sizes[shape.rank - 1] =
            shape.sizes[shape.rank - 1] / 2 + shape.sizes[shape.rank - 1] % 2;
    if (shape.rank >= 0 && operand->type != DG_TYPE_NONE)
        tensor = dg_stored_tensor(operand->type, shape.rank, shape.sizes, NULL, 0,
                                  constant->bytes, memory_of(reading));
    if (tensor)
        value->initial = (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
    else
        refuse(reading, "a constant of it has too few bytes");
}

static void load_constants(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->inside->n_values; i++) {
        struct dg_inside_value *value = &reading->inside->values[i];

        if (value->constant >= 0)
            load_constant(reading, value);
        if (value->scale_constant)
            load_scales(reading, value);
    }
}

static const char nodes_sql[] =
    "SELECT n.id, n.name, iif(n.op IN (" DG_XNN_CLAMPED_SQL "), n.output_min, NULL),"
    "       iif(n.op IN (" DG_XNN_CLAMPED_SQL "), n.output_max, NULL),"
    "       coalesce(json_extract(n.args, '$.alpha'),"
    "                json_extract(n.args, '$.negative_slope'),"
    "                json_extract(n.args, '$.padding_value'), 0), "
    "debug_handle, " DG_XNN_NODE_SQL
    "  FROM delegate_node AS n WHERE n.graph_id = ?1 ORDER BY n.id";

enum { NAME = 1, LEAST, MOST, REAL, HANDLE, NODE };

enum { NO_HANDLE = 65535 }; /* as ExecuTorch says it of nodes that its passes made */

static void read_node(struct reading *reading, const struct dg_rows *row)
{
    struct dg_inside *inside = reading->inside;
    struct dg_inside_node *node = DG_APPEND(inside->nodes, inside->n_nodes);

    node->id = dg_rows_int(row, ID);
    node->name = dg_rows_keep(memory_of(reading), row, NAME).data;
    node->step.node = dg_xnn_node_of(row, NODE);
    node->step.node.op = dg_rows_keep(memory_of(reading), row, NODE);
    node->op =
        dg_format(memory_of(reading), "xnnpack::%s", node->step.node.op.data).data;
    node->step.least = dg_rows_real(row, LEAST, -INFINITY);
    node->step.most = dg_rows_real(row, MOST, INFINITY);
    node->step.real = dg_rows_real(row, REAL, 0);
    if (dg_rows_int(row, HANDLE) > 0 && dg_rows_int(row, HANDLE) != NO_HANDLE)
        node->handle = (uint32_t)dg_rows_int(row, HANDLE);
    node->step.kernel = dg_xnn_kernel(node->step.node.op);
}

static enum dg_status read_nodes(struct reading *reading)
{
    struct dg_rows rows = rows_of(reading, nodes_sql);

    while (dg_rows_next(&rows))
        read_node(reading, &rows);
    reading->inside->nodes =
        moved(reading, reading->inside->nodes,
              reading->inside->n_nodes * sizeof(struct dg_inside_node));
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

static const char operands_sql[] =
    "SELECT o.node_id, o.value_id, o.access = 'write'"
    "  FROM delegate_node AS n JOIN delegate_operand AS o ON o.node_id = n.id"
    " WHERE n.graph_id = ?1 ORDER BY n.id, o.pos";

static void add_operand(struct reading *reading, struct dg_inside_node *node,
                        uint32_t value, bool writes)
{
    struct dg_inside_value *operand = &reading->inside->values[value];
    struct dg_xnn_step *step = &node->step;

    if (!writes && step->node.n_inputs < DG_XNN_INPUTS) {
        operand->is_read = true;
        node->inputs[step->node.n_inputs] = value;
        step->inputs[step->node.n_inputs++] = &operand->operand;
    } else if (writes && step->n_outputs < 2) {
        if (operand->writer != DG_INSIDE_NONE || operand->constant >= 0 ||
            operand->flags & DG_BLOB_INPUT)
            refuse(reading, "a value of its graph is written twice");
        operand->writer = (uint32_t)(node - reading->inside->nodes);
        node->outputs[step->n_outputs] = value;
        step->outputs[step->n_outputs++] = &operand->operand;
    }
}

/* Nodes and their operands are in the order of the same numbers. */
static enum dg_status read_operands(struct reading *reading)
{
    struct dg_rows rows = rows_of(reading, operands_sql);
    struct dg_inside *inside = reading->inside;
    uint32_t at = 0;

    while (dg_rows_next(&rows)) {
        uint32_t value = number_of(reading, dg_rows_int_or(&rows, 1, -1));

        while (at < inside->n_nodes && inside->nodes[at].id != dg_rows_int(&rows, 0))
            at++;
        if (value == DG_INSIDE_NONE)
            refuse(reading, "a node of its graph names a value that is not there");
        else if (at < inside->n_nodes)
            add_operand(reading, &inside->nodes[at], value, dg_rows_int(&rows, 2) != 0);
    }
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

/* Which nodes read a value: as lists of one array, by value. */
struct readers {
    uint32_t *first, *nodes;
};

static bool is_made(const struct dg_inside_value *value)
{
    return value->writer != DG_INSIDE_NONE;
}

static struct readers find_readers(const struct dg_inside *inside,
                                   struct dg_arena *memory)
{
    struct readers readers = {dg_alloc(memory, inside->n_values + 2u, sizeof(uint32_t)),
                              dg_alloc(memory,
                                       (size_t)inside->n_nodes * DG_XNN_INPUTS + 1,
                                       sizeof(uint32_t))};

    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        for (int k = 0; k < inside->nodes[i].step.node.n_inputs; k++)
            readers.first[inside->nodes[i].inputs[k] + 2]++;
    }
    for (uint32_t i = 0; i < inside->n_values; i++)
        readers.first[i + 2] += readers.first[i + 1];
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        for (int k = 0; k < inside->nodes[i].step.node.n_inputs; k++)
            readers.nodes[readers.first[inside->nodes[i].inputs[k] + 1]++] = i;
    }
    return readers;
}

static void count_waits(struct dg_inside *inside)
{
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        struct dg_inside_node *node = &inside->nodes[i];

        for (int k = 0; k < node->step.node.n_inputs; k++)
            node->n_waits += is_made(&inside->values[node->inputs[k]]);
    }
}

/* What `done` gives is there: who waited for nothing else runs. */
static uint32_t release(struct dg_inside *inside, const struct readers *readers,
                        const struct dg_inside_node *done, uint32_t n)
{
    for (int k = 0; k < done->step.n_outputs; k++) {
        uint32_t value = done->outputs[k];

        for (uint32_t r = readers->first[value]; r < readers->first[value + 1]; r++) {
            if (!--inside->nodes[readers->nodes[r]].n_waits)
                inside->order[n++] = readers->nodes[r];
        }
    }
    return n;
}

static bool is_in_order(const struct dg_inside *inside)
{
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        for (int k = 0; k < inside->nodes[i].step.node.n_inputs; k++) {
            const struct dg_inside_value *value =
                &inside->values[inside->nodes[i].inputs[k]];

            if (is_made(value) && value->writer >= i)
                return false;
        }
    }
    return true;
}

/* As stored, where that can be; else whoever waits for nothing runs. */
static void put_in_order(struct reading *reading)
{
    struct dg_inside *inside = reading->inside;
    bool as_stored = is_in_order(inside);
    struct dg_arena scratch = {0};
    struct readers readers = find_readers(inside, &scratch);
    uint32_t n = 0;

    inside->order =
        dg_alloc(memory_of(reading), inside->n_nodes + 1u, sizeof(uint32_t));
    count_waits(inside);
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        if (as_stored || !inside->nodes[i].n_waits)
            inside->order[n++] = i;
    }
    for (uint32_t at = 0; !as_stored && at < n; at++)
        n = release(inside, &readers, &inside->nodes[inside->order[at]], n);
    if (n < inside->n_nodes)
        refuse(reading, "nodes of its graph wait for each other");
    dg_arena_clear(&scratch);
}

enum { IMAGE = 4 };

static bool transposes(const struct dg_inside_node *node)
{
    return dg_text_is(node->step.node.op, "StaticTranspose");
}

/* What the lowering put there; a permutation of the program has a debug handle. */
static bool turns_to_nhwc(const struct dg_inside_node *node)
{
    static const int64_t order[IMAGE] = {0, 2, 3, 1};

    return transposes(node) && !node->handle && node->step.node.perm.rank == IMAGE &&
           !memcmp(node->step.node.perm.sizes, order, sizeof(order));
}

static bool looks_at_images(struct dg_text op)
{
    static const char *const kinds[] = {"Conv2d",
                                        "DepthwiseConv2d",
                                        "ConvTranspose2d",
                                        "AvgPooling2d",
                                        "MaxPooling2d",
                                        "ArgMaxPooling2d",
                                        "GlobalAvgPooling2d",
                                        "StaticResizeBilinear2D"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_is(op, kinds[i]))
            return true;
    }
    return false;
}

/* A permutation of the program is done on images as they lie, by other dimensions. */
static bool keeps_order(const struct dg_inside_node *node)
{
    struct dg_text op = node->step.node.op;

    return !(transposes(node) && !node->handle) && !dg_text_is(op, "StaticReshape") &&
           !dg_text_is(op, "FullyConnected") && !dg_text_is(op, "BatchMatrixMultiply");
}

/* Images lie in memory as NHWC from where the lowering turned them so to where it
 * turned them back. */
static void find_images(struct dg_inside *inside)
{
    for (uint32_t at = 0; !inside->why && at < inside->n_nodes; at++) {
        const struct dg_inside_node *node = &inside->nodes[inside->order[at]];
        bool is_image = looks_at_images(node->step.node.op) || turns_to_nhwc(node);

        for (int k = 0; k < node->step.node.n_inputs; k++)
            is_image |= inside->values[node->inputs[k]].is_nhwc && keeps_order(node);
        for (int k = 0; k < node->step.n_outputs; k++) {
            struct dg_inside_value *value = &inside->values[node->outputs[k]];

            value->is_nhwc = is_image && value->operand.shape.rank == IMAGE &&
                             !(value->flags & DG_BLOB_OUTPUT);
        }
    }
}

/* What is read has to come from somewhere. */
static void check_sources(struct reading *reading)
{
    const struct dg_inside *inside = reading->inside;

    for (uint32_t i = 0; i < inside->n_values && !inside->why; i++) {
        const struct dg_inside_value *value = &inside->values[i];

        if (!is_made(value) && value->constant < 0 && !(value->flags & DG_BLOB_INPUT) &&
            (value->flags & DG_BLOB_OUTPUT || value->is_read))
            refuse(reading, "a value of its graph is written by no node");
    }
}

static enum dg_status read_all(struct reading *reading)
{
    static enum dg_status (*const parts[])(struct reading *) = {
        read_values, read_constants, read_scales, read_nodes, read_operands};
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < sizeof(parts) / sizeof(*parts); i++)
        status = parts[i](reading);
    if (status)
        return status;
    load_constants(reading);
    check_sources(reading);
    put_in_order(reading);
    find_images(reading->inside);
    return DG_OK;
}

enum dg_status dg_inside_read(const struct dg_inside **found,
                              struct dg_pte_maker *maker, int64_t graph_id)
{
    uint32_t number = dg_int_set_add(&maker->inside_ids, (uint64_t)graph_id);
    struct reading reading = {.maker = maker};
    enum dg_status status = DG_OK;

    if (number == maker->n_insides) {
        reading.inside = dg_alloc(&maker->schedule->memory, 1, sizeof(*reading.inside));
        reading.inside->graph_id = graph_id;
        *DG_APPEND(maker->insides, maker->n_insides) = reading.inside;
        status = read_all(&reading);
        free(reading.constants);
    }
    *found = maker->insides[number];
    return status;
}

void dg_inside_drop(struct dg_pte_maker *maker)
{
    for (size_t i = 0; i < maker->n_insides; i++) {
        for (uint32_t k = 0; k < maker->insides[i]->n_values; k++)
            dg_arg_drop(&maker->insides[i]->values[k].initial);
    }
    dg_int_set_clear(&maker->inside_ids);
    free(maker->insides);
}
