/* A plan on its way into the store, and what is remarked of it there. */
#ifndef DG_PARTITION_PLAN_INSTALL_H
#define DG_PARTITION_PLAN_INSTALL_H

#include "partition/plan_parse.h"
#include "partition/plan_program.h"
#include "partition/plan_rows.h"

struct dg_plan_install {
    struct dg_store *store;
    int64_t artifact;
    struct dg_plan_rows rows;
    const struct dg_plan_method *method; /* the one at hand */
    struct dg_plan_program program;      /* its nodes */
    int suggestions;
    struct dg_arena memory; /* of the method at hand */
};

/* Remarks for rules partition/node-known and partition/tag-known. A plan of another
 * program is one remark, however many nodes it names: */
enum dg_status dg_plan_remark_nodes(struct dg_plan_install *install,
                                    const struct dg_plan_node *first, size_t n,
                                    struct dg_error *err);

/* Names differ between a file and the program in memory: what version 2 says beside
 * them must hold. */
enum dg_status dg_plan_remark_others(struct dg_plan_install *install,
                                     struct dg_error *err);

enum dg_status dg_plan_remark_tag(struct dg_plan_install *install, uint32_t tag,
                                  uint32_t node, struct dg_error *err);
enum dg_status dg_plan_remark_method(struct dg_plan_install *install,
                                     struct dg_error *err);

#endif
