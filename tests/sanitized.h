/* Under AddressSanitizer, where a run takes several times as long, of what is much
 * alike one in so many is tried: the memory that it takes is alike, too. Scripts see
 * SANITIZED=1. */
#ifndef DG_TESTS_SANITIZED_H
#define DG_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
enum { ONE_IN = 4 };
#else
enum { ONE_IN = 1 };
#endif

#endif
