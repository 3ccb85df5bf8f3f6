/* Windows of signals, made of the steps that torch makes: in 16 bits each of them
 * rounds by much. */
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/create.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/special.h"

static const double pi = 3.14159265358979323846;

/* Points 0, 1, ... in the type of the window, of which `last` is the one that mirrors
 * the first; a periodic window ends before it. */
struct window {
    struct dg_call *call;
    enum dg_type type;
    int64_t n;
    double last;
    double a, b; /* of its kind */
};

/* One share; NULL: failed. */
typedef struct dg_tensor *window_fn(const struct window *window);

static struct dg_tensor *points(const struct window *window)
{
    struct dg_call *call = window->call;
    struct dg_tensor *made =
        dg_tensor_new(call->context->memory, dg_kept_type(call->context, window->type),
                      1, &window->n, call->err);

    for (int64_t i = 0; made && i < window->n; i++)
        dg_put_real(made, i, (double)i);
    return made;
}

static double rounded(const struct window *window, double value)
{
    return dg_rounded(window->call->context, window->type, value);
}

/* aten::mul.Scalar has the number as a tensor of the type of the other factor. */
static struct dg_tensor *times(const struct window *window, struct dg_tensor *of,
                               double factor)
{
    return dg_apply(window->call, dg_cpu_mul, of,
                    DG_REST(dg_real_arg(rounded(window, factor))));
}

static struct dg_tensor *plus(const struct window *window, struct dg_tensor *of,
                              double term)
{
    return dg_apply(window->call, dg_cpu_add, of, DG_REST(dg_real_arg(term)));
}

/* factor * cos(frequency * phase), with the share of `phase` used up */
static struct dg_tensor *cosine(const struct window *window, struct dg_tensor *phase,
                                double frequency, double factor)
{
    struct dg_tensor *wave = frequency == 1 ? phase : times(window, phase, frequency);

    return times(window, dg_apply(window->call, dg_cpu_cos, wave, 0, NULL), factor);
}

/* Up to the middle and down again. */
static struct dg_tensor *bartlett(const struct window *window)
{
    struct dg_call *call = window->call;
    struct dg_tensor *slope = times(window, points(window), 2 / window->last), *made;
    struct dg_tensor *pieces[2] = {NULL, NULL};

    if (slope) {
        int64_t half = (int64_t)window->last / 2 + 1;
        int64_t middle = half < window->n ? half : window->n;

        pieces[0] = dg_part(call, slope, 0, 0, middle);
        pieces[1] = dg_part(call, slope, 0, middle, window->n);
        pieces[1] = plus(window, times(window, pieces[1], -1), 2);
    }
    made = pieces[0] && pieces[1] ? dg_join(call, pieces, 2, 0) : NULL;
    dg_tensor_drop(pieces[0]);
    dg_tensor_drop(pieces[1]);
    dg_tensor_drop(slope);
    return made;
}

static struct dg_tensor *blackman(const struct window *window)
{
    struct dg_tensor *phase = times(window, points(window), pi / window->last);
    struct dg_tensor *fast = cosine(window, dg_tensor_keep(phase), 4, 0.08);
    struct dg_tensor *slow = fast ? cosine(window, phase, 2, 0.5) : NULL;

    if (!fast)
        dg_tensor_drop(phase);
    return plus(window, dg_apply_two(window->call, dg_cpu_sub, fast, slow), 0.42);
}

static struct dg_tensor *hamming(const struct window *window)
{
    struct dg_tensor *phase = times(window, points(window), 2 * pi / window->last);

    return plus(window, cosine(window, phase, 1, -window->b), window->a);
}

/* In the type that torch computes in. */
static double worked(const struct window *window, double value)
{
    return dg_rounded(window->call->context, dg_operation_type(window->type), value);
}

static double kaiser_at(const struct window *window, double i)
{
    bool narrow = dg_kept_type(window->call->context, window->type) != DG_TYPE_F64;
    double half = worked(window, window->last / 2), beta = worked(window, window->a);
    double x = worked(window, worked(window, i - half) / half);
    /* The last points of 16 bits may be rounded to beyond the end. */
    double rest = fabs(worked(window, 1 - worked(window, x * x)));
    double root = worked(window, sqrt(rest));
    double value = dg_bessel_i0(worked(window, beta * root), narrow);

    return worked(window, value) / worked(window, dg_bessel_i0(beta, narrow));
}

static struct dg_tensor *kaiser(const struct window *window)
{
    struct dg_tensor *made = points(window);

    for (int64_t i = 0; made && i < window->n; i++)
        dg_put_real(made, i, kaiser_at(window, rounded(window, (double)i)));
    return made;
}

static struct dg_tensor *flat(const struct window *window)
{
    return plus(window, points(window), 1);
}

/* Arguments: the length, then, where there are more, whether it is periodic. */
static enum dg_status make(struct dg_call *call, window_fn *fn, double a, double b)
{
    int64_t n = dg_arg_int(call, 0, -1);
    bool periodic = dg_arg_bool(call, 1, true);
    struct window window = {
        call, dg_requested_type(call, DG_TYPE_F32), n, (double)n - !periodic, a, b};

    if (n < 0 || !dg_type_is_float(window.type))
        return dg_call_fail(call, DG_ERR_FORMAT, "a window of %lld numbers of %s",
                            (long long)n, dg_type_name(window.type));
    return dg_finish(call, n < 2 ? flat(&window) : fn(&window));
}

enum dg_status dg_cpu_bartlett_window(struct dg_call *call)
{
    return make(call, bartlett, 0, 0);
}

enum dg_status dg_cpu_blackman_window(struct dg_call *call)
{
    return make(call, blackman, 0, 0);
}

enum dg_status dg_cpu_hann_window(struct dg_call *call)
{
    return make(call, hamming, 0.5, 0.5);
}

enum dg_status dg_cpu_hamming_window(struct dg_call *call)
{
    return make(call, hamming, 0.54, 0.46);
}

enum dg_status dg_cpu_hamming_window_alpha(struct dg_call *call)
{
    return make(call, hamming, dg_arg_real(call, 2, 0.54), 0.46);
}

enum dg_status dg_cpu_hamming_window_alpha_beta(struct dg_call *call)
{
    return make(call, hamming, dg_arg_real(call, 2, 0.54), dg_arg_real(call, 3, 0.46));
}

enum dg_status dg_cpu_kaiser_window(struct dg_call *call)
{
    return make(call, kaiser, 12, 0);
}

enum dg_status dg_cpu_kaiser_window_beta(struct dg_call *call)
{
    return make(call, kaiser, dg_arg_real(call, 2, 12), 0);
}
