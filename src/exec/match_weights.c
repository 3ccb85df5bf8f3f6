/* Which weights of two programs are the same elements. */
#include <stdlib.h>
#include <string.h>

#include "exec/match_parts.h"

uint32_t dg_number_of_bytes(struct dg_text_set *stretches,
                            const struct dg_tensor *tensor, struct dg_arena *memory)
{
    const struct {
        const void *data;
        int64_t n;
        uint64_t type;
    } stretch = {dg_tensor_data(tensor), dg_tensor_count(tensor), tensor->type};

    return dg_text_set_add(stretches,
                           dg_copy_text(memory, (struct dg_text){(const char *)&stretch,
                                                                 sizeof(stretch)}));
}

static uint64_t mixed(uint64_t bits)
{
    bits = (bits + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits ^= bits >> 29;
    return bits * UINT64_C(0xbf58476d1ce4e5b9);
}

/* The same for the same elements in any order, as lowering turns weights. */
static uint64_t hash_of(const struct dg_tensor *tensor)
{
    size_t size = dg_type_bytes(tensor->type);
    int64_t n = dg_tensor_count(tensor);
    uint64_t sum = (uint64_t)n;

    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;

        memcpy(&bits, (const char *)dg_tensor_data(tensor) + (size_t)i * size, size);
        sum += mixed(bits);
    }
    return sum;
}

uint64_t dg_operand_hash(struct dg_byte_hashes *hashes,
                         const struct dg_schedule *schedule,
                         const struct dg_operand *operand, struct dg_arena *memory)
{
    const struct dg_tensor *tensor = dg_stored_operand(schedule, operand);
    uint32_t n = hashes->stretches.n_texts, number;

    if (!tensor || !dg_tensor_count(tensor) || !dg_tensor_contiguous(tensor))
        return 0;
    number = dg_number_of_bytes(&hashes->stretches, tensor, memory);
    if (number == n)
        *DG_APPEND(hashes->one, n) = hash_of(tensor);
    return hashes->one[number];
}

void dg_byte_hashes_clear(struct dg_byte_hashes *hashes)
{
    dg_text_set_clear(&hashes->stretches);
    free(hashes->one);
}

uint64_t *dg_weight_hashes(const struct dg_schedule *schedule, struct dg_arena *memory)
{
    uint64_t *weights = dg_alloc(memory, schedule->n_steps + 1, sizeof(*weights));
    struct dg_byte_hashes hashes = {0};

    for (size_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];

        if (step->kernel && step->kernel->tolerance == DG_TOLERANCE_CONTRACTION &&
            step->n_args > 1)
            weights[i] = dg_operand_hash(&hashes, schedule, &step->args[1], memory);
    }
    dg_byte_hashes_clear(&hashes);
    return weights;
}
