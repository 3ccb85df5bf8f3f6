/* Loading libpq. */
#include "postgres/libpq.h"

enum dg_status dg_pq_load(struct dg_pq *pq, struct dg_error *err)
{
    const struct dg_symbol symbols[] = {
#define SYMBOL(name) DG_SYMBOL(name, pq),
        DG_PQ_FUNCTIONS(SYMBOL)
#undef SYMBOL
    };

    return dg_load_symbols("libpq.so.5", "libpq (Debian: libpq5)", symbols,
                           sizeof(symbols) / sizeof(*symbols), err);
}
