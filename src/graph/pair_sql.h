/* Which model of a program a method of a .pte was made from, as SQL. */
#ifndef DG_GRAPH_PAIR_SQL_H
#define DG_GRAPH_PAIR_SQL_H

/* Methods of the .pte and models of the program that have one name, or are the only
 * ones. */
#define DG_SQL_PAIRED                                                                  \
    "SELECT p.id AS pte_method, pg.id AS pte_graph, m.id AS method, mg.id AS graph,"   \
    "   m.ir"                                                                          \
    "  FROM artifact AS prog JOIN method AS m ON m.artifact_id = prog.id"              \
    "  JOIN \"graph\" AS mg ON mg.method_id = m.id AND mg.kind = 'method'"             \
    "  JOIN method AS p ON p.artifact_id = prog.companion_of"                          \
    "  JOIN \"graph\" AS pg ON pg.method_id = p.id"                                    \
    " WHERE prog.role = 'program' AND (p.name = m.name"                                \
    "   OR ((SELECT count(*) FROM method WHERE artifact_id = prog.id) = 1"             \
    "   AND (SELECT count(*) FROM method WHERE artifact_id = prog.companion_of) = 1))"

#endif
