/* Loading libpq. */
#include "postgres/libpq.h"

#include <dlfcn.h>
#include <string.h>

enum dg_status dg_pq_load(struct dg_pq *pq, struct dg_error *err)
{
    const struct {
        const char *name;
        void *pointer;
    } symbols[] = {
#define SYMBOL(name) {#name, &pq->name},
        DG_PQ_FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    void *handle = dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL);

    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
        void *address = handle ? dlsym(handle, symbols[i].name) : NULL;

        if (!address)
            return dg_fail(err, DG_ERR_DEVICE, "cannot load libpq (Debian: libpq5): %s",
                           dlerror());
        memcpy(symbols[i].pointer, &address, sizeof(address));
    }
    return DG_OK;
}
