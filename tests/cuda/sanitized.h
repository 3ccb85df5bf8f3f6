/* Whether a sanitizer watches accesses to memory. */
#ifndef DG_TESTS_CUDA_SANITIZED_H
#define DG_TESTS_CUDA_SANITIZED_H

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define WITH_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define WITH_SANITIZER
#endif

#endif
