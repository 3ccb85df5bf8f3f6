/* Airy's function Ai. */
#include <math.h>

#include "kernels/cpu/special.h"

#define AI_0 0.35502805388781723926   /* Ai(0) = Bi(0) / sqrt(3) */
#define DAI_0 -0.25881940379280679841 /* Ai'(0) = -Bi'(0) / sqrt(3) */

struct solution {
    double value, slope;
};

/* Of y'' = x y: its values `step` from `x`, by Taylor's series there. */
static struct solution further(struct solution from, double x, double step)
{
    double before = 0, now = from.value, next = from.slope, power = 1;
    struct solution to = {now, next};

    for (int k = 0; k < 40; k++) {
        double later = (x * now + before) / ((k + 1) * (k + 2.0));

        power *= step;
        to.value += next * power;
        to.slope += (k + 2) * later * power;
        before = now;
        now = next;
        next = later;
    }
    return to;
}

/* From 0 to `x`, some 10 away at most. */
static double integrated(struct solution from, double x)
{
    int n = (int)ceil(fabs(x)) + 1;
    double step = x / n;

    for (int i = 0; i < n; i++)
        from = further(from, i * step, step);
    return from.value;
}

/* 2/3 z^(3/2) as torch's type rounds it, step by step. */
static double rounded_zeta(double z, bool narrow)
{
    return dg_in(narrow, dg_in(narrow, 2 * z * dg_in(narrow, sqrt(z))) / 3);
}

/* How far `rounded` is from 2/3 z^(3/2). */
static double zeta_error(double rounded, double z)
{
    double root = sqrt(z), root_rest = fma(-root, root, z) / (2 * root);
    double cube = z * root, cube_rest = fma(z, root, -cube) + z * root_rest;

    return (fma(3, rounded, -2 * cube) - 2 * cube_rest) / 3;
}

/* Both parts of the asymptotic series: those that go with the sine and the cosine. */
static double far_oscillation(double z, double phase)
{
    double zeta = 2 * z * sqrt(z) / 3, term = 1, parts[2] = {1, 0};

    for (int k = 1; k < 40 && fabs(term) > 1e-18; k++) {
        term *= (6.0 * k - 5) * (6 * k - 3) * (6 * k - 1) /
                (216.0 * k * (2 * k - 1) * zeta);
        parts[k & 1] += k & 2 ? -term : term;
    }
    return (sin(phase) * parts[0] - cos(phase) * parts[1]) / sqrt(M_PI * sqrt(z));
}

/* At -z, where torch has the sine of a rounded phase; Bi is its cosine. */
static double oscillation(double z, bool narrow)
{
    double zeta = rounded_zeta(z, narrow);
    double phase = dg_in(narrow, zeta + dg_in(narrow, M_PI_4));
    double error = phase - zeta - M_PI_4 + zeta_error(zeta, z), ai, bi;

    if (z > 10)
        return far_oscillation(z, phase);
    ai = integrated((struct solution){AI_0, DAI_0}, -z);
    bi = sqrt(3) * integrated((struct solution){AI_0, -DAI_0}, -z);
    return ai * cos(error) + bi * sin(error);
}

static double airy_ai(double x, bool narrow)
{
    double zeta = 2 * x * sqrt(x) / 3, growth;

    if (!isfinite(x) || x > 103.892)
        return isfinite(x) ? 0 : NAN;
    if (x < -2.09)
        return oscillation(-x, narrow);
    if (x < 1.5)
        return integrated((struct solution){AI_0, DAI_0}, x);
    if (x < 2.09)
        return sqrt(x / 3) / M_PI * dg_scaled_k(1.0 / 3, zeta) * exp(-zeta);
    /* torch divides by this, which overflows in its type. */
    growth = exp(rounded_zeta(x, narrow));
    if (isinf(dg_in(narrow, 2 * sqrt(sqrt(x)) * growth)))
        return 0;
    return sqrt(x / 3) / M_PI * dg_scaled_k(1.0 / 3, zeta) / growth;
}

DG_SPECIAL(airy_ai, airy_ai)
