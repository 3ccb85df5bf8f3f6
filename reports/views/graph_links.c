/* Who reads what, as links, and as lines what has no box. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

struct linking {
    struct dg_box_loading *loading;
    struct dg_rows types; /* of a value */
    int64_t *told; /* by row of a value: the node whose box names it as a result */
};

static enum dg_status read_type(struct linking *linking, uint32_t value,
                                struct dg_text *type)
{
    struct dg_rows *rows = &linking->types;

    dg_rows_bind_int(rows, 1, value);
    if (dg_rows_next(rows))
        *type = dg_view_type(&linking->loading->picture->memory, rows, 0);
    return dg_rows_again(rows, linking->loading->in->err);
}

/* Mostly its box says what type a value has. */
static enum dg_status type_of(struct linking *linking,
                              const struct dg_skeleton_use *use, struct dg_text *type)
{
    const struct dg_box_loading *loading = linking->loading;
    const struct dg_skeleton *skeleton = &loading->skeleton;
    const struct dg_box *boxes = loading->picture->boxes;
    size_t from = loading->box_of[use->from];

    if (use->to >= skeleton->n_rows)
        *type = boxes[loading->box_of[use->to]].value;
    else if (from != SIZE_MAX && use->value == skeleton->nodes[use->from].value)
        *type = boxes[from].value;
    else if (use->value)
        return read_type(linking, use->value, type);
    return DG_OK;
}

static enum dg_status link_use(struct linking *linking,
                               const struct dg_skeleton_use *use)
{
    const struct dg_box_loading *loading = linking->loading;
    const struct dg_skeleton *skeleton = &loading->skeleton;
    const struct dg_skeleton_node *source = &skeleton->nodes[use->from];
    struct dg_picture *picture = loading->picture;
    size_t from = loading->box_of[use->from], to = loading->box_of[use->to];
    struct dg_text type = {0};
    enum dg_status status;

    if (to == SIZE_MAX || (from == SIZE_MAX && source->role != DG_ROLE_WEIGHT))
        return DG_OK;
    status = type_of(linking, use, &type);
    if (from != SIZE_MAX)
        dg_picture_add_link(picture, from, to)->value = type;
    else
        dg_box_say(picture, &picture->boxes[to], "%s %s",
                   skeleton->ends[source->end].name.data, type.data ? type.data : "");
    return status;
}

/* The tensors that an instruction with several results writes. */
static enum dg_status list_results(struct linking *linking, const struct dg_flow *flow,
                                   uint32_t node)
{
    struct dg_picture *picture = linking->loading->picture;
    size_t box = dg_boxes_find(linking->loading, flow->first_id + node);
    enum dg_status status = DG_OK;

    if (box == SIZE_MAX || picture->boxes[box].value.data)
        return DG_OK;
    for (uint32_t k = flow->access_of[node]; !status && k < flow->access_of[node + 1];
         k++) {
        const struct dg_flow_access *access = &flow->accesses[k];
        int64_t value = flow->stored[access->value].id;
        struct dg_text type = {0};

        if (access->how & (DG_FLOW_READ | DG_FLOW_UPDATE) ||
            value > (int64_t)linking->loading->skeleton.n_values ||
            linking->told[value] == flow->first_id + node)
            continue;
        linking->told[value] = flow->first_id + node;
        status = read_type(linking, (uint32_t)value, &type);
        if (type.data)
            dg_box_say(picture, &picture->boxes[box], "\xe2\x86\x92 %s", type.data);
    }
    return status;
}

enum dg_status dg_boxes_link(struct dg_box_loading *loading)
{
    const struct dg_skeleton *skeleton = &loading->skeleton;
    struct linking linking = {.loading = loading};
    enum dg_status status = DG_OK;

    linking.types = dg_rows_of(loading->in->store,
                               "SELECT" DG_VIEW_TYPE " FROM value WHERE value.id = ?1",
                               0, loading->in->err);
    linking.told = dg_zeroed(skeleton->n_values + 1, sizeof(*linking.told));
    for (size_t i = 0; !status && i < skeleton->n_uses; i++)
        status = link_use(&linking, &skeleton->uses[i]);
    for (size_t g = 0; g < skeleton->n_graphs; g++)
        for (uint32_t i = 0; !status && i < skeleton->graphs[g].flow.n_nodes; i++)
            status = list_results(&linking, &skeleton->graphs[g].flow, i);
    free(linking.told);
    return dg_rows_close(&linking.types, status, loading->in->err);
}
