/* SQL for the one line of Python that is told of a node; v_node says the same to users. */
#ifndef DG_STORE_LINE_SQL_H
#define DG_STORE_LINE_SQL_H

/* clang-format off */

/* Of torch itself: what it generates, and its packages. Models that executorch brings as
 * examples are somebody's program all the same. */
#define DG_SQL_IS_TORCHS(path)                                                         \
    "(" path " LIKE '<eval_with_key>%' OR " path " LIKE '%-packages/torch/%'"          \
    " OR " path " LIKE '%-packages/torchao/%' OR " path                                \
    " LIKE '%-packages/executorch/%'"                                                  \
    "  AND " path " NOT LIKE '%-packages/executorch/examples/%')"

/* What follows the columns of `frame`: the innermost frame of a trace that is not torch's,
 * and if there is one, none that was typed in or generated. */
#define DG_SQL_OF_LINE(trace)                                                          \
    " FROM frame WHERE trace_id = " trace                                              \
    " AND NOT " DG_SQL_IS_TORCHS("replace(file, '\\', '/')")                           \
    " ORDER BY file GLOB '<*', pos DESC LIMIT 1"

/* "model/attention.py:88", as the trace has it */
#define DG_SQL_LINE(trace)                                                             \
    "(SELECT file || coalesce(':' || line, '')" DG_SQL_OF_LINE(trace) ")"

/* "model.py:88" */
#define DG_SQL_SHORT_LINE(trace)                                                       \
    "(SELECT replace(file, rtrim(file, replace(file, '/', '')), '')"                   \
    " || coalesce(':' || line, '')" DG_SQL_OF_LINE(trace) ")"

/* clang-format on */

#endif
