/* What blobs of delegates say of the operands of their calls. */
#ifndef DG_GRAPH_MODEL_BLOBS_H
#define DG_GRAPH_MODEL_BLOBS_H

#include "graph/model.h"

/* Mark the operands that blobs read. Nothing is read where no delegate is called. */
enum dg_status dg_model_read_blobs(struct dg_model *model, struct dg_store *store,
                                   struct dg_error *err);

#endif
