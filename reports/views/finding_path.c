/* The nodes that a finding names: its witness, or one node with its neighbours. */
#include "reports/views/finding_parts.h"

#include <stdlib.h>

#include "base/text_set.h"
#include "graph/model.h"
#include "graph/model_names.h"

enum { MOST_NEIGHBOURS = 8 }; /* on each side */

struct step {
    struct dg_text name;
    int64_t node; /* 0: no node of the finding's graph has that name */
};

struct witness {
    struct step *steps;
    size_t n_steps, n_more;
};

static enum dg_status read_witness(struct dg_finding_view *view,
                                   struct witness *witness)
{
    struct dg_picture *picture = view->nodes.picture;
    size_t most = dg_view_room(picture, view->nodes.in.options);
    struct dg_rows rows =
        dg_rows_of(view->nodes.in.store,
                   "SELECT item.value FROM finding, json_each(finding.witness) AS item"
                   " WHERE finding.id = ?1 AND json_valid(finding.witness)"
                   "   AND item.type = 'text' ORDER BY item.key",
                   view->nodes.in.options->finding, view->nodes.in.err);

    while (dg_rows_next(&rows)) {
        if (witness->n_steps < most)
            *DG_APPEND(witness->steps, witness->n_steps) =
                (struct step){dg_rows_keep(&picture->memory, &rows, 0), 0};
        else
            witness->n_more++;
    }
    return dg_rows_close(&rows, DG_OK, view->nodes.in.err);
}

static void name_node(struct witness *witness, struct dg_text name, int64_t node)
{
    for (size_t i = 0; i < witness->n_steps; i++)
        if (!witness->steps[i].node && dg_text_equal(witness->steps[i].name, name))
            witness->steps[i].node = node;
}

static void name_nodes(struct witness *witness, struct dg_model_graph graph,
                       const struct dg_model_names *names)
{
    struct dg_text_set wanted = {0};

    for (size_t i = 0; i < witness->n_steps; i++)
        dg_text_set_add(&wanted, witness->steps[i].name);
    for (uint32_t i = graph.first; i < graph.first + graph.n_nodes; i++)
        if (names->items[i].data &&
            dg_text_set_find(&wanted, names->items[i]) != DG_NO_TEXT)
            name_node(witness, names->items[i], (int64_t)i + 1);
    dg_text_set_clear(&wanted);
}

static enum dg_status find_nodes(struct dg_finding_view *view, struct witness *witness)
{
    const struct dg_view_input *in = &view->nodes.in;
    const struct dg_model *model;
    const struct dg_model_names *names;
    enum dg_status status = dg_model_read(&model, in->store, in->err);

    if (!status)
        status = dg_model_names_read(&names, in->store, in->err);
    if (!status)
        name_nodes(witness, dg_model_graph_at(model, view->graph), names);
    return status;
}

void dg_finding_highlight(struct dg_finding_view *view, size_t box)
{
    struct dg_picture *picture = view->nodes.picture;

    picture->boxes[box].highlighted = true;
    dg_box_say(picture, &picture->boxes[box], "\xe2\x9c\x97 %s", view->rule.data);
}

/* What one node gives another as an arrow; none where it gives nothing. */
static enum dg_status add_arrow(struct dg_finding_view *view, size_t from, size_t to,
                                bool *found)
{
    struct dg_picture *picture = view->nodes.picture;
    struct dg_rows rows =
        dg_rows_of(view->nodes.in.store,
                   "SELECT" DG_VIEW_TYPE ", value.nbytes FROM edge"
                   " LEFT JOIN value ON value.id = edge.value_id"
                   " WHERE edge.dst = ?2 AND edge.src = ?1 ORDER BY edge.pos LIMIT 1",
                   picture->boxes[from].node, view->nodes.in.err);

    dg_rows_bind_int(&rows, 2, picture->boxes[to].node);
    *found = dg_rows_next(&rows);
    if (*found) {
        struct dg_link *link = dg_picture_add_link(picture, from, to);

        link->value = dg_view_type(&picture->memory, &rows, 0);
        link->nbytes = dg_rows_int_or(&rows, 2, -1);
        link->crosses = picture->boxes[from].part != picture->boxes[to].part;
    }
    return dg_rows_close(&rows, DG_OK, view->nodes.in.err);
}

/* From one step to the next: along a value; or because both are in one delegate, which
 * runs as a whole; or only because the one comes before the other. */
static enum dg_status add_step(struct dg_finding_view *view, size_t from, size_t to,
                               bool closes)
{
    struct dg_picture *picture = view->nodes.picture;
    size_t part = picture->boxes[from].part;
    bool found, together = part && part == picture->boxes[to].part;
    enum dg_status status = add_arrow(view, from, to, &found);
    struct dg_link *link;

    if (status || from == to || (!found && closes && !together))
        return status;
    if (found) {
        picture->links[picture->n_links - 1].highlighted = true;
        return DG_OK;
    }
    link = dg_picture_add_link(picture, from, to);
    link->kind = DG_LINK_NEXT;
    if (together)
        link->label = dg_text("same delegate");
    return DG_OK;
}

