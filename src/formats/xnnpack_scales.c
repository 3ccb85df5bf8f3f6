/* Scales that lie in constants: writers since ExecuTorch 1.0 keep none in the graph.
 * What rules need of them is how large they are, and whether they are scales. */
#include <math.h>

#include "base/number.h"
#include "base/text.h"
#include "base/text_set.h"
#include "formats/pte.h"

/* Scales of large groups are an eighth of what they belong to: nobody waits for them.
 */
enum { MOST_BYTES = 16 << 20 };

struct measuring {
    struct dg_program *program;
    struct dg_bytes file;
    struct dg_text_set keys; /* of named data, once they are needed; numbers are rows */
    uint64_t left;           /* bytes that may still be read */
};

static void read_keys(struct measuring *measuring)
{
    const struct dg_program *program = measuring->program;

    if (measuring->keys.n_texts)
        return;
    for (size_t i = 0; i < program->n_named_data; i++)
        dg_text_set_add(&measuring->keys, program->named_data[i].key);
}

static struct dg_bytes slice(const struct measuring *measuring, int64_t offset,
                             int64_t size)
{
    if (offset < 0 || size < 0 ||
        !dg_inside((uint64_t)offset, (uint64_t)size, measuring->file.size))
        return (struct dg_bytes){0};
    return dg_slice(measuring->file, (size_t)offset, (size_t)size);
}

static struct dg_bytes named(struct measuring *measuring, struct dg_text key)
{
    const struct dg_program *program = measuring->program;
    const struct dg_named_data_row *data;
    uint32_t number;

    read_keys(measuring);
    number = dg_text_set_find(&measuring->keys, key);
    /* Keys that are there twice are told as such, and nothing is said of their bytes.
     */
    if (number == DG_NO_TEXT || measuring->keys.n_texts != program->n_named_data)
        return (struct dg_bytes){0};
    data = &program->named_data[number];
    if (data->segment_idx < 0 || (uint64_t)data->segment_idx >= program->n_segments)
        return (struct dg_bytes){0};
    return slice(measuring, program->segments[data->segment_idx].file_offset,
                 data->size_bytes);
}

static struct dg_bytes scales_of(struct measuring *measuring,
                                 const struct dg_delegate_value_row *value)
{
    const struct dg_program *program = measuring->program;
    const struct dg_delegate_graph_row *graph = &program->delegate_graphs[value->graph];
    const struct dg_delegate_constant_row *constant =
        &program->delegate_constants[graph->first_constant];
    int64_t number =
        graph->n_constants ? value->scale_constant - constant->idx : DG_NONE;

    if (number < 0 || (uint64_t)number >= graph->n_constants)
        return (struct dg_bytes){0};
    constant += number;
    return constant->key.size
               ? named(measuring, constant->key)
               : slice(measuring, constant->file_offset, constant->nbytes);
}

static float scale_at(const uint8_t *at, int bytes)
{
    return bytes == 2 ? dg_bf16_value(dg_u16(at)) : dg_f32(at);
}

static void measure(struct measuring *measuring, struct dg_delegate_value_row *value)
{
    struct dg_bytes bytes = scales_of(measuring, value);
    uint64_t n = (uint64_t)value->n_scales, size = n * (uint64_t)value->scale_bytes;
    float least = INFINITY, most = 0;
    size_t n_wrong = 0;
    struct dg_writer out = {0};

    if (!n || size > bytes.size || size > measuring->left)
        return;
    measuring->left -= size;
    for (size_t i = 0; i < n; i++) {
        float scale =
            scale_at(bytes.data + i * (size_t)value->scale_bytes, value->scale_bytes);
        bool is_scale = isnormal(scale) && scale > 0;

        least = is_scale && scale < least ? scale : least;
        most = is_scale && scale > most ? scale : most;
        n_wrong += !is_scale;
    }
    dg_write(&out, value->quantization.data, value->quantization.size - 1);
    if (n_wrong < n) {
        dg_print(&out, ",\"least_scale\":");
        dg_write_float(&out, least);
        dg_print(&out, ",\"most_scale\":");
        dg_write_float(&out, most);
    }
    dg_print(&out, ",\"wrong_scales\":%zu}", n_wrong);
    value->quantization = dg_keep(&measuring->program->memory, &out);
}

void dg_xnnpack_measure_scales(struct dg_program *program, struct dg_bytes file)
{
    struct measuring measuring = {program, file, .left = MOST_BYTES};

    for (size_t i = 0; i < program->n_delegate_values; i++) {
        if (program->delegate_values[i].scale_constant)
            measure(&measuring, &program->delegate_values[i]);
    }
    dg_text_set_clear(&measuring.keys);
}
