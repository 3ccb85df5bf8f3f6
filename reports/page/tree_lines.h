/* The areas of a tree as lines, parents before their children. */
#ifndef DG_REPORTS_TREE_LINES_H
#define DG_REPORTS_TREE_LINES_H

#include "reports/page/page.h"

enum { DG_TREE_LINES_DEPTH = 72 }; /* no line lies deeper */

struct dg_tree_line {
    size_t area; /* SIZE_MAX: some that are left out */
    size_t depth;
    bool last; /* of its siblings */
    size_t n_left_out;
    int64_t bytes_left_out;
};

struct dg_tree_lines {
    struct dg_tree_line *lines;
    size_t n_lines;
    bool closed[DG_TREE_LINES_DEPTH + 1]; /* by depth: nothing of that depth follows */
};

/* What is drawn of it; 0: all. */
struct dg_tree_limits {
    size_t most;  /* children of one parent; not one that would stand alone */
    size_t depth; /* levels */
    bool largest; /* by size, else in their order */
};

void dg_tree_lines_make(struct dg_tree_lines *branches, const struct dg_area *areas,
                        size_t n_areas, const struct dg_tree_limits *limits);

/* What stands before a line's name: "│  └─ ". Lines must be visited in their order. */
void dg_tree_lines_write(struct dg_writer *out, struct dg_tree_lines *branches,
                         size_t line, bool ascii);

void dg_tree_lines_clear(struct dg_tree_lines *branches);

#endif
