/* Discrete Fourier transforms of lines of complex numbers. */
#ifndef DG_KERNELS_CPU_FFT_H
#define DG_KERNELS_CPU_FFT_H

#include "kernels/kernel.h"

/* Of one length and direction; lasts as long as the call. */
struct dg_fft {
    int64_t n;
    bool forward;           /* exp(-2 pi i k j / n); else its conjugate; never scaled */
    bool in_f32;            /* what each stage gives is rounded to that */
    int64_t m;              /* of the powers of two that do the work: n, or what holds
                               two of it; 0: term by term */
    double _Complex *roots; /* exp(-+ 2 pi i k / m), or of n */
    double _Complex *chirp; /* of other lengths (Bluestein): exp(-+ pi i k^2 / n) */
    double _Complex *filter; /* their transform */
};

/* false: no memory, and call->err says so. */
bool dg_fft_plan(struct dg_fft *fft, struct dg_call *call, int64_t n, bool forward);
/* `line` of n in place; `room` for 2 * dg_fft_room(). */
void dg_fft_run(const struct dg_fft *fft, double _Complex *line, double _Complex *room);
int64_t dg_fft_room(const struct dg_fft *fft);

/* The other half of the spectrum of a real signal of n points; parts that such a one
 * cannot have are not looked at. */
void dg_fft_complete(double _Complex *line, int64_t n);

#endif
