/* Loading Graphviz. */
#include "reports/picture/libgraphviz.h"

#include "config.h"

struct dg_graphviz dg_graphviz;

enum dg_status dg_graphviz_load(struct dg_error *err)
{
    static const struct dg_symbol symbols[] = {
#define SYMBOL(name) DG_SYMBOL(name, &dg_graphviz),
        DG_GRAPHVIZ_SYMBOLS(SYMBOL)
#undef SYMBOL
    };

    return dg_load_symbols(LIBGVC, "Graphviz (Debian: libgvc6)", symbols,
                           sizeof(symbols) / sizeof(*symbols), err);
}

struct dg_text dg_graphviz_version(struct dg_arena *memory)
{
    struct dg_error err = {0};
    struct dg_text version;
    GVC_t *context;

    if (dg_graphviz_load(&err))
        return dg_format(memory, "not on this machine: plain layouts alone (%s)",
                         err.text);
    context = dg_graphviz.gvContext();
    version = dg_format(memory, "%s", dg_graphviz.gvcVersion(context));
    dg_graphviz.gvFreeContext(context);
    return version;
}
