/* Two pieces of work at once. */
#ifndef DG_BASE_BOTH_H
#define DG_BASE_BOTH_H

/* work(a) and work(b), in two threads where the system gives one more, else one after
 * the other; returns when both have ended. What they share, neither may write. */
void dg_do_both(void *work(void *), void *a, void *b);

#endif
