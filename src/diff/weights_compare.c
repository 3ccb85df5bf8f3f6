/* Two weights that are one: type, layout, bytes; and how far apart they are. */
#include <inttypes.h>
#include <math.h>

#include "base/dtype.h"
#include "base/int_list.h"
#include "base/text.h"
#include "diff/weights.h"
#include "exec/compare.h"
#include "formats/stored_tensor.h"

/* ", delegate_0/Conv2d_2 filter": a key that is made of bytes says nothing. */
static const char *reader_of(const struct dg_diff_weight *weight,
                             struct dg_arena *memory)
{
    return weight->reader.data ? dg_format(memory, ", %s", weight->reader.data).data
                               : "";
}

struct dg_text dg_diff_weight_type(const struct dg_diff_weight *weight,
                                   struct dg_arena *memory)
{
    const char *lack = weight->nbytes < 0 ? ", no bytes" : "",
               *reader = reader_of(weight, memory);

    if (!weight->type.data)
        return weight->nbytes < 0
                   ? dg_text("no bytes")
                   : dg_format(memory, "%" PRId64 " bytes%s", weight->nbytes, reader);
    return dg_format(memory, "%s %s%s%s", weight->type.data,
                     weight->shape.data ? weight->shape.data : "", lack, reader);
}

/* Sizes and strides as numbers; the rank, or -1: the file does not say them. */
static int layout_of(const struct dg_diff_weight *weight, int64_t *sizes,
                     int64_t *strides)
{
    int rank = dg_int_list(weight->shape.data, sizes, DG_RANK_MOST), n;

    if (!weight->shape.data || rank < 0)
        return -1;
    if (!weight->strides.data || weight->keyed) {
        dg_contiguous_strides(rank, sizes, strides);
        return rank;
    }
    n = dg_int_list(weight->strides.data, strides, DG_RANK_MOST);
    return n == rank ? rank : -1;
}

/* The tensor, where it has no more elements than bytes of its own: strides of 0 make
 * any number of them of a few bytes. */
static struct dg_tensor *open_tensor(const struct dg_diff_weight *weight,
                                     struct dg_arena *memory)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST], count;
    enum dg_type type = dg_type_named(weight->type.data ? weight->type.data : "");
    int rank = layout_of(weight, sizes, strides);

    if (!weight->bytes.data || type == DG_TYPE_NONE || rank < 0 ||
        !dg_type_is_float(type) || !dg_shape_count(rank, sizes, type, &count) ||
        count > weight->nbytes / (int64_t)dg_type_bytes(type))
        return NULL;
    return dg_stored_tensor(type, rank, sizes, strides, weight->storage_offset,
                            weight->bytes, memory);
}

/* Many weights may lie in the same bytes: together they are read a few times at most.
 */
static bool may_measure(struct dg_diffing *diffing, const struct dg_diff_weight *old,
                        const struct dg_diff_weight *new)
{
    enum { TIMES = 4 };
    uint64_t most = TIMES * ((uint64_t)diffing->programs[0].file.size +
                             diffing->programs[1].file.size);

    if (!old->bytes.data || !new->bytes.data)
        return true;
    diffing->measured += old->bytes.size + new->bytes.size;
    return diffing->measured <= most;
}

static void write_metrics(struct dg_writer *out, const struct dg_tensor *old,
                          const struct dg_tensor *new)
{
    struct dg_metrics metrics;

    if (dg_repeats_endlessly((const struct dg_tensor *[]){old, new}, 2)) {
        dg_print(out, ", not measured: overlapping strides");
        return;
    }
    dg_measure(&metrics, old, new);
    if (metrics.exact)
        dg_print(out, ", equal values in other bytes");
    else
        dg_print(out, ", max abs %.3g", metrics.max_abs);
    if (!isnan(metrics.snr_db))
        dg_print(out, ", SNR %.1f dB", metrics.snr_db);
}

/* "f32 [2], max abs 0.5, SNR 20.1 dB", as far as it can be told. */
static struct dg_text distance(struct dg_diffing *diffing,
                               const struct dg_diff_weight *old,
                               const struct dg_diff_weight *new,
                               struct dg_arena *memory)
{
    struct dg_writer out = {0};
    struct dg_tensor *tensors[2] = {0};

    dg_write_text(&out, dg_diff_weight_type(new, memory));
    if (may_measure(diffing, old, new)) {
        tensors[0] = open_tensor(old, memory);
        tensors[1] = open_tensor(new, memory);
    } else {
        dg_print(&out, ", not measured: too many weights share bytes");
    }
    if (tensors[0] && tensors[1] && dg_tensor_same_shape(tensors[0], tensors[1]))
        write_metrics(&out, tensors[0], tensors[1]);
    dg_tensor_drop(tensors[0]);
    dg_tensor_drop(tensors[1]);
    return dg_keep(memory, &out);
}

static bool lacks_bytes(const struct dg_diff_weight *weight)
{
    return weight->nbytes < 0 && !weight->digest.data;
}

/* Whether it is known that their bytes are, or are not, the same; and which. Digests of
 * entries with several tensors only tell that all are the same. */
