/* Ids of Graphviz objects in the order they are made. Its own are addresses, and it
 * writes subgraphs in the order of ids: each run would give another text. */
#ifndef DG_REPORTS_PICTURE_DOT_IDS_H
#define DG_REPORTS_PICTURE_DOT_IDS_H

#include <cgraph.h>

/* For agopen(). Each name may be used once: nothing is ever looked up. */
extern Agiddisc_t dg_dot_ids;

#endif
