/* SQL words about what ETDumps measured. */
#ifndef DG_GRAPH_PROFILE_SQL_H
#define DG_GRAPH_PROFILE_SQL_H

/* 12345 nanoseconds are 12.3 us; NULL stays NULL. */
#define DG_SQL_TIME(ns)                                                                \
    "CASE WHEN " ns " < 1e3 THEN printf('%.0f ns', " ns ") WHEN " ns                   \
    " < 1e6 THEN printf('%.1f us', " ns " / 1e3) WHEN " ns                             \
    " < 1e9 THEN printf('%.1f ms', " ns " / 1e6) WHEN " ns                             \
    " IS NOT NULL THEN printf('%.2f s', " ns " / 1e9) END"

#endif
