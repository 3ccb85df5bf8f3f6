/* Which weights of two programs are the same elements. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "exec/match_parts.h"
#include "kernels/xnnpack.h"

enum { NIBBLES = 1 << 8 }; /* codes of 4 bits, two to a byte; else a dg_type */

struct elements {
    const void *data;
    int64_t n; /* elements */
    uint64_t type;
};

static uint32_t number_of(struct dg_text_set *tensors, const struct elements *elements,
                          struct dg_arena *memory)
{
    return dg_text_set_add(tensors,
                           dg_copy_text(memory, (struct dg_text){(const char *)elements,
                                                                 sizeof(*elements)}));
}

static struct elements elements_of(const struct dg_tensor *tensor)
{
    return (struct elements){dg_tensor_data(tensor), dg_tensor_count(tensor),
                             tensor->type};
}

uint32_t dg_number_of_bytes(struct dg_text_set *tensors, const struct dg_tensor *tensor,
                            struct dg_arena *memory)
{
    struct elements elements = elements_of(tensor);

    return number_of(tensors, &elements, memory);
}

static uint64_t mixed(uint64_t bits)
{
    bits = (bits + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits ^= bits >> 29;
    return bits * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Of 4 bits as the program has it: a byte, with its zero at 0. */
static uint64_t element_of(const struct elements *elements, size_t i)
{
    const char *data = elements->data;
    uint64_t bits = 0;

    if (elements->type == NIBBLES)
        return (uint8_t)(((unsigned char)data[i / 2] >> (i % 2 * 4) & 15) - 8);
    memcpy(&bits, data + i * dg_type_bytes((enum dg_type)elements->type),
           dg_type_bytes((enum dg_type)elements->type));
    return bits;
}

/* The same for the same elements in any order, as lowering turns weights. */
static uint64_t hash_of(struct dg_byte_hashes *hashes, const struct elements *elements,
                        struct dg_arena *memory)
{
    uint32_t n = hashes->tensors.n_texts;
    uint32_t number = number_of(&hashes->tensors, elements, memory);
    uint64_t sum = (uint64_t)elements->n;

    if (number < n)
        return hashes->one[number];
    for (size_t i = 0; i < (size_t)elements->n; i++)
        sum += mixed(element_of(elements, i));
    *DG_APPEND(hashes->one, n) = sum;
    return sum;
}

uint64_t dg_operand_hash(struct dg_byte_hashes *hashes,
                         const struct dg_schedule *schedule,
                         const struct dg_operand *operand, struct dg_arena *memory)
{
    const struct dg_tensor *tensor = dg_stored_operand(schedule, operand);
    struct elements elements;

    if (!tensor || !dg_tensor_count(tensor) || !dg_tensor_contiguous(tensor))
        return 0;
    elements = elements_of(tensor);
    return hash_of(hashes, &elements, memory);
}

void dg_byte_hashes_clear(struct dg_byte_hashes *hashes)
{
    dg_text_set_clear(&hashes->tensors);
    free(hashes->one);
}

/* Where operators that bring codes into floats have their scales, and the largest of
 * their codes. */
static const struct form {
    const char *word;
    size_t scale, most;
} forms[] = {
    {" dequantize_per_tensor ", 1, 4},
    {" dequantize_per_channel ", 1, 5},
    {" dequantize_per_channel_group ", 1, 4},
    {" dequantize_affine ", 2, 6},
};

static const struct form *form_of(const struct dg_step *step)
{
    char word[64];

    for (size_t i = 0; dg_step_word(step, word) && i < sizeof(forms) / sizeof(*forms);
         i++) {
        if (!strcmp(word, forms[i].word) && step->n_args > forms[i].most)
            return &forms[i];
    }
    return NULL;
}

bool dg_step_dequantizes(const struct dg_step *step)
{
    return form_of(step) && step->n_results == 1;
}

/* Small weights may have equal codes: of those of 4 bits, whose scales are rounded when
 * they are lowered, the codes have to do. */
static uint64_t with_scales(uint64_t codes, uint64_t scales)
{
    return codes && scales ? mixed(codes) + scales : 0;
}

static uint64_t hash_of_scales(struct dg_byte_hashes *hashes,
                               const struct dg_schedule *schedule,
                               const struct dg_operand *operand,
                               struct dg_arena *memory)
{
    float one;

    if (operand->kind != DG_OPERAND_LITERAL)
        return dg_operand_hash(hashes, schedule, operand, memory);
    if (operand->literal.kind != DG_ARG_FLOAT)
        return 0;
    one = (float)operand->literal.as.real;
    return 1 + mixed(dg_bits_of_float(one));
}

enum { MOST_OF_4_BITS = 7 };

/* Of a weight that the file has as codes; 0: it has none. */
static uint64_t hash_of_codes(struct dg_byte_hashes *hashes,
                              const struct dg_schedule *schedule,
                              const struct dg_step *made, struct dg_arena *memory)
{
    const struct form *form = form_of(made);
    const struct dg_operand *most;
    uint64_t codes;

    if (!form)
        return 0;
    most = &made->args[form->most];
    codes = dg_operand_hash(hashes, schedule, &made->args[0], memory);
    if (most->kind == DG_OPERAND_LITERAL && most->literal.kind == DG_ARG_INT &&
        most->literal.as.integer == MOST_OF_4_BITS)
        return codes;
    return with_scales(
        codes, hash_of_scales(hashes, schedule, &made->args[form->scale], memory));
}

/* The same of one that is inside of a delegate. */
static uint64_t hash_inside(struct dg_byte_hashes *hashes,
                            const struct dg_schedule *schedule,
                            const struct dg_step *step, struct dg_arena *memory)
{
    const struct dg_tensor *tensor = dg_stored_operand(schedule, &step->args[1]);
    const struct dg_xnn_operand *weight = step->xnnpack->inputs[1];
    struct elements elements;

    if (!tensor || !weight || weight->quantized == DG_XNN_UNQUANTIZED)
        return dg_operand_hash(hashes, schedule, &step->args[1], memory);
    if (weight->four_bits) {
        elements = (struct elements){dg_tensor_data(tensor),
                                     2 * dg_tensor_count(tensor), NIBBLES};
        return hash_of(hashes, &elements, memory);
    }
    elements = weight->quantized == DG_XNN_BY_TENSOR
                   ? (struct elements){&weight->scale, 1, DG_TYPE_F32}
                   : (struct elements){weight->scales, weight->n_scales, DG_TYPE_F32};
    return with_scales(dg_operand_hash(hashes, schedule, &step->args[1], memory),
                       elements.data ? hash_of(hashes, &elements, memory) : 0);
}

static uint64_t hash_of_weight(struct dg_byte_hashes *hashes,
                               const struct dg_schedule *schedule,
                               const struct dg_step *step, const uint32_t *makers,
                               struct dg_arena *memory)
{
    uint32_t maker = dg_maker_of(makers, step, 1);

    if (step->xnnpack)
        return hash_inside(hashes, schedule, step, memory);
    return maker < schedule->n_steps
               ? hash_of_codes(hashes, schedule, &schedule->steps[maker], memory)
               : dg_operand_hash(hashes, schedule, &step->args[1], memory);
}

uint64_t *dg_weight_hashes(const struct dg_schedule *schedule, struct dg_arena *memory)
{
    uint64_t *weights = dg_alloc(memory, schedule->n_steps + 1, sizeof(*weights));
    const uint32_t *makers = dg_makers_of(schedule, memory);
    struct dg_byte_hashes hashes = {0};

    for (size_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];

        if (step->kernel && step->kernel->tolerance == DG_TOLERANCE_CONTRACTION &&
            step->n_args > 1)
            weights[i] = hash_of_weight(&hashes, schedule, step, makers, memory);
    }
    dg_byte_hashes_clear(&hashes);
    return weights;
}
