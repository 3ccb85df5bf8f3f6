/* Lists of values that calls name: whether looking at each item of each is linear. */
#include "store/lists.h"

#include <stdlib.h>

/* Of what a store keeps, the kind is the function that releases it. */
static void release(void *answer)
{
    free(answer);
}

enum dg_status dg_store_lists_bounded(bool *few, struct dg_store *store,
                                      struct dg_error *err)
{
    int64_t *answer = dg_store_kept(store, release);
    enum dg_status status;

    if (!answer) {
        answer = calloc(1, sizeof(*answer));
        if (!answer)
            dg_out_of_memory();
        status = dg_store_int(store, "SELECT " DG_SQL_LISTS_BOUNDED, 0, answer, err);
        if (status) {
            release(answer);
            return status;
        }
        dg_store_keep(store, answer, release);
    }
    *few = *answer;
    return DG_OK;
}
