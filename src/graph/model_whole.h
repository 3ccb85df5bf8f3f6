/* All that is read of nodes, for those who want it all. */
#ifndef DG_GRAPH_MODEL_WHOLE_H
#define DG_GRAPH_MODEL_WHOLE_H

#include "graph/model.h"
#include "graph/model_names.h"
#include "graph/model_values.h"

struct dg_model_whole {
    const struct dg_model *model;
    const struct dg_model_values *values;
    const struct dg_model_names *names;
};

/* As each of them is read, but those of a large store side by side. */
enum dg_status dg_model_whole_read(struct dg_model_whole *whole, struct dg_store *store,
                                   struct dg_error *err);

#endif
