/* The heap of the C library, as mallopt(3) and sbrk(2) show it. */
#include "base/heap.h"

#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __GLIBC__ /* <unistd.h> says so */

#include <malloc.h>
#include <sys/mman.h>

enum {
    GROWTH = 32 << 20,      /* at a time, so that it holds whole large pages */
    LEAST_MAPPED = 32 << 20 /* what is larger lies outside: the most that glibc takes
                               where pointers have 64 bits */
};

/* Up to where it was advised; 0: pages are not kept yet. */
static _Atomic uintptr_t known_end;

static uintptr_t end_of_heap(void)
{
    return (uintptr_t)sbrk(0);
}

void dg_heap_keep_pages(void)
{
    mallopt(M_MMAP_THRESHOLD, LEAST_MAPPED);
    mallopt(M_TRIM_THRESHOLD, 8 * LEAST_MAPPED);
    mallopt(M_TOP_PAD, GROWTH);
    atomic_compare_exchange_strong(&known_end, &(uintptr_t){0}, end_of_heap());
}

void dg_heap_prefer_large_pages(void)
{
    uintptr_t known = known_end, end = end_of_heap(),
              page = (uintptr_t)sysconf(_SC_PAGESIZE), start = known & -page;

    if (!known || end == known ||
        !atomic_compare_exchange_strong(&known_end, &known, end))
        return;
    if (end > start)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

#else

void dg_heap_keep_pages(void)
{
}

void dg_heap_prefer_large_pages(void)
{
}

#endif
