/* Two pieces of work at once. */
#include "base/both.h"

#include <pthread.h>
#include <stdbool.h>

void dg_do_both(void *work(void *), void *a, void *b)
{
    pthread_t thread;
    bool apart = !pthread_create(&thread, NULL, work, b);

    work(a);
    if (apart)
        pthread_join(thread, NULL);
    else
        work(b);
}
