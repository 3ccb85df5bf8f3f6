/* Weights, buffers and constants: by name, by their bytes, by type; and how far apart.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/int_list.h"
#include "base/text.h"
#include "diff/diff_parts.h"
#include "diff/waiting.h"
#include "exec/compare.h"
#include "formats/stored_tensor.h"

struct weight {
    struct dg_text method, name, type, shape, strides, digest;
    int64_t nbytes, file_offset, storage_offset;
    int64_t id; /* of table constant; 0: none */
    bool keyed; /* named data: its name may be made of its bytes */
    bool matched;
};

struct weights {
    struct weight *items;
    size_t n_items;
};

/* A mutable buffer of a .pte that has no type is a place that the format reserves. */
static const char weights_sql[] =
    "SELECT method.name, fqn, dtype, shape, strides, xxh3, nbytes, file_offset,"
    "  storage_offset, 0, constant.id FROM constant LEFT JOIN method ON method.id = "
    "method_id"
    " WHERE constant.kind <> 'reserved' AND nbytes IS NOT NULL"
    " UNION ALL SELECT NULL, key, dtype, shape, NULL, segment.xxh3,"
    "  named_data.size_bytes, segment.file_offset, 0, 1, 0 FROM named_data"
    "  LEFT JOIN segment ON segment.artifact_id = named_data.artifact_id"
    "   AND segment.idx = segment_idx";

