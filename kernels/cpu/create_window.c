/* Windows of signals. Each step rounds to the type of the window, as in torch: in 16
 * bits that moves the phase of a cosine by much. */
#include <math.h>

#include "kernels/cpu/create.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/special.h"

static const double pi = 3.14159265358979323846;

struct window {
    const struct dg_context *context;
    enum dg_type type;
    double last; /* the index of the last point, which a periodic window leaves out */
    double a, b; /* of its kind */
};

typedef double window_fn(const struct window *window, double i);

static double rounded(const struct window *window, double value)
{
    return dg_rounded(window->context, window->type, value);
}

/* x * factor, and x + term: of numbers in the type that torch computes in. */
static double times(const struct window *window, double x, double factor)
{
    enum dg_type work = dg_operation_type(window->type);

    return rounded(window, x * dg_rounded(window->context, work, factor));
}

static double plus(const struct window *window, double x, double term)
{
    enum dg_type work = dg_operation_type(window->type);

    return rounded(window, x + dg_rounded(window->context, work, term));
}

static double cosine(const struct window *window, double phase, double factor)
{
    return times(window, rounded(window, cos(phase)), factor);
}

static double bartlett(const struct window *window, double i)
{
    double value = times(window, i, 2 / window->last);

    return i <= floor(window->last / 2) ? value : plus(window, -value, 2);
}

static double blackman(const struct window *window, double i)
{
    double phase = times(window, i, pi / window->last);
    double fast = cosine(window, times(window, phase, 4), 0.08);
    double slow = cosine(window, times(window, phase, 2), 0.5);

    return plus(window, rounded(window, fast - slow), 0.42);
}

static double hamming(const struct window *window, double i)
{
    double phase = times(window, i, 2 * pi / window->last);

    return plus(window, cosine(window, phase, -window->b), window->a);
}

static double kaiser(const struct window *window, double i)
{
    bool narrow = dg_kept_type(window->context, window->type) != DG_TYPE_F64;
    double half = rounded(window, window->last / 2), beta = rounded(window, window->a);
    double x = rounded(window, rounded(window, i - half) / half);
    double root = rounded(window, sqrt(rounded(window, 1 - rounded(window, x * x))));
    double value = dg_bessel_i0(rounded(window, beta * root), narrow);

    return rounded(window, value) / rounded(window, dg_bessel_i0(beta, narrow));
}

/* Arguments: the length, then, where there are more, whether it is periodic. */
static enum dg_status make(struct dg_call *call, window_fn *fn, double a, double b)
{
    int64_t n = dg_arg_int(call, 0, -1);
    bool periodic = dg_arg_bool(call, 1, true);
    struct window window = {call->context, dg_requested_type(call, DG_TYPE_F32),
                            (double)n - !periodic, a, b};
    struct dg_tensor *result;

    if (n < 0 || !dg_type_is_float(window.type))
        return dg_call_fail(call, DG_ERR_FORMAT, "a window of %lld numbers of %s",
                            (long long)n, dg_type_name(window.type));
    result = dg_result(call, 0, window.type, 1, &n);
    if (!result)
        return call->err->status;
    for (int64_t i = 0; i < n; i++)
        dg_put_real(result, i, n == 1 ? 1 : fn(&window, rounded(&window, (double)i)));
    return DG_OK;
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
