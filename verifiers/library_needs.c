/* What a library needs of a target that nobody is known to bring. */
#include "graph/library_sql.h"
#include "verifiers/library_parts.h"

/* clang-format off */

/* What is linked to a model (libraries in torch/_inductor/cpp_builder.py, and those that
 * they bring), and ExecuTorch's own; libraries of C, C++ and OpenMP by each system. */
#define IS_KNOWN                                                                       \
    "EXISTS (SELECT 1 FROM (VALUES ('libtorch*.so*'), ('libc10*.so*'), ('libaoti_*.so*')," \
    "  ('libexecutorch*.so*'), ('libsleef*.so*'), ('libpython3*.so*'),"                \
    "  ('libc.so*'), ('libm.so*'), ('libdl.so*'), ('librt.so*'), ('libpthread.so*'),"  \
    "  ('libc.musl-*'), ('liblog.so'), ('ld-linux*.so*'), ('ld-musl-*.so*'),"          \
    "  ('ld64.so*'), ('libgcc_s*.so*'), ('libatomic*.so*'), ('libstdc++*.so*'),"       \
    "  ('libc++*.so*'), ('libunwind*.so*'), ('libgomp*.so*'), ('libomp*.so*'),"        \
    "  ('libiomp5*.so*'), ('libmkl_*.so*'), ('libdnnl*.so*'), ('libcu[abdfprs]*.so*'), " \
    "  ('libnv*.so*'), ('libnccl*.so*'), ('libamdhip64*.so*'), ('libhip*.so*'),"       \
    "  ('libroc*.so*'), ('libhsa-*.so*'), ('libMIOpen*.so*'), ('libze_*.so*'),"        \
    "  ('libsycl*.so*'), ('libOpenCL*.so*')) WHERE wanted.name GLOB column1)"

/* Of symbols without a version C++ and drivers of GPUs have theirs, and torch its shims and
 * SLEEF, whose functions the code of vectors calls. Other systems than glibc have no
 * versions. */
#define IS_STRAY                                                                       \
    "s.kind = 'undefined' AND s.version IS NULL AND NOT " DG_SQL_IS_SHIM("s")          \
    " AND s.name NOT GLOB '_Z*' AND s.name NOT GLOB 'cu[A-Z]*'"                        \
    " AND s.name NOT GLOB 'hip[A-Z]*' AND s.name NOT GLOB 'ze[A-Z]*'"                  \
    " AND s.name NOT GLOB 'Sleef_*'"                                                   \
    " AND EXISTS (SELECT 1 FROM library_version AS v"                                  \
    "  WHERE v.library_id = s.library_id AND v.name GLOB 'GLIBC_*')"

const char dg_library_need_query[] =
    "WITH wanted AS (SELECT library_id, name FROM library_need"
    "  UNION SELECT library_id, file FROM library_version WHERE NOT weak),"
    "strange AS (SELECT library_id, name, 'needs' AS verb, 'is no library' AS what FROM wanted"
    "   WHERE NOT " IS_KNOWN
    "  UNION ALL SELECT library_id, name, 'calls', 'has no version and is no function' FROM library_symbol"
    "   AS s WHERE " IS_STRAY "),"
    "numbered AS (SELECT *, row_number() OVER (PARTITION BY library_id, verb ORDER BY name)"
    "   AS number FROM strange)"
    "SELECT artifact_id AS artifact, printf('%s %s %s, which %s of torch, of a compiler or of"
    " a system', " SHORT_NAME("library.name") ", verb, " DG_FIRST(SHORT("numbered.name")) ", what)"
    "   AS message, json_group_array(numbered.name) AS witness FROM numbered"
    "  JOIN library ON library.id = library_id GROUP BY library_id, verb"
    "  ORDER BY library_id, verb DESC";

/* clang-format on */
