/* Seeded random inputs: the same on every machine, so no function of libm is used. */
#include <math.h>

#include "base/text_set.h"
#include "exec/inputs_parts.h"
#include "exec/inputs_use.h"
#include "kernels/cpu/line.h"

/* xoshiro256** */
struct generator {
    uint64_t state[4];
};

static uint64_t splitmix(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t rotate(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

static uint64_t next(struct generator *generator)
{
    uint64_t *s = generator->state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Close to N(0,1): the sum of twelve uniform numbers has variance 1. */
static double normal(struct generator *generator)
{
    uint64_t sum = 0;

    for (int i = 0; i < 6; i++) {
        uint64_t bits = next(generator);

        sum += (bits >> 32) + (bits & UINT32_MAX);
    }
    return (double)sum * 0x1p-32 - 6;
}

static int64_t integer(struct generator *generator, struct dg_integer_use use)
{
    uint64_t span = (uint64_t)use.most - (uint64_t)use.least + 1;

    return (int64_t)((uint64_t)use.least +
                     (span ? next(generator) % span : next(generator)));
}

static void fill(struct generator *generator, struct dg_tensor *tensor,
                 struct dg_integer_use use)
{
    enum { LINE = 256 };
    enum dg_type type = dg_type_part(tensor->type);
    int64_t count = dg_tensor_count(tensor) * (type == tensor->type ? 1 : 2);
    int64_t integers[LINE];
    unsigned char *at = dg_tensor_data(tensor);
    double reals[LINE];

    for (int64_t done = 0, n; done < count; done += n) {
        void *to = at + (size_t)done * dg_type_bytes(type);

        n = count - done < LINE ? count - done : LINE;
        for (int64_t i = 0; i < n; i++) {
            reals[i] = use.integer ? 0 : normal(generator);
            integers[i] = use.integer ? integer(generator, use) : 0;
        }
        if (use.integer)
            dg_store_i64(type, to, 1, integers, n);
        else
            dg_store_f64(type, to, 1, reals, n);
    }
}

/* Sizes of symbols, chosen where they are met first. */
struct sizes {
    struct dg_text_set symbols;
    int64_t *of_symbol;
};

static int64_t choose(const struct dg_dimension_range *range)
{
    enum { SMALL = 3 };
    int64_t size = range->hint;

    if (size < 0)
        size = range->symbol || range->most == INT64_MAX ? SMALL : range->most;
    if (size > range->most)
        size = range->most;
    return size < range->least ? range->least : size;
}

static int64_t size_of_range(struct sizes *sizes,
                             const struct dg_dimension_range *range)
{
    int64_t size = choose(range);
    uint32_t known = sizes->symbols.n_texts, symbol;

    if (!range->symbol)
        return size;
    symbol = dg_text_set_add(&sizes->symbols, dg_text(range->symbol));
    if (symbol == known)
        sizes->of_symbol[symbol] = size;
    return sizes->of_symbol[symbol];
}

/* A tensor of zeros for each given tensor input, with example sizes where dimensions
 * are symbolic. */
static enum dg_status shape_inputs(struct dg_inputs *inputs,
                                   const struct dg_schedule *schedule,
                                   struct dg_error *err)
{
    struct dg_tensor *shapes =
        dg_alloc(&inputs->memory, schedule->n_inputs, sizeof(*shapes));
    struct sizes sizes = {
        .of_symbol = dg_alloc(&inputs->memory, schedule->n_ranges, sizeof(int64_t))};

    for (size_t i = 0; i < schedule->n_inputs; i++) {
        const struct dg_tensor *declared = dg_input_declared(schedule, i);

        if (declared)
            shapes[i] = *declared;
    }
    for (size_t i = 0; i < schedule->n_ranges; i++) {
        const struct dg_dimension_range *range = &schedule->ranges[i];
        int64_t size = size_of_range(&sizes, range);

        if (range->dim >= 0)
            shapes[range->input].sizes[range->dim] = size;
        else
            inputs->values[range->input] =
                (struct dg_arg){.kind = DG_ARG_INT, .as.integer = size};
    }
    dg_text_set_clear(&sizes.symbols);
    for (size_t i = 0; i < schedule->n_inputs; i++) {
        struct dg_tensor *tensor;

        if (!dg_input_is_given(schedule, &schedule->inputs[i]) ||
            !dg_input_declared(schedule, i))
            continue;
        tensor = dg_tensor_new(&dg_host_memory, shapes[i].type, shapes[i].rank,
                               shapes[i].sizes, err);
        if (!tensor)
            return err->status;
        inputs->values[i] = (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = tensor};
    }
    return DG_OK;
}

static struct dg_arg random_scalar(struct generator *generator, const char *kind,
                                   struct dg_integer_use use)
{
    if (strstr(kind, "float") || !strcmp(kind, "double"))
        return (struct dg_arg){.kind = DG_ARG_FLOAT, .as.real = normal(generator)};
    if (strstr(kind, "bool"))
        return (struct dg_arg){.kind = DG_ARG_BOOL,
                               .as.integer = (int64_t)(next(generator) & 1)};
    return (struct dg_arg){.kind = DG_ARG_INT, .as.integer = integer(generator, use)};
}

/* A tensor of a type that does not run here has no declared form. */
static struct dg_arg random_other(struct generator *generator, const char *kind,
                                  struct dg_integer_use use)
{
    return strcmp(kind, "tensor") ? random_scalar(generator, kind, use)
                                  : (struct dg_arg){DG_ARG_UNKNOWN, {.integer = -1}};
}

static void fill_input(struct dg_arg *value, const struct dg_io *io,
                       struct dg_integer_use use, uint64_t *seed)
{
    struct generator generator;

    for (int i = 0; i < 4; i++)
        generator.state[i] = splitmix(seed);
    if (value->kind == DG_ARG_TENSOR) {
        if (value->as.tensor->type == DG_TYPE_BOOL)
            use = (struct dg_integer_use){true, 0, 1};
        use.integer = value->as.tensor->type == DG_TYPE_BOOL ||
                      dg_type_is_integer(value->as.tensor->type);
        fill(&generator, value->as.tensor, use);
    } else if (value->kind == DG_ARG_NONE && io->kind) {
        *value = random_other(&generator, io->kind, use);
    }
}

enum dg_status dg_inputs_random(struct dg_inputs *inputs,
                                const struct dg_schedule *schedule, uint64_t seed,
                                struct dg_error *err)
{
    struct dg_integer_use *uses;
    uint64_t number = seed;
    enum dg_status status;

    dg_inputs_begin(inputs, schedule);
    inputs->source =
        dg_format(&inputs->memory, "random, seed %llu", (unsigned long long)seed).data;
    status = shape_inputs(inputs, schedule, err);
    uses = dg_integer_uses(schedule, inputs->values, &inputs->memory);
    for (size_t i = 0; !status && i < schedule->n_inputs; i++) {
        if (dg_input_is_given(schedule, &schedule->inputs[i]))
            fill_input(&inputs->values[i], &schedule->inputs[i], uses[i], &number);
    }
    return status;
}
