/* Orthogonal polynomials of a degree that is data. */
#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/special.h"

enum { DEGREE_MOST = 100000 };
enum family { FIRST, SECOND, THIRD, FOURTH, HERMITE, HERMITE_E, LAGUERRE, LEGENDRE };

/* The polynomial of degree 1. */
static double linear(enum family family, double x, bool narrow)
{
    switch (family) {
    case FIRST:
    case HERMITE_E:
    case LEGENDRE:
        return x;
    case THIRD:
        return dg_in(narrow, x + x - 1);
    case FOURTH:
        return dg_in(narrow, x + x + 1);
    case LAGUERRE:
        return dg_in(narrow, 1 - x);
    default:
        return x + x;
    }
}

/* That of degree k + 1 from those of degree k, `now`, and k - 1, `last`. */
static double next(enum family family, double x, double k, double now, double last,
                   bool narrow)
{
    double up = x + x, down = 1, divisor = 1;

    if (family >= HERMITE)
        down = family == HERMITE ? 2 * k : k;
    if (family == HERMITE_E)
        up = x;
    if (family == LAGUERRE)
        up = dg_in(narrow, 2 * k + dg_in(narrow, 1 - x));
    if (family == LEGENDRE)
        up = dg_in(narrow, (2 * k + 1) * x);
    if (family >= LAGUERRE)
        divisor = k + 1;
    up = dg_in(narrow, dg_in(narrow, up * now) - dg_in(narrow, down * last));
    return dg_in(narrow, up / divisor);
}

static double recurrence(enum family family, double x, int64_t n, bool narrow)
{
    double last = 1, now = linear(family, x, narrow);

    for (int64_t k = 1; k < n && !isnan(now); k++) {
        double later = next(family, x, (double)k, now, last, narrow);

        last = now;
        now = later;
    }
    return n ? now : 1;
}

/* Those of Chebyshev between -1 and 1: torch takes them by angles from degree 7 on (9
 * of all but the first kind). */
static double by_angle(enum family family, double x, double n, bool narrow)
{
    double angle = dg_in(narrow, acos(x)), half = angle / 2;

    if (family == FIRST)
        return cos(dg_in(narrow, n * angle));
    if (family == SECOND)
        return sin(dg_in(narrow, (n + 1) * angle)) / dg_in(narrow, sin(angle));
    n += 0.5;
    return family == THIRD ? cos(dg_in(narrow, n * angle)) / dg_in(narrow, cos(half))
                           : sin(dg_in(narrow, n * angle)) / dg_in(narrow, sin(half));
}

/* At 1 and -1 the recurrence would take as long as the degree is large. */
static double at_end(enum family family, double x, double n)
{
    double size = family == SECOND                     ? n + 1
                  : family == (x > 0 ? FOURTH : THIRD) ? 2 * n + 1
                                                       : 1;

    return x < 0 && fmod(n, 2) != 0 ? -size : size;
}

static double polynomial(enum family family, double x, int64_t n, bool narrow)
{
    int64_t hermite_most = narrow ? 128 : 512;

    if ((family == HERMITE || family == HERMITE_E) && n > hermite_most)
        return NAN;
    if (fabs(x) == 1 && (family <= FOURTH || family == LEGENDRE))
        return at_end(family, x, (double)n);
    if (family == LAGUERRE && x == 0)
        return 1;
    if (family <= FOURTH && n > (family == FIRST ? 6 : 8) && fabs(x) < 1)
        return by_angle(family, x, (double)n, narrow);
    return recurrence(family, x, n, narrow);
}

enum rounding { EXACT, ONCE, EACH }; /* f64; to f32 at the end; in each step */

/* Sums overflow where torch's do: in its type. */
static double value_of(enum family family, bool shifted, double x, double degree,
                       enum rounding rounding)
{
    double y = shifted ? 2 * x - 1 : x, narrow = 0;
    int64_t n;

    /* (-1, 0) is degree 0; what is no int64 becomes the least one in torch. */
    if (!(degree > -1 && degree < 0x1p63))
        return 0;
    n = (int64_t)degree;
    if (rounding != EXACT)
        narrow = polynomial(family, dg_in(true, y), n, true);
    return rounding == EACH || !isfinite(narrow) ? narrow
                                                 : polynomial(family, y, n, false);
}

struct degrees {
    enum dg_type type;
    double most;
};

static void most_of_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct degrees *degrees = data;
    double line[DG_LINE_MOST];

    dg_load_f64(line, degrees->type, at[0], strides[0], n);
    for (int64_t i = 0; i < n; i++)
        degrees->most = fmax(degrees->most, line[i]);
}

static double highest_degree(const struct dg_call *call)
{
    struct dg_tensor *tensor = dg_arg_tensor(call, 1);
    struct degrees degrees = {.most = tensor ? 0 : dg_arg_real(call, 1, 0)};
    struct dg_walk walk;

    if (tensor) {
        degrees.type = tensor->type;
        dg_walk_begin(&walk, 1, &tensor);
        dg_walk_lines(&walk, 1, most_of_line, &degrees);
    }
    return degrees.most;
}

/* A degree is as many steps, for each element: a program may ask for any number. */
static enum dg_status run(struct dg_call *call, dg_real_line *exact, dg_real_line *once,
                          dg_real_line *each)
{
    bool own = call->context->precision == DG_PRECISION_OWN_SUMS;
    double degree = highest_degree(call);

    if (degree > DEGREE_MOST && degree < 0x1p63)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "a polynomial of degree %g: at most %d are computed",
                            degree, DEGREE_MOST);
    return dg_special(call, 2, 0, exact, own ? each : once);
}

#define POLYNOMIAL(name, family, shifted)                                              \
    DG_LINE(double, name##_exact, DG_XY, value_of(family, shifted, x, y, EXACT))       \
    DG_LINE(double, name##_once, DG_XY, value_of(family, shifted, x, y, ONCE))         \
    DG_LINE(double, name##_each, DG_XY, value_of(family, shifted, x, y, EACH))         \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return run(call, name##_exact, name##_once, name##_each);                      \
    }

POLYNOMIAL(chebyshev_t, FIRST, false)
POLYNOMIAL(chebyshev_u, SECOND, false)
POLYNOMIAL(chebyshev_v, THIRD, false)
POLYNOMIAL(chebyshev_w, FOURTH, false)
POLYNOMIAL(shifted_chebyshev_t, FIRST, true)
POLYNOMIAL(shifted_chebyshev_u, SECOND, true)
POLYNOMIAL(shifted_chebyshev_v, THIRD, true)
POLYNOMIAL(shifted_chebyshev_w, FOURTH, true)
POLYNOMIAL(hermite_h, HERMITE, false)
POLYNOMIAL(hermite_he, HERMITE_E, false)
POLYNOMIAL(laguerre_l, LAGUERRE, false)
POLYNOMIAL(legendre_p, LEGENDRE, false)
