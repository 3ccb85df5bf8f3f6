/* Discrete Fourier transforms: by powers of two, and of other lengths by Bluestein's
 * convolution with a chirp. */
#include "kernels/cpu/fft.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "kernels/cpu/complex.h"

enum { TERM_BY_TERM = 24 }; /* lengths up to it that are no power of two */

static double complex times(double complex x, double complex y)
{
    return dg_complex_of(creal(x) * creal(y) - cimag(x) * cimag(y),
                         creal(x) * cimag(y) + cimag(x) * creal(y));
}

/* exp(sign i pi k / n) for 0 <= k < 2 n: from the nearest axis on, where sine and
 * cosine are exact. */
static double complex root(int64_t k, int64_t n, int sign)
{
    int64_t quarter = 2 * k / n; /* of the circle */
    double angle = M_PI * (double)(2 * k - quarter * n) / (double)(2 * n);
    double c = cos(angle), s = sin(angle);
    double turned[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};

    return dg_complex_of(turned[quarter][0], sign * turned[quarter][1]);
}

static void round_to_f32(double complex *line, int64_t n)
{
    double *parts = (double *)line;

    for (int64_t i = 0; i < 2 * n; i++)
        parts[i] = (float)parts[i];
}

static void swap_by_bits(double complex *line, int64_t n)
{
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n >> 1;

        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex held = line[i];

            line[i] = line[j];
            line[j] = held;
        }
    }
}

/* In place; roots are exp(+- 2 pi i k / m). */
static void by_twos(const struct dg_fft *fft, double complex *line, bool conjugated)
{
    int64_t m = fft->m;

    swap_by_bits(line, m);
    for (int64_t half = 1; half < m; half *= 2) {
        int64_t step = m / (2 * half);

        for (int64_t begin = 0; begin < m; begin += 2 * half) {
            for (int64_t k = 0; k < half; k++) {
                double complex turn = fft->roots[k * step];
                double complex *low = &line[begin + k], *high = low + half;
                double complex product = times(*high, conjugated ? conj(turn) : turn);

                *high = *low - product;
                *low += product;
            }
        }
        if (fft->in_f32)
            round_to_f32(line, m);
    }
}

/* As a convolution of length m. */
static void by_chirp(const struct dg_fft *fft, double complex *line,
                     double complex *room)
{
    for (int64_t i = 0; i < fft->n; i++)
        room[i] = times(line[i], fft->chirp[i]);
    memset(room + fft->n, 0, (size_t)(fft->m - fft->n) * sizeof(*room));
    by_twos(fft, room, false);
    for (int64_t i = 0; i < fft->m; i++)
        room[i] = times(room[i], fft->filter[i]);
    by_twos(fft, room, true);
    for (int64_t i = 0; i < fft->n; i++)
        line[i] = times(dg_complex_of(creal(room[i]) / (double)fft->m,
                                      cimag(room[i]) / (double)fft->m),
                        fft->chirp[i]);
    if (fft->in_f32)
        round_to_f32(line, fft->n);
}

static void by_terms(const struct dg_fft *fft, double complex *line,
                     double complex *room)
{
    int64_t n = fft->n;

    for (int64_t k = 0; k < n; k++) {
        room[k] = 0;
        for (int64_t j = 0; j < n; j++) {
            room[k] += times(line[j], fft->roots[j * k % n]);
            if (fft->in_f32)
                round_to_f32(&room[k], 1);
        }
    }
    memcpy(line, room, (size_t)n * sizeof(*line));
}

void dg_fft_run(const struct dg_fft *fft, double complex *line, double complex *room)
{
    if (!fft->m)
        by_terms(fft, line, room);
    else if (fft->m == fft->n)
        by_twos(fft, line, false);
    else
        by_chirp(fft, line, room);
}

int64_t dg_fft_room(const struct dg_fft *fft)
{
    return fft->m > fft->n ? fft->m : fft->n;
}

static bool fill_roots(struct dg_fft *fft, struct dg_call *call, int64_t n, int sign)
{
    fft->roots = dg_scratch(call, n + 1, sizeof(*fft->roots));
    for (int64_t k = 0; fft->roots && k < n; k++)
        fft->roots[k] = root(2 * k % (2 * n), n, sign);
    return fft->roots != NULL;
}

static bool fill_chirp(struct dg_fft *fft, struct dg_call *call, int sign)
{
    int64_t n = fft->n, square = 0; /* k^2 modulo 2 n */

    fft->chirp = dg_scratch(call, n, sizeof(*fft->chirp));
    fft->filter = dg_scratch(call, fft->m, sizeof(*fft->filter));
    if (!fft->chirp || !fft->filter)
        return false;
    for (int64_t k = 0; k < n; k++) {
        fft->chirp[k] = root(square, n, sign);
        fft->filter[k] = conj(fft->chirp[k]);
        if (k)
            fft->filter[fft->m - k] = fft->filter[k];
        square = (square + 2 * k + 1) % (2 * n);
    }
    by_twos(fft, fft->filter, false);
    return true;
}

bool dg_fft_plan(struct dg_fft *fft, struct dg_call *call, int64_t n, bool forward)
{
    int sign = forward ? -1 : 1;

    *fft = (struct dg_fft){.n = n, .forward = forward};
    if ((n & (n - 1)) == 0)
        fft->m = n;
    else if (n > TERM_BY_TERM)
        for (fft->m = 1; fft->m < 2 * n - 1;)
            fft->m *= 2;
    if (!fill_roots(fft, call, fft->m ? fft->m : n, sign))
        return false;
    return fft->m <= n || fill_chirp(fft, call, sign);
}
