/* The JSON of a plan file, before it meets a program. */
#ifndef DG_PARTITION_PLAN_PARSE_H
#define DG_PARTITION_PLAN_PARSE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text_set.h"

struct dg_plan_spec {
    struct dg_text key, value;
};

struct dg_plan_delegate {
    uint32_t tag;
    struct dg_text backend; /* data NULL: null */
    struct dg_plan_spec *specs;
    size_t n_specs;
};

struct dg_plan_node {
    struct dg_text name; /* "node" or "path/node" */
    uint32_t tag;
};

/* What version 2 says of a node; what it leaves out is not compared. */
struct dg_plan_known {
    struct dg_text name;
    struct dg_text op; /* data NULL: no call */
    int64_t position;
    bool has_op, has_position;
};

struct dg_plan_method {
    struct dg_text name;
    struct dg_text_set tags;
    struct dg_plan_delegate *delegates; /* in the order of lowering */
    size_t n_delegates;
    struct dg_plan_node *nodes;
    size_t n_nodes;
    struct dg_plan_known *known;
    size_t n_known;
};

struct dg_plan_text {
    int64_t version;
    struct dg_text program_sha256; /* data NULL: any program */
    struct dg_plan_method *methods;
    size_t n_methods;
    struct dg_arena memory;
};

/* Texts lie in `text` or in out->memory. Clear *out whether or not this succeeds. */
enum dg_status dg_plan_parse(struct dg_plan_text *out, struct dg_text text,
                             const char *path, struct dg_error *err);
void dg_plan_text_clear(struct dg_plan_text *plan);

#endif
