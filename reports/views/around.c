/* One node and what is near it. */
#include "reports/views/view.h"

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    if (!options->around)
        return dg_fail(err, DG_ERR_USAGE,
                       "this view is of the neighbourhood of a node");
    return dg_view_graph.build(picture, store, options, err);
}

const struct dg_view dg_view_around = {
    .name = "around",
    .summary = "one node and what is near it",
    .wants_findings = DG_FINDINGS_OF_PLANS,
    .build = build,
};
