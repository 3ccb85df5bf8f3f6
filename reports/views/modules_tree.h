/* The modules of a program as a tree, and which of them repeat another. */
#ifndef DG_REPORTS_VIEWS_MODULES_TREE_H
#define DG_REPORTS_VIEWS_MODULES_TREE_H

#include "base/text_set.h"
#include "reports/views/placement.h"

struct dg_module {
    struct dg_text fqn, type;
    uint32_t parent;  /* of the root itself */
    uint32_t level;   /* the root is on level 0 */
    int64_t number;   /* "layers.7": 7; -1: none */
    uint32_t n_nodes; /* of it and all modules inside */
    uint64_t hash;    /* of these nodes: operators, results, backends */
    uint32_t model;   /* the first of its numbered siblings that is the same */
    uint32_t run;     /* first of the neighbours that repeat others, too; itself where
                         it repeats none */
    uint32_t n_run;   /* how many they are, with it; at the first of them */
    uint32_t last;    /* likewise: the last of them */
};

/* Item 0 is the root. Parents stand before what is inside of them. */
struct dg_modules {
    struct dg_module *items;
    uint32_t n_items, n_levels;
    uint32_t *of_row; /* of table module; rows that are not known: the root */
    uint32_t n_rows;
    struct dg_text_set names;
    struct dg_arena memory;
};

/* Clear *modules in any case. */
enum dg_status dg_modules_read(struct dg_modules *modules,
                               const struct dg_placement *placement,
                               const struct dg_view_input *in);
void dg_modules_clear(struct dg_modules *modules);

/* The innermost module that "layers.0.attn.weight" is in, or the root. */
uint32_t dg_module_around(const struct dg_modules *modules, struct dg_text name);

/* The module of a node. */
uint32_t dg_module_of(const struct dg_modules *modules,
                      const struct dg_skeleton *skeleton, uint32_t node);

/* Say in each part how many of its operators run where, if anything is delegated. */
void dg_tell_places(struct dg_clusters *clusters, const struct dg_placement *placement);

#endif
