/* Include it last: the loops that follow are worth vectorising at any -O level. */
#ifndef DG_KERNELS_CPU_VECTORIZE_H
#define DG_KERNELS_CPU_VECTORIZE_H

/* gcc does so from -O3 on, clang always. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

#endif
