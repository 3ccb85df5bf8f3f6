/* Quantization of values of XNNPACK's blobs, as JSON. */
#include <inttypes.h>

#include "base/text.h"
#include "formats/xnnpack_schema.h"

enum { SCALE_OF_GROUP = 2, SCALE_OF_CHANNEL = 4 }; /* bf16, f32 */

static void print_reals(struct dg_writer *out, struct dg_vector list)
{
    dg_print(out, "[");
    for (size_t i = 0; i < list.n; i++) {
        if (i)
            dg_print(out, ",");
        dg_write_float(out, dg_f32(list.at + 4 * i));
    }
    dg_print(out, "]");
}

/* Scales by channel or group lie in the graph, or are a constant. */
static void print_scales(struct dg_writer *out, struct dg_flatbuffer_table params,
                         unsigned scales, unsigned buffer, unsigned count)
{
    if (dg_table_has(params, scales)) {
        dg_print(out, ",\"scales\":");
        print_reals(out, dg_table_vector(params, scales));
    }
    if (dg_table_u32(params, buffer, 0))
        dg_print(out, ",\"scale_constant\":%" PRIu32 ",\"num_scales\":%" PRIu32,
                 dg_table_u32(params, buffer, 0), dg_table_u32(params, count, 0));
}

void dg_xnnpack_place_scales(struct dg_delegate_value_row *row,
                             struct dg_flatbuffer_table quantized)
{
    struct dg_flatbuffer_table params = dg_table_union(quantized, XNN_PARAMS);
    unsigned type = params.at ? dg_table_u8(quantized, XNN_PARAMS_TYPE, 0) : 0;
    bool by_group = type == XNN_PER_GROUP;

    if (type != XNN_PER_CHANNEL && !by_group)
        return;
    row->scale_constant =
        dg_table_u32(params, by_group ? XNN_GROUP_BUFFER : XNN_CHANNEL_BUFFER, 0);
    row->n_scales =
        dg_table_u32(params, by_group ? XNN_GROUP_COUNT : XNN_CHANNEL_COUNT, 0);
    row->scale_bytes = by_group ? SCALE_OF_GROUP : SCALE_OF_CHANNEL;
}

void dg_xnnpack_print_quantization(struct dg_writer *out,
                                   struct dg_flatbuffer_table quantized)
{
    struct dg_flatbuffer_table params = dg_table_union(quantized, XNN_PARAMS);

    switch (params.at ? dg_table_u8(quantized, XNN_PARAMS_TYPE, 0) : 0) {
    case XNN_PER_CHANNEL:
        dg_print(out, "{\"type\":\"per_channel\",\"channel_dim\":%" PRId32,
                 dg_table_i32(params, XNN_CHANNEL_DIM, 0));
        print_scales(out, params, XNN_CHANNEL_SCALES, XNN_CHANNEL_BUFFER,
                     XNN_CHANNEL_COUNT);
        break;
    case XNN_PER_TENSOR:
        dg_print(out, "{\"type\":\"per_tensor\",\"scale\":");
        dg_write_float(out, dg_table_f32(params, XNN_SCALE, 0));
        dg_print(out, ",\"zero_point\":%" PRId32,
                 dg_table_i32(params, XNN_ZERO_POINT, 0));
        break;
    case XNN_PER_TOKEN:
        dg_print(out, "{\"type\":\"per_token\",\"num_nonbatch_dims\":%" PRId32,
                 dg_table_i32(params, XNN_NONBATCH_DIMS, 0));
        break;
    case XNN_PER_GROUP:
        dg_print(out,
                 "{\"type\":\"per_channel_group\",\"channel_dim\":%" PRId32
                 ",\"group_size\":%" PRId32,
                 dg_table_i32(params, XNN_GROUP_DIM, 0),
                 dg_table_i32(params, XNN_GROUP_SIZE, 0));
        print_scales(out, params, XNN_GROUP_SCALES, XNN_GROUP_BUFFER, XNN_GROUP_COUNT);
        break;
    default:
        dg_print(out, "{\"type\":\"unknown\"");
    }
    dg_print(out, "}");
}