static bool knows_bytes(bool *same, const struct dg_diff_weight *old,
                        const struct dg_diff_weight *new)
{
    *same = old->digest.data && dg_text_equal(old->digest, new->digest) &&
            old->shared == new->shared && old->nbytes == new->nbytes;
    if (lacks_bytes(old) && lacks_bytes(new))
        *same = true;
    if (*same)
        return !old->shared || dg_text_equal(old->name, new->name);
    return old->nbytes != new->nbytes ||
           (old->digest.data && new->digest.data && !old->shared && !new->shared);
}

static void compare_bytes(struct dg_diffing *diffing, const struct dg_diff_weight *old,
                          const struct dg_diff_weight *new,
                          struct dg_difference difference)
{
    struct dg_arena memory = {0};
    bool same;

    if (!dg_diff_wants(diffing->diff, DG_DIFF_WEIGHTS))
        return;
    if (!knows_bytes(&same, old, new)) {
        dg_diff_add_unknown(diffing->diff, DG_DIFF_WEIGHTS,
                            "weights without a digest: compressed in a way that is not "
                            "read, or a store of load --no-hash");
        return;
    }
    if (same)
        return;
    difference.class = DG_DIFF_WEIGHTS;
    difference.what = dg_text("values");
    difference.note = distance(diffing, old, new, &memory);
    dg_diff_add(diffing->diff, &difference);
    dg_arena_clear(&memory);
}

/* Named data mostly has no type: then it is its size. */
static bool is_other_type(const struct dg_diff_weight *old,
                          const struct dg_diff_weight *new)
{
    if (!old->type.data || !new->type.data || lacks_bytes(old) != lacks_bytes(new) ||
        old->keyed != new->keyed) /* a delegate has its own order of dimensions */
        return old->nbytes != new->nbytes;
    if (old->keyed && new->keyed && old->nbytes != new->nbytes)
        return true;
    return !dg_text_equal(old->type, new->type) ||
           !dg_text_equal(old->shape, new->shape);
}

/* Of a dimension of one element the stride says nothing. */
static bool is_other_layout(const struct dg_diff_weight *old,
                            const struct dg_diff_weight *new)
{
    int64_t sizes[2][DG_RANK_MOST], strides[2][DG_RANK_MOST];
    bool differs = false, empty = false;
    int rank;

    if (old->keyed != new->keyed || !old->type.data || !new->type.data)
        return false;
    if (old->storage_offset != new->storage_offset)
        return true;
    if (dg_text_equal(old->strides, new->strides))
        return false;
    rank = layout_of(old, sizes[0], strides[0]);
    if (old->keyed || rank < 0 || layout_of(new, sizes[1], strides[1]) != rank)
        return true;
    for (int i = 0; i < rank; i++) {
        empty = empty || sizes[0][i] == 0;
        differs = differs || (sizes[0][i] != 1 && strides[0][i] != strides[1][i]);
    }
    return differs && !empty;
}

/* "strides [3,1]" */
static struct dg_text layout_text(const struct dg_diff_weight *weight,
                                  struct dg_arena *memory)
{
    const char *strides = weight->strides.data ? weight->strides.data : "contiguous";

    if (weight->storage_offset)
        return dg_format(memory, "strides %s from element %" PRId64, strides,
                         weight->storage_offset);
    return dg_format(memory, "%s %s", weight->keyed ? "dim order" : "strides", strides);
}

static void add_layout(struct dg_diffing *diffing, const struct dg_diff_weight *old,
                       const struct dg_diff_weight *new,
                       struct dg_difference difference)
{
    if (!is_other_layout(old, new))
        return;
    difference.what = dg_text("layout");
    difference.old = layout_text(old, &diffing->memory);
    difference.new = layout_text(new, &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
}

static void add_name(struct dg_diffing *diffing, const struct dg_diff_weight *old,
                     const struct dg_diff_weight *new, struct dg_difference difference)
{
    if (dg_text_equal(old->name, new->name) || new->keyed || old->keyed)
        return;
    difference.kind = DG_DIFF_NAME;
    difference.class = DG_DIFF_NAMES;
    difference.what = dg_text("weight");
    difference.old = old->name;
    difference.new = new->name;
    dg_diff_add(diffing->diff, &difference);
}

void dg_diff_weight_compare(struct dg_diffing *diffing,
                            const struct dg_diff_weight *old,
                            const struct dg_diff_weight *new)
{
    struct dg_difference difference = {.kind = DG_DIFF_WEIGHT,
                                       .change = DG_DIFF_CHANGED,
                                       .method = new->method,
                                       .name = new->name};

    if (is_other_type(old, new)) {
        difference.what = dg_text("type");
        difference.old = dg_diff_weight_type(old, &diffing->memory);
        difference.new = dg_diff_weight_type(new, &diffing->memory);
        dg_diff_add(diffing->diff, &difference);
        return;
    }
    add_layout(diffing, old, new, difference);
    compare_bytes(diffing, old, new, difference);
    add_name(diffing, old, new, difference);
}
