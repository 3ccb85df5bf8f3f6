/* Weights, buffers and constants: which is which, by name, by bytes, by use, by type.
 */
#include "diff/weights.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "diff/finders.h"
#include "diff/waiting.h"

/* By what weights are paired, the surest first. */
enum by { BY_NAME, BY_BYTES, BY_TYPE };

static bool key_of(struct dg_writer *out, const struct dg_diff_weight *weight,
                   enum by by)
{
    out->size = 0;
    dg_write_text(out, weight->method);
    if (by == BY_BYTES) {
        dg_print(out, "\x1f%" PRId64 "\x1f", weight->nbytes);
        dg_write_text(out, weight->digest);
        return weight->digest.data && !weight->shared;
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
    dg_write_text(out, weight->role);
    return !weight->name.data || weight->keyed;
}

static void join(struct dg_diffing *diffing, struct dg_diff_weight *old,
                 struct dg_diff_weight *new)
{
    old->matched = new->matched = true;
    dg_diff_weight_compare(diffing, old, new);
}

static void add_alone(struct dg_diffing *diffing, const struct dg_diff_weight *weight,
                      int side)
{
    struct dg_difference difference = {.kind = DG_DIFF_WEIGHT,
                                       .change = side ? DG_DIFF_ADDED : DG_DIFF_REMOVED,
                                       .method = weight->method,
                                       .name = weight->name};

    *(side ? &difference.new : &difference.old) =
        dg_diff_weight_type(weight, &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
}

/* The k-th of a key on one side is the k-th of it on the other. */
static void pair(struct dg_diffing *diffing, struct dg_diff_weights weights[2],
                 enum by by)
{
    struct dg_diff_waiting waiting = {0};
    struct dg_writer key = {0};

    for (size_t i = weights[1].n_items; i--;) {
        if (!weights[1].items[i].matched && key_of(&key, &weights[1].items[i], by))
            dg_diff_wait(&waiting, i, dg_written(&key));
    }
    for (size_t i = 0; i < weights[0].n_items; i++) {
        struct dg_diff_weight *old = &weights[0].items[i];
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
static enum dg_status find_values(uint32_t **out, const struct dg_diff_weights *weights,
                                  struct dg_diffing *diffing, int side,
                                  struct dg_error *err)
{
    size_t n_values = diffing->sides[side].values->n_rows, n_ids = 0;
    uint32_t *of_id = NULL;
    struct dg_rows rows =
        dg_rows_all(diffing->programs[side].store,
                    "SELECT value.id, first FROM value JOIN"
                    "  (SELECT idx AS number, min(id) AS first FROM constant"
                    "    WHERE kind = 'constant' GROUP BY idx)"
                    "  ON number = data_index WHERE storage = 'constant'",
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

static struct dg_diff_weight *weight_at(const struct dg_diff_side *side,
                                        uint32_t operand, const uint32_t *values,
                                        struct dg_diff_weights *weights)
{
    uint32_t value = side->model->operands[operand].value;
    uint32_t number = value && value <= side->values->n_rows ? values[value - 1] : 0;

    return number ? &weights->items[number - 1] : NULL;
}

static void pair_operands(struct dg_diffing *diffing, struct dg_diff_weights weights[2],
                          uint32_t *const values[2], uint32_t old, uint32_t new)
{
    const struct dg_diff_side *sides = diffing->sides;
    uint32_t a = sides[0].model->operand_of[old], b = sides[1].model->operand_of[new];

    for (; a < sides[0].model->operand_of[old + 1] &&
           b < sides[1].model->operand_of[new + 1];
         a++, b++) {
        struct dg_diff_weight *from = weight_at(&sides[0], a, values[0], &weights[0]);
        struct dg_diff_weight *to = weight_at(&sides[1], b, values[1], &weights[1]);

        if (from && to && !from->matched && !to->matched)
            join(diffing, from, to);
    }
}

/* Constants of a .pte have no names: they are what an instruction reads. */
static enum dg_status pair_by_use(struct dg_diffing *diffing,
                                  struct dg_diff_weights weights[2],
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
    struct dg_diff_weights weights[2] = {0};
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++)
        status = dg_diff_weights_read(&weights[s], diffing, s, err);
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
    for (int s = 0; s < 2; s++)
        diffing->diff->n_weights[s] = (int64_t)weights[s].n_items;
    free(weights[0].items);
    free(weights[1].items);
    return status;
}
