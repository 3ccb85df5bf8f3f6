/* What is called of Graphviz, which is loaded when something is drawn. */
#ifndef DG_REPORTS_PICTURE_LIBGRAPHVIZ_H
#define DG_REPORTS_PICTURE_LIBGRAPHVIZ_H

#include <gvc.h>

#include "base/arena.h"
#include "base/symbols.h"

#define DG_GRAPHVIZ_SYMBOLS(X)                                                         \
    X(Agdirected)                                                                      \
    X(agattr)                                                                          \
    X(agclose)                                                                         \
    X(agedge)                                                                          \
    X(agnode)                                                                          \
    X(agopen)                                                                          \
    X(agsafeset)                                                                       \
    X(agstrdup)                                                                        \
    X(agstrdup_html)                                                                   \
    X(agstrfree)                                                                       \
    X(agsubg)                                                                          \
    X(agwrite)                                                                         \
    X(gvContext)                                                                       \
    X(gvFreeContext)                                                                   \
    X(gvLayout)                                                                        \
    X(gvcVersion)

struct dg_graphviz {
    DG_GRAPHVIZ_SYMBOLS(DG_SYMBOL_POINTER)
};

/* Filled by dg_graphviz_load(), which fails with DG_ERR_DEVICE where Graphviz is not.
 */
extern struct dg_graphviz dg_graphviz;
enum dg_status dg_graphviz_load(struct dg_error *err);

/* Its version, or that it is not here and why. */
struct dg_text dg_graphviz_version(struct dg_arena *memory);

#endif
