/* Elementary functions of lines of numbers: the same bits on every processor, which
 * those of the C library, chosen for the processor at hand, need not give. */
#ifndef DG_KERNELS_CPU_ELEMENTARY_H
#define DG_KERNELS_CPU_ELEMENTARY_H

#include <stddef.h>
#include <stdint.h>

typedef void dg_line_function(double *x, int64_t n);

/* x[i] becomes e^x[i], erf(x[i]), tanh(x[i]), 1 / (1 + e^-x[i]): the first is less than
 * an ulp from the exact number, the others less than two (the last, where it is
 * normal). */
dg_line_function dg_exp_line, dg_erf_line, dg_tanh_line, dg_sigmoid_line;

/* The same in vectors of at most `widest` bytes. */
dg_line_function *dg_exp_lines(size_t widest);
dg_line_function *dg_erf_lines(size_t widest);
dg_line_function *dg_tanh_lines(size_t widest);
dg_line_function *dg_sigmoid_lines(size_t widest);

#endif
