/* Elementary functions of lines of numbers: the same bits on every processor, which
 * those of the C library, chosen for the processor at hand, need not give. */
#ifndef DG_KERNELS_CPU_ELEMENTARY_H
#define DG_KERNELS_CPU_ELEMENTARY_H

#include <stddef.h>
#include <stdint.h>

/* x[i] = e^x[i], less than an ulp from the exact number; erf(x[i]): less than two. */
typedef void dg_line_function(double *x, int64_t n);
dg_line_function dg_exp_line, dg_erf_line;

/* The same in vectors of at most `widest` bytes. */
dg_line_function *dg_exp_lines(size_t widest);
dg_line_function *dg_erf_lines(size_t widest);

#endif
