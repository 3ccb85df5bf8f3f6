/* The areas of a tree as lines, parents before their children. */
#ifndef DG_REPORTS_BRANCHES_H
#define DG_REPORTS_BRANCHES_H

#include "reports/page/page.h"

enum { DG_BRANCHES_DEPTH = 72 }; /* no line lies deeper */

struct dg_branch_line {
    size_t area; /* SIZE_MAX: some that are left out */
    size_t depth;
    bool last; /* of its siblings */
    size_t n_left_out;
    int64_t bytes_left_out;
};

struct dg_branches {
    struct dg_branch_line *lines;
    size_t n_lines;
    bool closed[DG_BRANCHES_DEPTH + 1]; /* by depth: nothing of that depth follows */
};

/* What is drawn of it; 0: all. */
struct dg_branch_limits {
    size_t most;  /* children of one parent; not one that would stand alone */
    size_t depth; /* levels */
    bool largest; /* by size, else in their order */
};

void dg_branches_make(struct dg_branches *branches, const struct dg_area *areas,
                      size_t n_areas, const struct dg_branch_limits *limits);

/* What stands before a line's name: "│  └─ ". Lines must be visited in their order. */
void dg_branches_write(struct dg_writer *out, struct dg_branches *branches, size_t line,
                       bool ascii);

void dg_branches_clear(struct dg_branches *branches);

#endif
