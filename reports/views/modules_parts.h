/* The modules view while it is built: which module is drawn as what. */
#ifndef DG_REPORTS_VIEWS_MODULES_PARTS_H
#define DG_REPORTS_VIEWS_MODULES_PARTS_H

#include "reports/views/modules_tree.h"

enum dg_module_how {
    DG_MODULE_INSIDE,
    DG_MODULE_OPEN,
    DG_MODULE_CLOSED,
    DG_MODULE_BLOCK
};

struct dg_module_shown { /* of a module */
    enum dg_module_how how;
    uint32_t by; /* the module whose box shows it */
};

struct dg_module_place { /* the newest part of a module */
    uint32_t method, part;
};

struct dg_modules_view {
    struct dg_picture *picture;
    struct dg_view_input in;
    struct dg_skeleton skeleton;
    struct dg_placement placement;
    struct dg_modules modules;
    struct dg_clusters clusters;
    uint32_t depth;
    bool *parent;                   /* of each module: modules with nodes are inside */
    struct dg_module_shown *shown;  /* by module */
    struct dg_module_place *places; /* by module */
    uint32_t *key_of;               /* by node: its method and module */
    uint32_t *module_of;            /* by part */
    size_t n_blocks, n_folded;
};

/* Title, note and command of a part that stands for a module. */
void dg_modules_describe(struct dg_modules_view *view, uint32_t part, uint32_t module);

/* Boxes of open modules, which levels made, and delegates; fills module_of. */
void dg_modules_describe_rest(struct dg_modules_view *view);

/* Titles without what the frames around them say. */
void dg_modules_shorten_names(struct dg_modules_view *view);

/* The open module that a part lies in; 0: the root. */
uint32_t dg_modules_outer(const struct dg_modules_view *view, uint32_t part);

#endif
