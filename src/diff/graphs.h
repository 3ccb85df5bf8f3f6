/* Graphs of one of two programs. */
#ifndef DG_DIFF_GRAPHS_H
#define DG_DIFF_GRAPHS_H

#include <stdbool.h>

#include "base/bytes.h"

struct dg_diff_graph {
    struct dg_text method, path, kind; /* in the memory of the side */
    uint32_t place; /* word: equal in both programs where graphs are one */
    uint32_t method_word;
    uint32_t other; /* row of the graph that it is in the other program; 0: none */
    bool lowered;
};

#endif
