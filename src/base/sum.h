/* Sums of counts and bytes that files claim. */
#ifndef DG_BASE_SUM_H
#define DG_BASE_SUM_H

#include <stdint.h>

/* Stays at the largest number where it would overflow; what is negative is not known,
 * and adds nothing. */
static inline void dg_add_to(int64_t *sum, int64_t more)
{
    if (more > 0 && __builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

#endif
