/* What breaks the rules of a plan: boxes, the arrows of a cycle, and the findings. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

#include "base/sorted.h"

enum { MOST_FINDINGS = 6 }; /* below a picture */

#define PLAN_FINDINGS(more)                                                            \
    " FROM finding JOIN graph ON graph.id = finding.graph_id"                          \
    " JOIN method ON method.id = graph.method_id" more                                 \
    " WHERE severity = 'error' AND (rule GLOB 'partition/*' OR rule GLOB 'constant/*'" \
    "   OR rule GLOB 'control-flow/*' OR rule GLOB 'cuda/*') AND" DG_VIEW_CHOSEN

/* A weight that offends gets a box of its own. */
static void highlight(struct dg_picture *picture, size_t at, struct dg_text rule)
{
    struct dg_box *box = &picture->boxes[at];

    if (box->highlighted)
        return;
    box->highlighted = true;
    if (box->fold == DG_FOLD_CONSTANT)
        box->fold = DG_FOLD_NOT;
    dg_box_say(picture, box, "\xe2\x9c\x97 %s", rule.data);
}

/* Where there is a witness its nodes offend, and not the one that was named for all. */
static enum dg_status load_findings(struct dg_box_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    struct dg_rows rows;

    dg_view_open(&rows, loading->in,
                 "SELECT finding.rule, finding.message,"
                 "  iif(json_valid(witness) AND json_array_length(witness) > 0, "
                 "NULL, node_id)" PLAN_FINDINGS("") " ORDER BY finding.id");
    while (dg_rows_next(&rows)) {
        size_t box = dg_boxes_find(loading, dg_rows_int(&rows, 2));

        if (box != SIZE_MAX)
            highlight(picture, box, dg_rows_keep(&picture->memory, &rows, 0));
        if (picture->n_findings++ < MOST_FINDINGS)
            *DG_APPEND(picture->told, picture->n_told) =
                dg_format(&picture->memory, "%s: %s", dg_rows_text(&rows, 0),
                          dg_rows_text(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

struct step { /* of a witness, from one box to the next */
    size_t from, to;
};

struct route {
    struct step *steps;
    size_t n_steps;
    int64_t finding;
    size_t first, last; /* boxes; SIZE_MAX: none */
};

/* A witness of a cycle leads back to where it began. */
static void close_route(struct route *route)
{
    if (route->finding && route->first != SIZE_MAX && route->first != route->last)
        *DG_APPEND(route->steps, route->n_steps) =
            (struct step){route->last, route->first};
}

static void follow(struct dg_picture *picture, struct route *route, int64_t finding,
                   size_t box, struct dg_text rule)
{
    if (route->finding != finding) {
        close_route(route);
        route->finding = finding;
        route->first = route->last = SIZE_MAX;
    }
    if (box == SIZE_MAX)
        return;
    highlight(picture, box, rule);
    if (route->last != SIZE_MAX)
        *DG_APPEND(route->steps, route->n_steps) = (struct step){route->last, box};
    else
        route->first = box;
    route->last = box;
}

/* Names are looked up in one pass over the nodes, however many there are. */
static const char routes_sql[] =
    "WITH step AS MATERIALIZED (SELECT finding.id, finding.graph_id, "
    "rule, item.key,"
    "   item.value AS name" PLAN_FINDINGS(
        " JOIN json_each(iif(json_valid(witness), witness, '[]')) AS "
        "item") "),"
                " named AS MATERIALIZED (SELECT id, graph_id, name FROM "
                "node"
                "   WHERE name IN (SELECT name FROM step))"
                " SELECT step.id, named.id, step.rule FROM step"
                " LEFT JOIN named ON named.graph_id = step.graph_id AND "
                "named.name = step.name"
                " ORDER BY step.id, step.key";

static enum dg_status load_routes(struct dg_box_loading *loading, struct route *route)
{
    struct dg_rows rows;

    dg_view_open(&rows, loading->in, routes_sql);
    while (dg_rows_next(&rows))
        follow(loading->picture, route, dg_rows_int(&rows, 0),
               dg_boxes_find(loading, dg_rows_int(&rows, 1)),
               dg_rows_keep(&loading->picture->memory, &rows, 2));
    close_route(route);
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

static int by_step(const void *left, const void *right)
{
    const struct step *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

enum dg_status dg_boxes_load_findings(struct dg_box_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    struct route route = {.first = SIZE_MAX, .last = SIZE_MAX};
    enum dg_status status = load_findings(loading);

    if (!status && picture->n_findings)
        status = load_routes(loading, &route);
    dg_sort(route.steps, route.n_steps, sizeof(*route.steps), by_step);
    for (size_t i = 0; route.n_steps && i < picture->n_links; i++) {
        struct step step = {picture->links[i].from, picture->links[i].to};

        picture->links[i].highlighted =
            dg_search(&step, route.steps, route.n_steps, sizeof(step), by_step) != NULL;
    }
    free(route.steps);
    return status;
}
