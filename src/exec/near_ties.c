/* What a program rounds to a grid where a delegate may come to other codes. The bias of
 * a sum moves it there: a delegate rounds it to steps of the sum, which are those of
 * the input times those of the weight. */
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

/* Who makes argument `i` before it was looked at in another shape or type; behind the
 * steps the inputs, DG_NO_STEP: nobody. */
static uint32_t origin_of(const struct finding *finding, const struct dg_step *step,
                          size_t i)
{
    enum { FAR = 8 };
    uint32_t maker = dg_maker_of(finding->makers, step, i);

    for (int k = 0; k < FAR && maker < finding->schedule->n_steps; k++) {
        const struct dg_step *by = &finding->schedule->steps[maker];

        if (!by->kernel || !(by->kernel->view || is_kernel(by, "aten::_to_copy")))
            break;
        maker = dg_maker_of(finding->makers, by, 0);
    }
    return maker;
}

static bool finds_range(const struct dg_step *step)
{
    return is_kernel(step, "aten::amin") || is_kernel(step, "aten::amax");
}

enum { HAS_RANGE = 1, HAS_CODES = 2 };

/* What `round` makes codes of: one of two that were multiplied or divided, whose range
 * was looked for; DG_NO_STEP: it rounds something else. */
static uint32_t made_codes_of(const struct finding *finding, const struct dg_step *step,
                              const uint8_t *has)
{
    const struct dg_step *scaled =
        is_kernel(step, "aten::round") ? maker_of(finding, step, 0) : NULL;

    for (size_t i = 0; scaled && i < 2; i++) {
        uint32_t origin = origin_of(finding, scaled, i);

        if ((is_kernel(scaled, "aten::mul") || is_kernel(scaled, "aten::div")) &&
            origin != DG_NO_STEP && has[origin] & HAS_RANGE)
            return origin;
    }
    return DG_NO_STEP;
}

/* Operators that quantize as soon as values are known are taken apart by a decomposed
 * program: it finds the range of a value, and rounds what was scaled by that. */
static void find_quantizing(struct finding *finding, struct dg_schedule *schedule)
{
    uint8_t *has =
        dg_alloc(&finding->memory, schedule->n_steps + schedule->n_inputs + 1, 1);
    uint32_t origin;

    for (size_t i = 0; i < schedule->n_steps; i++) {
        origin = finds_range(&schedule->steps[i])
                     ? origin_of(finding, &schedule->steps[i], 0)
                     : DG_NO_STEP;
        if (origin != DG_NO_STEP)
            has[origin] |= HAS_RANGE;
    }
    for (size_t i = 0; i < schedule->n_steps; i++) {
        origin = made_codes_of(finding, &schedule->steps[i], has);
        if (origin == DG_NO_STEP)
            continue;
        has[origin] |= HAS_CODES;
        schedule->steps[i].quantizes = true;
    }
    for (size_t i = 0; i < schedule->n_steps; i++) {
        origin = finds_range(&schedule->steps[i])
                     ? origin_of(finding, &schedule->steps[i], 0)
                     : DG_NO_STEP;
        schedule->steps[i].quantizes |= origin != DG_NO_STEP && has[origin] & HAS_CODES;
    }
}

/* How near to a tie the bias leads of a sum that `step` quantizes. */
static double near_tie_of(struct finding *finding, const struct dg_step *step)
{
    const struct dg_step *sum = sum_behind(finding, step);
    double scale = sum ? scale_of(finding, step) : 0;

    return scale > 0 ? scale_of_argument(finding, sum, 0) *
                           scale_of_argument(finding, sum, 1) / 2 / scale
                     : 0;
}

void dg_fx_find_near_ties(struct dg_schedule *schedule)
{
    struct finding finding = {.schedule = schedule};
    bool rounds = false;

    for (size_t i = 0; i < schedule->n_steps; i++) {
        struct dg_step *step = &schedule->steps[i];
        bool quantizes = is_kernel(step, "quantized_decomposed::quantize_per_tensor");

        rounds |= is_kernel(step, "aten::round");
        if (!finding.makers && (quantizes || rounds))
            finding.makers = dg_makers_of(schedule, &finding.memory);
        if (quantizes)
            step->near_tie = near_tie_of(&finding, step);
    }
    if (rounds)
        find_quantizing(&finding, schedule);
    dg_text_set_clear(&finding.scales);
    free(finding.most);
    dg_arena_clear(&finding.memory);
}
