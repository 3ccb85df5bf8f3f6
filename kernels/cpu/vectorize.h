/* Include it last: the loops that follow are worth vectorising at any -O level. */
#ifndef DG_KERNELS_CPU_VECTORIZE_H
#define DG_KERNELS_CPU_VECTORIZE_H

/* gcc does so from -O3 on, clang always. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

/* Attributes of a function that uses AVX2, where there can be one; and of name_avx2 and
 * name_narrow the one for the processor at hand. */
#if defined(__GNUC__) && defined(__x86_64__)
#define DG_AVX2 __attribute__((target("avx2")))
#define DG_WIDEST(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_narrow)
#else
#define DG_WIDEST(name) name##_narrow
#endif

#endif
