/* The heap of the C library, for work that takes and frees large blocks in turns: fresh
 * pages cost a fault each, which is a tenth of the time of a small network.
 *
 * Hints: nothing is lost where the C library or the kernel does not take them. */
#ifndef DG_BASE_HEAP_H
#define DG_BASE_HEAP_H

/* From now on the heap keeps the pages that were freed. Of the process: for programs,
 * not for what lives in one. */
void dg_heap_keep_pages(void);

/* Call after a large allocation: what the heap grew by comes in large pages, if it is
 * kept. */
void dg_heap_prefer_large_pages(void);

#endif