static enum dg_status add_boxes(struct dg_finding_view *view,
                                const struct witness *witness)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < witness->n_steps && !status; i++) {
        size_t box;

        if (!witness->steps[i].node)
            continue;
        status = dg_node_rows_add(&view->nodes, witness->steps[i].node, &box);
        if (!status && box != SIZE_MAX)
            *DG_APPEND(view->steps, view->n_steps) = box;
    }
    return status;
}

/* A path that leads back to where it began is a cycle; so is one that begins and ends
 * in the same delegate. */
static enum dg_status link_steps(struct dg_finding_view *view)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i + 1 < view->n_steps && !status; i++)
        status = add_step(view, view->steps[i], view->steps[i + 1], false);
    if (view->n_steps > 2 && !status)
        status = add_step(view, view->steps[view->n_steps - 1], view->steps[0], true);
    return status;
}

/* The box that the finding is about: the node that it names, or else the first. */
static void mark_subject(struct dg_finding_view *view)
{
    const struct dg_picture *picture = view->nodes.picture;
    size_t subject = view->steps[0];

    for (size_t i = 0; i < view->n_steps; i++)
        if (picture->boxes[view->steps[i]].node == view->node)
            subject = view->steps[i];
    dg_finding_highlight(view, subject);
}

enum dg_status dg_finding_add_witness(struct dg_finding_view *view)
{
    struct witness witness = {0};
    enum dg_status status = read_witness(view, &witness);

    if (!status && witness.n_steps)
        status = find_nodes(view, &witness);
    if (!status)
        status = add_boxes(view, &witness);
    if (!status)
        status = link_steps(view);
    if (!status && view->n_steps)
        mark_subject(view);
    if (witness.n_more)
        dg_picture_hint(view->nodes.picture,
                        "%zu more steps: --max-boxes %zu shows them", witness.n_more,
                        witness.n_more + witness.n_steps + 20);
    free(witness.steps);
    return status;
}

/* Nodes that `sql` gives for ?1; beyond MOST_NEIGHBOURS they are only counted. */
static enum dg_status list_neighbours(struct dg_finding_view *view, const char *sql,
                                      int64_t *nodes, size_t *n_nodes, size_t *n_more)
{
    struct dg_rows rows =
        dg_rows_of(view->nodes.in.store, sql, view->node, view->nodes.in.err);

    while (dg_rows_next(&rows)) {
        if (*n_nodes < MOST_NEIGHBOURS)
            nodes[(*n_nodes)++] = dg_rows_int(&rows, 0);
        else
            (*n_more)++;
    }
    return dg_rows_close(&rows, DG_OK, view->nodes.in.err);
}

/* Boxes of those of the nodes that there are. */
static enum dg_status add_all(struct dg_finding_view *view, const int64_t *nodes,
                              size_t n_nodes, size_t *boxes, size_t *n_boxes)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n_nodes && !status; i++) {
        status = dg_node_rows_add(&view->nodes, nodes[i], &boxes[*n_boxes]);
        *n_boxes += boxes[*n_boxes] != SIZE_MAX;
    }
    return status;
}

struct neighbours {
    int64_t sources[MOST_NEIGHBOURS], users[MOST_NEIGHBOURS];
    size_t n_sources, n_users, n_more;
};

static enum dg_status draw_neighbours(struct dg_finding_view *view,
                                      const struct neighbours *of)
{
    struct dg_picture *picture = view->nodes.picture;
    size_t sources[MOST_NEIGHBOURS], users[MOST_NEIGHBOURS], node = SIZE_MAX;
    size_t n_sources = 0, n_users = 0;
    enum dg_status status =
        add_all(view, of->sources, of->n_sources, sources, &n_sources);
    bool found;

    if (!status)
        status = dg_node_rows_add(&view->nodes, view->node, &node);
    if (status || node == SIZE_MAX)
        return status;
    picture->boxes[node].n_outside = of->n_more;
    dg_finding_highlight(view, node);
    status = add_all(view, of->users, of->n_users, users, &n_users);
    for (size_t i = 0; i < n_sources && !status; i++)
        status = add_arrow(view, sources[i], node, &found);
    for (size_t i = 0; i < n_users && !status; i++)
        status = add_arrow(view, node, users[i], &found);
    return status;
}

enum dg_status dg_finding_add_neighbours(struct dg_finding_view *view)
{
    struct neighbours of = {0};
    enum dg_status status = list_neighbours(
        view, "SELECT src FROM edge WHERE dst = ?1 GROUP BY src ORDER BY min(pos)",
        of.sources, &of.n_sources, &of.n_more);

    if (!status)
        status = list_neighbours(
            view, "SELECT dst FROM edge WHERE src = ?1 GROUP BY dst ORDER BY dst",
            of.users, &of.n_users, &of.n_more);
    return status ? status : draw_neighbours(view, &of);
}
