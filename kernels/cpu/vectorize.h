/* Include it last: the loops that follow are worth vectorising at any -O level. */
#ifndef DG_KERNELS_CPU_VECTORIZE_H
#define DG_KERNELS_CPU_VECTORIZE_H

/* gcc does so from -O3 on, clang always. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

/* Of a function that becomes part of others, for whichever processor they are. */
#define DG_FOR_ANY static inline __attribute__((always_inline))

/* Attributes of a function that uses AVX2, where there can be one; and of name_avx2 and
 * name_narrow the one for the processor at hand. */
#if defined(__GNUC__) && defined(__x86_64__)
#define DG_AVX2 __attribute__((target("avx2")))
#define DG_WIDEST(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_narrow)
#else
#define DG_WIDEST(name) name##_narrow
#endif

/* The same with AVX-512 and name_avx512; in vectors of at most `widest` bytes. */
#ifdef DG_AVX2
#define DG_AVX512 __attribute__((target("avx512f,avx512dq")))
#define DG_WIDEST_OF(name, widest)                                                     \
    ((widest) >= 64 && __builtin_cpu_supports("avx512f") &&                            \
             __builtin_cpu_supports("avx512dq")                                        \
         ? name##_avx512                                                               \
     : (widest) >= 32 ? DG_WIDEST(name)                                                \
                      : name##_narrow)
#else
#define DG_WIDEST_OF(name, widest) ((void)(widest), name##_narrow)
#endif

#endif
