/* A view chooses what of a program one picture shows: nodes, modules, partitions...
 * It never changes the store. */
#ifndef DG_REPORTS_VIEWS_VIEW_H
#define DG_REPORTS_VIEWS_VIEW_H

#include "reports/picture/picture.h"
#include "store/store.h"

/* What to draw; each view documents what it heeds. */
struct dg_view_options {
    const char *method; /* NULL: all */
    const char *graph;  /* path; it and what is in it; NULL: all */
    int64_t artifact;   /* which one; 0: all */
    const char *path;   /* of the file, as commands name it: quoted for a shell;
                           NULL: FILE */
    const char *around; /* node name; NULL: the whole graph */
    int hops;           /* neighbourhood of `around` */
    const char *module; /* fully qualified name; only it, and the borders of its
                           neighbours; NULL: all */
    int64_t finding;    /* of view "finding": row of table finding */
    int depth;          /* of view "modules": levels; 0: as many as fit */
    int max_boxes;      /* collapse beyond; 0: the default, 300 */
    bool no_plan;       /* draw modules only, not the partitions of a plan */
    bool no_fold;       /* repeated blocks and chains of views one by one */
};

enum { DG_VIEW_BOXES = 300 }; /* unless asked for otherwise */

/* Which rules have to run before a view is built. */
enum dg_view_findings {
    DG_FINDINGS_NONE,
    DG_FINDINGS_OF_PLANS, /* families partition, constant, control-flow, cuda */
    DG_FINDINGS_ALL,      /* row N of table finding means the same as in `check` */
};

/* Fill *picture, which is empty, with at most max_boxes boxes that are drawn. Fails
 * with DG_ERR_USAGE where what was asked for is not in the program, naming the nearest.
 */
struct dg_view {
    const char *name;    /* as --view takes it */
    const char *summary; /* what it shows, in one line */
    enum dg_view_findings wants_findings;
    enum dg_status (*build)(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options,
                            struct dg_error *err);
};

#define VIEW(name) extern const struct dg_view dg_view_##name;
#include "reports/views/list.h"
#undef VIEW

extern const struct dg_view *const dg_views[]; /* ends with NULL */

const struct dg_view *dg_view_find(const char *name); /* NULL if there is none */

/* How many boxes a view may draw: what was asked for, less the legend. */
size_t dg_view_room(const struct dg_picture *picture,
                    const struct dg_view_options *options);

#endif
