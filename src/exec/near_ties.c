/* Sums that are rounded to a grid, and how far their bias may move them there: a
 * delegate rounds it to steps of the sum, which are those of the input times those of
 * the weight. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/match_parts.h"
#include "exec/schedule_fx.h"
#include "kernels/cpu/line.h"

struct finding {
    const struct dg_schedule *schedule;
    const uint32_t *makers;    /* by slot */
    struct dg_text_set scales; /* of scales, */
    double *most;              /* by their numbers the largest */
    struct dg_arena memory;
};

static bool is_kernel(const struct dg_step *step, const char *name)
{
    return step->kernel && !strncmp(step->kernel->op, name, strlen(name));
}

/* The step that makes an argument; NULL: it is given, or stored. */
static const struct dg_step *maker_of(const struct finding *finding,
                                      const struct dg_step *step, size_t i)
{
    uint32_t maker = dg_maker_of(finding->makers, step, i);

    return maker < finding->schedule->n_steps ? &finding->schedule->steps[maker] : NULL;
}

static double largest(const struct dg_tensor *tensor)
{
    enum { CHUNK = 64 };
    int64_t n = dg_tensor_count(tensor);
    size_t size = dg_type_bytes(tensor->type);
    double some[CHUNK], most = 0;

    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t now = n - i < CHUNK ? n - i : CHUNK;

        dg_load_f64(some, tensor->type,
                    (const char *)dg_tensor_data(tensor) + (size_t)i * size, 1, now);
        for (int64_t k = 0; k < now; k++)
            most = fmax(most, some[k]);
    }
    return most;
}

/* The largest of scales that the program says; 0: they are not known. */
static double scale_of(struct finding *finding, const struct dg_step *step)
{
    const struct dg_operand *scale = step && step->n_args > 1 ? &step->args[1] : NULL;
    const struct dg_tensor *tensor;
    uint32_t n = finding->scales.n_texts, number;

    if (!scale)
        return 0;
    if (scale->kind == DG_OPERAND_LITERAL)
        return scale->literal.kind == DG_ARG_FLOAT ? scale->literal.as.real : 0;
    tensor = dg_stored_operand(finding->schedule, scale);
    if (!tensor || !dg_type_is_float(tensor->type) || !dg_tensor_contiguous(tensor))
        return 0;
    number = dg_number_of_bytes(&finding->scales, tensor, &finding->memory);
    if (number == n)
        *DG_APPEND(finding->most, n) = largest(tensor);
    return finding->most[number];
}

static double scale_of_argument(struct finding *finding, const struct dg_step *step,
                                size_t i)
{
    const struct dg_step *maker = maker_of(finding, step, i);

    return maker && is_kernel(maker, "quantized_decomposed::dequantize_per_")
               ? scale_of(finding, maker)
               : 0;
}

enum { BETWEEN = 4 }; /* norms and activations that a delegate takes up with a sum */

static const struct dg_step *sum_behind(const struct finding *finding,
                                        const struct dg_step *step)
{
    const struct dg_step *maker = maker_of(finding, step, 0);

    for (int i = 0; maker && i < BETWEEN; i++) {
        if (maker->kernel && maker->kernel->tolerance == DG_TOLERANCE_CONTRACTION)
            return maker;
        maker = maker_of(finding, maker, 0);
    }
    return NULL;
}

void dg_fx_find_near_ties(struct dg_schedule *schedule)
{
    struct finding finding = {.schedule = schedule};

    for (size_t i = 0; i < schedule->n_steps; i++) {
        struct dg_step *step = &schedule->steps[i];
        const struct dg_step *sum;

        if (!is_kernel(step, "quantized_decomposed::quantize_per_tensor"))
            continue;
        if (!finding.makers)
            finding.makers = dg_makers_of(schedule, &finding.memory);
        sum = sum_behind(&finding, step);
        if (sum && scale_of(&finding, step) > 0)
            step->near_tie = scale_of_argument(&finding, sum, 0) *
                             scale_of_argument(&finding, sum, 1) / 2 /
                             scale_of(&finding, step);
    }
    dg_text_set_clear(&finding.scales);
    free(finding.most);
    dg_arena_clear(&finding.memory);
}
