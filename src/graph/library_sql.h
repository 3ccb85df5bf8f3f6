/* SQL about the shared objects of a program; views.sql says the same to users. */
#ifndef DG_GRAPH_LIBRARY_SQL_H
#define DG_GRAPH_LIBRARY_SQL_H

/* clang-format off */

/* Functions of the runtime, of library_symbol `s`: others that have no version come from
 * the libraries of its compiler. */
#define DG_SQL_IS_SHIM(s)                                                              \
    "(" s ".kind = 'undefined' AND " s ".version IS NULL"                              \
    " AND (" s ".name GLOB 'aoti_*' OR " s ".name GLOB 'torch_*'))"
#define DG_SQL_N_SHIMS(library)                                                        \
    "(SELECT count(*) FROM library_symbol AS s WHERE s.library_id = " library          \
    "  AND " DG_SQL_IS_SHIM("s") ")"

/* "2.31" as 2031. */
#define DG_SQL_RANK(version)                                                           \
    "(CAST(" version " AS INTEGER) * 1000"                                             \
    " + CAST(substr(" version ", instr(" version ", '.') + 1) AS INTEGER))"

/* The version of glibc that row `v` of library_version must have; NULL: of another
 * library, or the loader goes on without. GLIBC_ABI_DT_RELR is a loader that knows packed
 * relocations; the other two are one that keeps registers as code for it needs. */
#define DG_SQL_GLIBC_OF(v)                                                             \
    "CASE WHEN " v ".weak THEN NULL WHEN " v ".name = 'GLIBC_ABI_DT_RELR' THEN '2.36'"   \
    " WHEN " v ".name IN ('GLIBC_ABI_GNU2_TLS', 'GLIBC_ABI_DT_X86_64_PLT') THEN '2.42'"  \
    " WHEN " v ".name GLOB 'GLIBC_[0-9]*' THEN substr(" v ".name, 7) END"
/* The newest. */
#define DG_SQL_GLIBC(library)                                                          \
    "(SELECT " DG_SQL_GLIBC_OF("v") " AS wanted FROM library_version AS v"             \
    "  WHERE v.library_id = " library " AND wanted IS NOT NULL"                        \
    "  ORDER BY " DG_SQL_RANK("wanted") " DESC LIMIT 1)"
#define DG_SQL_NEEDS(library)                                                          \
    "(SELECT json_group_array(name) FROM (SELECT name FROM library_need"               \
    "  WHERE library_id = " library " ORDER BY pos))"

/* clang-format on */

#endif
