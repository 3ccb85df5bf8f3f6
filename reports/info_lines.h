/* The lines of info for people, as queries. */
#ifndef DG_REPORTS_INFO_LINES_H
#define DG_REPORTS_INFO_LINES_H

#include <stdbool.h>

#include "graph/about.h"

#define DG_SQL_OWN_GRAPH "(SELECT id FROM graph WHERE method_id = ?1 AND path = '')"

/* A labelled line: each row is a text, a number of bytes or NULL, and where there is a
 * third column a share of 1, which is a bar on a terminal. */
struct dg_info_line {
    const char *label;
    const char *sql;     /* ?1: id of the method or artifact; NULL: what can be run */
    int most;            /* items shown */
    bool stacked;        /* one line for each */
    enum dg_about about; /* a store without it has no rows */
};

/* Both end with label == NULL. */
extern const struct dg_info_line dg_info_method_lines[], dg_info_artifact_lines[];

#endif
