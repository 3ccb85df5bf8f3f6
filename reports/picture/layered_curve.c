/* Links of the plain layout as curves. */
#include "reports/picture/layered.h"
#include "reports/picture/layout.h"

static void bend(struct dg_curve *curve, struct dg_point first, struct dg_point second,
                 struct dg_point end)
{
    struct dg_point *at = curve->points + curve->n_points;

    at[0] = first;
    at[1] = second;
    at[2] = end;
    curve->n_points += 3;
}

/* Leaves downward and arrives downward. */
static void fall(struct dg_curve *curve, struct dg_point to)
{
    struct dg_point from = curve->points[curve->n_points - 1];
    double half = to.y > from.y ? (to.y - from.y) / 2 : DG_ROW_GAP / 2;

    bend(curve, (struct dg_point){from.x, from.y + half},
         (struct dg_point){to.x, to.y - half}, to);
}

static struct dg_point middle_of_last(const struct dg_curve *curve)
{
    const struct dg_point *p = curve->points + curve->n_points - 4;

    return (struct dg_point){(p[0].x + 3 * p[1].x + 3 * p[2].x + p[3].x) / 8,
                             (p[0].y + 3 * p[1].y + 3 * p[2].y + p[3].y) / 8};
}

/* Straight through all rows where the way has the same x. */
static size_t end_of_straight(const struct dg_curve *way, size_t at)
{
    while (at + 2 < way->n_points && way->points[at + 2].x - way->points[at].x < 1 &&
           way->points[at].x - way->points[at + 2].x < 1)
        at += 2;
    return at;
}

static void follow(struct dg_curve *curve, const struct dg_curve *way)
{
    for (size_t i = 0; i + 1 < way->n_points; i += 2) {
        struct dg_point top = way->points[i], end;

        i = end_of_straight(way, i);
        end = way->points[i + 1];
        fall(curve, top);
        if (curve->n_points == 4)
            curve->label = middle_of_last(curve);
        if (end.y > top.y)
            fall(curve, (struct dg_point){top.x, end.y});
    }
}

void dg_curve_bend(struct dg_curve *curve, const struct dg_curve *way,
                   const struct dg_rect *from, const struct dg_rect *to,
                   struct dg_arena *memory)
{
    struct dg_point start = {from->x + from->w / 2, from->y + from->h};
    struct dg_point end = {to->x + to->w / 2, to->y};

    curve->points = dg_alloc(memory, 4 + 3 * way->n_points, sizeof(*curve->points));
    curve->n_points = 1;
    if (end.y >= start.y) {
        curve->points[0] = start;
        follow(curve, way);
        fall(curve, end);
    } else {
        double right =
            from->x + from->w > to->x + to->w ? from->x + from->w : to->x + to->w;
        double side = way->n_points && way->points[0].x > right ? way->points[0].x
                                                                : right + DG_ROW_GAP;

        start = (struct dg_point){from->x + from->w, from->y + from->h / 2};
        end = (struct dg_point){to->x + to->w, to->y + to->h / 2};
        curve->points[0] = start;
        bend(curve, (struct dg_point){side, start.y}, (struct dg_point){side, end.y},
             end);
    }
    if (curve->n_points == 4)
        curve->label = middle_of_last(curve);
}