static enum dg_status read_weights(struct weights *weights, struct dg_diffing *diffing,
                                   int side, struct dg_error *err)
{
    struct dg_arena *memory = &diffing->memory;
    struct dg_rows rows = dg_rows_all(diffing->programs[side].store, weights_sql, err);

    while (dg_rows_next(&rows)) {
        struct dg_text method = dg_rows_keep(memory, &rows, 0);

        if (method.data && !dg_diff_has_method(diffing, method))
            continue;
        *DG_APPEND(weights->items, weights->n_items) = (struct weight){
            .method = method,
            .name = dg_rows_keep(memory, &rows, 1),
            .type = dg_rows_keep(memory, &rows, 2),
            .shape = dg_rows_keep(memory, &rows, 3),
            .strides = dg_rows_keep(memory, &rows, 4),
            .digest = dg_rows_keep(memory, &rows, 5),
            .nbytes = dg_rows_int_or(&rows, 6, -1),
            .file_offset = dg_rows_int_or(&rows, 7, -1),
            .storage_offset = dg_rows_int_or(&rows, 8, 0),
            .keyed = dg_rows_int(&rows, 9) != 0,
            .id = dg_rows_int(&rows, 10),
        };
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* By what weights are paired, the surest first. */
enum by { BY_NAME, BY_BYTES, BY_TYPE };

static bool key_of(struct dg_writer *out, const struct weight *weight, enum by by)
{
    out->size = 0;
    dg_write_text(out, weight->method);
    if (by == BY_BYTES) {
        dg_print(out, "\x1f%" PRId64 "\x1f", weight->nbytes);
        dg_write_text(out, weight->digest);
        return weight->digest.data != NULL;
    }
    dg_print(out, "\x1f%d\x1f", weight->keyed);
    if (by == BY_NAME) {
        dg_write_text(out, weight->name);
        return weight->name.data != NULL;
    }
    dg_write_text(out, weight->type);
    dg_write(out, "\x1f", 1);
    dg_write_text(out, weight->shape);
    dg_print(out, "\x1f%" PRId64 "\x1f", weight->nbytes);
    return !weight->name.data || weight->keyed;
}

/* "f32 [2,3]" */
static struct dg_text type_of(const struct weight *weight, struct dg_arena *memory)
{
    if (!weight->type.data)
        return dg_format(memory, "%" PRId64 " bytes", weight->nbytes);
    return dg_format(memory, "%s %s", weight->type.data,
                     weight->shape.data ? weight->shape.data : "");
}

static struct dg_tensor *open_tensor(const struct weight *weight, struct dg_bytes file,
                                     struct dg_arena *memory)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int rank = dg_int_list(weight->shape.data, sizes, DG_RANK_MOST);
    int n_strides = dg_int_list(weight->strides.data, strides, DG_RANK_MOST);
    enum dg_type type = dg_type_named(weight->type.data ? weight->type.data : "");
    struct dg_bytes bytes;

    if (!file.data || !weight->shape.data || type == DG_TYPE_NONE || rank < 0 ||
        (weight->strides.data && n_strides != rank) || !dg_type_is_float(type) ||
        !dg_stored_bytes(file, weight->file_offset, weight->nbytes, &bytes))
        return NULL;
    return dg_stored_tensor(type, rank, sizes, weight->strides.data ? strides : NULL,
                            weight->storage_offset, bytes, memory);
}

/* "f32 [2], max abs 0.5, SNR 20.1 dB", as far as it can be told. */
static struct dg_text distance(const struct dg_diffing *diffing,
                               const struct weight *old, const struct weight *new,
                               struct dg_arena *memory)
{
    struct dg_tensor *tensors[2] = {
        open_tensor(old, diffing->programs[0].file, memory),
        open_tensor(new, diffing->programs[1].file, memory)};
    struct dg_writer out = {0};
    struct dg_metrics metrics;

    dg_write_text(&out, type_of(new, memory));
    if (tensors[0] && tensors[1] && dg_tensor_same_shape(tensors[0], tensors[1])) {
        dg_measure(&metrics, tensors[0], tensors[1]);
        if (metrics.exact)
            dg_print(&out, ", equal values in other bytes");
        else
            dg_print(&out, ", max abs %.3g", metrics.max_abs);
        if (!isnan(metrics.snr_db))
            dg_print(&out, ", SNR %.1f dB", metrics.snr_db);
    }
    dg_tensor_drop(tensors[0]);
    dg_tensor_drop(tensors[1]);
    return dg_keep(memory, &out);
}

static void compare_bytes(struct dg_diffing *diffing, const struct weight *old,
                          const struct weight *new, struct dg_difference *difference)
{
    struct dg_arena memory = {0};

    if (!old->digest.data || !new->digest.data) {
        dg_diff_add_unknown(diffing->diff,
                            "weights without a digest: bytes that are not a plain "
                            "stretch of the file, or a store of load --no-hash");
        return;
    }
    if (dg_text_equal(old->digest, new->digest) ||
        !dg_diff_wants(diffing->diff, DG_DIFF_WEIGHTS))
        return;
    difference->class = DG_DIFF_WEIGHTS;
    difference->what = dg_text("values");
    difference->note = distance(diffing, old, new, &memory);
    dg_diff_add(diffing->diff, difference);
    dg_arena_clear(&memory);
}

/* Named data mostly has no type: then it is its size. */
static bool is_other_type(const struct weight *old, const struct weight *new)
{
    if (!old->type.data || !new->type.data)
        return old->nbytes != new->nbytes;
    return !dg_text_equal(old->type, new->type) ||
           !dg_text_equal(old->shape, new->shape);
}

static void compare(struct dg_diffing *diffing, const struct weight *old,
                    const struct weight *new)
{
    struct dg_difference difference = {.kind = DG_DIFF_WEIGHT,
                                       .change = DG_DIFF_CHANGED,
                                       .method = new->method,
                                       .name = new->name};

    if (is_other_type(old, new)) {
        difference.what = dg_text("type");
        difference.old = type_of(old, &diffing->memory);
        difference.new = type_of(new, &diffing->memory);
        dg_diff_add(diffing->diff, &difference);
        return;
    }
    compare_bytes(diffing, old, new, &difference);
    if (dg_text_equal(old->name, new->name) || new->keyed || old->keyed)
        return;
    difference.kind = DG_DIFF_NAME;
    difference.class = DG_DIFF_NAMES;
    difference.what = dg_text("weight");
    difference.note = (struct dg_text){0};
    difference.old = old->name;
    difference.new = new->name;
    dg_diff_add(diffing->diff, &difference);
}

static void join(struct dg_diffing *diffing, struct weight *old, struct weight *new)
{
    old->matched = new->matched = true;
    compare(diffing, old, new);
}

static void add_alone(struct dg_diffing *diffing, const struct weight *weight, int side)
{
    struct dg_difference difference = {.kind = DG_DIFF_WEIGHT,
                                       .change = side ? DG_DIFF_ADDED : DG_DIFF_REMOVED,
                                       .method = weight->method,
                                       .name = weight->name};

    *(side ? &difference.new : &difference.old) = type_of(weight, &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
}

/* The k-th of a key on one side is the k-th of it on the other. */
static void pair(struct dg_diffing *diffing, struct weights weights[2], enum by by)
{
    struct dg_diff_waiting waiting = {0};
    struct dg_writer key = {0};

    for (size_t i = weights[1].n_items; i--;) {
        if (!weights[1].items[i].matched && key_of(&key, &weights[1].items[i], by))
            dg_diff_wait(&waiting, i, dg_written(&key));
    }
    for (size_t i = 0; i < weights[0].n_items; i++) {
        struct weight *old = &weights[0].items[i];
        size_t taken = 0;

        if (!old->matched && key_of(&key, old, by))
            taken = dg_diff_take(&waiting, dg_written(&key));
        if (taken)
            join(diffing, old, &weights[1].items[taken - 1]);
    }
    dg_writer_clear(&key);
    dg_diff_waiting_clear(&waiting);
}

/* By value row - 1 of a .pte, which weight it is: number + 1; 0: none. */
static enum dg_status find_values(uint32_t **out, const struct weights *weights,
                                  struct dg_diffing *diffing, int side,
                                  struct dg_error *err)
{
    size_t n_values = diffing->sides[side].values->n_rows, n_ids = 0;
    uint32_t *of_id = NULL;
    struct dg_rows rows =
        dg_rows_all(diffing->programs[side].store,
                    "SELECT value.id, constant.id FROM value JOIN constant"
                    "  ON constant.idx = data_index AND constant.kind = 'constant'"
                    " WHERE storage = 'constant'",
                    err);

    for (size_t i = 0; i < weights->n_items; i++) {
        while (n_ids <= (size_t)weights->items[i].id)
            (void)DG_APPEND(of_id, n_ids);
        of_id[weights->items[i].id] = (uint32_t)i + 1;
    }
    *out = dg_alloc(&diffing->memory, n_values, sizeof(**out));
    while (dg_rows_next(&rows)) {
        int64_t value = dg_rows_int(&rows, 0), id = dg_rows_int(&rows, 1);

        if (value > 0 && (size_t)value <= n_values && id > 0 && (size_t)id < n_ids)
            (*out)[value - 1] = of_id[id];
    }
    free(of_id);
    return dg_rows_close(&rows, DG_OK, err);
}

static struct weight *weight_at(const struct dg_diff_side *side, uint32_t operand,
                                const uint32_t *values, struct weights *weights)
{
    uint32_t value = side->model->operands[operand].value;
    uint32_t number = value && value <= side->values->n_rows ? values[value - 1] : 0;

    return number ? &weights->items[number - 1] : NULL;
}

static void pair_operands(struct dg_diffing *diffing, struct weights weights[2],
                          uint32_t *const values[2], uint32_t old, uint32_t new)
{
    const struct dg_diff_side *sides = diffing->sides;
    uint32_t a = sides[0].model->operand_of[old], b = sides[1].model->operand_of[new];

    for (; a < sides[0].model->operand_of[old + 1] &&
           b < sides[1].model->operand_of[new + 1];
         a++, b++) {
        struct weight *from = weight_at(&sides[0], a, values[0], &weights[0]);
        struct weight *to = weight_at(&sides[1], b, values[1], &weights[1]);

        if (from && to && !from->matched && !to->matched)
            join(diffing, from, to);
    }
}

/* Constants of a .pte have no names: they are what an instruction reads. */
static enum dg_status pair_by_use(struct dg_diffing *diffing, struct weights weights[2],
                                  struct dg_error *err)
{
    const struct dg_diff_alignment *alignment = &diffing->alignment;
    uint32_t *values[2];
    enum dg_status status = DG_OK;

    if (!diffing->sides[0].is_pte || !diffing->sides[1].is_pte)
        return DG_OK;
    for (int s = 0; s < 2 && !status; s++)
        status = find_values(&values[s], &weights[s], diffing, s, err);
    for (uint32_t i = 0; !status && i < diffing->sides[0].n_nodes; i++) {
        if (alignment->others[0][i] != DG_DIFF_ALONE)
            pair_operands(diffing, weights, values, i, alignment->others[0][i]);
    }
    return status;
}

enum dg_status dg_diff_weights(struct dg_diffing *diffing, struct dg_error *err)
{
    struct weights weights[2] = {0};
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++)
        status = read_weights(&weights[s], diffing, s, err);
    if (!status) {
        pair(diffing, weights, BY_NAME);
        pair(diffing, weights, BY_BYTES);
        status = pair_by_use(diffing, weights, err);
    }
    if (!status)
        pair(diffing, weights, BY_TYPE);
    for (int s = 0; s < 2 && !status; s++) {
        for (size_t i = 0; i < weights[s].n_items; i++) {
            if (!weights[s].items[i].matched)
                add_alone(diffing, &weights[s].items[i], s);
        }
    }
    diffing->diff->n_weights = (int64_t)weights[1].n_items;
    free(weights[0].items);
    free(weights[1].items);
    return status;
}
