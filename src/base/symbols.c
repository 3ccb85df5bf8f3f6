/* Loading libraries. */
#include "base/symbols.h"

#include <dlfcn.h>
#include <string.h>

enum dg_status dg_load_symbols(const char *soname, const char *who,
                               const struct dg_symbol *symbols, size_t n,
                               struct dg_error *err)
{
    void *handle = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);

    for (size_t i = 0; i < n; i++) {
        void *address = handle ? dlsym(handle, symbols[i].name) : NULL;

        if (!address)
            return dg_fail(err, DG_ERR_DEVICE, "cannot load %s: %s", who, dlerror());
        memcpy(symbols[i].pointer, &address, sizeof(address));
    }
    return DG_OK;
}
