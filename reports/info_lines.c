/* What info tells of a method and of a file, line by line. */
#include "reports/info_lines.h"

#include "graph/allocator_sql.h"
#include "graph/coverage_sql.h"
#include "graph/device_sql.h"
#include "graph/library_sql.h"
#include "graph/lifetime.h"
#include "graph/profile_sql.h"

#define ALLOCATED DG_SQL_METHOD_ALLOCATOR("?1", DG_SQL_OWN_GRAPH)

/* The first instruction at which most of an arena is live; none without --memory. */
#define PEAK                                                                           \
    "WITH peak AS (SELECT graph_id, arena, min(idx) AS at, bytes FROM (SELECT *,"      \
    "  max(bytes) OVER (PARTITION BY arena) AS most FROM occupancy"                    \
    "   WHERE graph_id = " DG_SQL_OWN_GRAPH ") WHERE bytes = most GROUP BY arena) "

/* sum() fails where the sum is no int64: files may state such sizes. */
#define BYTES "iif(count(nbytes), CAST(total(nbytes) AS INTEGER), NULL)"
#define SIZES "iif(count(size_bytes), CAST(total(size_bytes) AS INTEGER), NULL)"

#define OF_FILE "(SELECT nullif(size_bytes, 0) FROM artifact WHERE id = ?1)"

/* Those that delegates look up under one key are one. */
#define INSIDE_CONSTANTS                                                               \
    "SELECT 'in delegates', max(c.nbytes) FROM delegate_constant AS c"                 \
    " JOIN delegate_graph AS g ON g.id = c.graph_id"                                   \
    " JOIN method ON method.id = g.method_id AND artifact_id = ?1"                     \
    " GROUP BY coalesce(key, g.id || ' ' || c.idx)"

#define STORED(spec)                                                                   \
    "SELECT count(*) || ',', " BYTES " FROM signature"                                 \
    " LEFT JOIN value ON value.id = value_id WHERE signature.graph_id "                \
    "= " DG_SQL_OWN_GRAPH " AND direction = 'input' AND spec = '" spec "' GROUP BY spec"

#define TIMES(what) what " || CASE WHEN count(*) > 1 THEN ' x' || count(*) ELSE '' END"

#define PERCENT(what) "printf('%.1f %%', 100.0 * delegated_" what " / " what ")"

/* clang-format off */
#define DELEGATED                                                                      \
    DG_COVERAGE_SQL ", lines(line) AS (VALUES ('ops'), ('flops'), ('bytes'), ('rest'))"\
    " SELECT CASE line WHEN 'ops' THEN " PERCENT("ops") " || ' of ' || ops || ' ops'"  \
    "  WHEN 'flops' THEN " PERCENT("flops") " || ' of ' || " DG_SQL_ROUNDED("flops")   \
    "   || ' FLOPs' WHEN 'bytes' THEN " PERCENT("bytes") " || ' of'"                   \
    "  ELSE unknown_flops || iif(unknown_flops = 1, ' op', ' ops')"                    \
    "   || ' of unknown FLOPs' END, iif(line = 'bytes', bytes, NULL),"                 \
    " CASE line WHEN 'ops' THEN 1.0 * delegated_ops / ops"                             \
    "  WHEN 'flops' THEN 1.0 * delegated_flops / flops"                                \
    "  WHEN 'bytes' THEN 1.0 * delegated_bytes / bytes END"                            \
    " FROM lines CROSS JOIN coverage WHERE CASE line WHEN 'ops' THEN flops IS NOT NULL"\
    "  WHEN 'flops' THEN flops > 0 WHEN 'bytes' THEN bytes > 0"                        \
    "  ELSE unknown_flops > 0 AND flops IS NOT NULL END"
/* clang-format on */

const struct dg_info_line dg_info_method_lines[] = {
    {"parameters", STORED("parameter"), 1, false, DG_ABOUT_FX},
    {"buffers", STORED("buffer"), 1, false, DG_ABOUT_FX},
    {"constants", STORED("constant_tensor"), 1, false, DG_ABOUT_FX},
    {"mutates",
     "SELECT coalesce(target, name), NULL FROM signature WHERE graph_id = " DG_SQL_OWN_GRAPH
     " AND direction = 'output' AND spec GLOB '*mutation' ORDER BY pos",
     6, false, DG_ABOUT_FX},
    {"symbols",
     "SELECT symbol || ' in ' || coalesce(min, '-inf') || '..' || coalesce(max, 'inf'),"
     " NULL FROM range_constraint WHERE graph_id = " DG_SQL_OWN_GRAPH " ORDER BY symbol",
     6, false, DG_ABOUT_SYMBOL},
    {"graphs",
     "SELECT CASE WHEN path = '' THEN '(its own)' ELSE path END || ' ' ||"
     " (SELECT count(*) FROM node WHERE graph_id = graph.id) || ' nodes', NULL"
     " FROM graph WHERE method_id = ?1 AND (SELECT ir FROM method WHERE id = ?1) <> "
     "'pte'"
     " ORDER BY id",
     6, false, DG_ABOUT_FX},
    {"instructions",
     "SELECT count(*) || ' ' || replace(kind, '_', ' ') ||"
     " CASE count(*) WHEN 1 THEN '' ELSE 's' END, NULL FROM node"
     " WHERE graph_id = " DG_SQL_OWN_GRAPH " AND kind IN ('kernel_call', 'delegate_call',"
     " 'move_call', 'jump_false_call', 'free_call', 'unknown')"
     " GROUP BY kind ORDER BY count(*) DESC, kind",
     9, false},
    {"operators",
     "SELECT " TIMES(
         "op.name") ", NULL FROM node JOIN op ON op.id = op_id"
                    " JOIN graph ON graph.id = graph_id WHERE method_id = ?1"
                    " AND node.kind IN ('call_function', 'kernel_call')"
                    " GROUP BY op_id ORDER BY count(*) DESC, op.name",
     10, false},
    {"values",
     "SELECT count(*) || ' ' || kind, NULL FROM value WHERE graph_id = " DG_SQL_OWN_GRAPH
     " GROUP BY kind ORDER BY count(*) DESC, kind",
     11, false},
    {"tensors",
     "SELECT count(*) || ' ' || storage, " BYTES " FROM value"
     " WHERE graph_id = " DG_SQL_OWN_GRAPH " AND storage IS NOT NULL"
     " GROUP BY storage ORDER BY total(nbytes) DESC, storage",
     6, false},
    {"delegates",
     "SELECT idx || ' ' || coalesce(backend, '(no backend)') || ', called ' ||"
     " (SELECT count(*) FROM node WHERE delegate_id = delegate.id AND"
     "  kind IN ('delegate_call', 'call_function')) || 'x,' ||"
     " coalesce((SELECT ' ' || count(*) || iif(count(*) = 1, ' node', ' nodes') || ','"
     "   FROM delegate_node AS own WHERE own.graph_id = delegate.inside_id"
     "   HAVING count(*) > 0), '')"
     " || coalesce(' ' || location"
     " || ' blob', ' no blob'), blob_bytes, 1.0 * blob_bytes / (SELECT size_bytes"
     "  FROM artifact JOIN method ON artifact_id = artifact.id WHERE method.id = ?1)"
     " FROM delegate WHERE method_id = ?1"
     " ORDER BY idx",
     8, true, DG_ABOUT_HANDED},
    {"crossings",
     "WITH " DG_SQL_CROSSINGS "SELECT printf('%d %s %s', count(*), iif(count(*) = 1,"
     "  'copy', 'copies'), iif(to_device, 'to ' || device, 'from ' || device || ' to"
     " the host')), " BYTES " FROM crossings GROUP BY to_device, device"
     " ORDER BY to_device DESC, device",
     8, false, DG_ABOUT_DEVICE},
    {"delegated", DELEGATED, 4, false, DG_ABOUT_CALL_SUM},
    {"program", /* which has other ops than the .pte that became of it */
     DG_PROGRAM_SHARE_OF("= ?1") " SELECT percent || ' of ' || whole ||"
                                 "  iif(what = 'Ops', ' delegated', ''), NULL, share"
                                 " FROM shares",
     2, false, DG_ABOUT_PROGRAM_FILE},
    {"findings", "SELECT severity || ': ' || message, NULL FROM " DG_PAIR_FINDINGS, 8,
     true, DG_ABOUT_PROGRAM_FILE},
    {"runs",
     "WITH " DG_HOST_OF("= ?1") " SELECT words || iif(host_flops > 0, ' (' ||"
     "  " DG_SQL_ROUNDED("host_flops") " || ' FLOPs)', ''), NULL FROM host"
     " WHERE delegates > 0 AND " DG_SQL_HAS_COSTS,
     1, false, DG_ABOUT_DELEGATE_CALL},
    {"can be run", NULL, 6, false},
    {"memory",
     "SELECT 'arena ' || idx || ' on ' || device, size_bytes FROM arena"
     " WHERE method_id = ?1 AND (idx > 0 OR size_bytes > 0) ORDER BY idx",
     8, false},
    {"not in that",
     "SELECT * FROM (SELECT 'what loading allocates: about', " ALLOCATED
     " UNION ALL SELECT DISTINCT 'what delegates allocate', NULL FROM delegate"
     "  WHERE method_id = ?1 UNION ALL SELECT 'the file:', size_bytes FROM artifact"
     "  WHERE id = (SELECT artifact_id FROM method WHERE id = ?1))"
     " WHERE EXISTS (SELECT 1 FROM occupancy WHERE graph_id = " DG_SQL_OWN_GRAPH ")",
     3, false, DG_ABOUT_OCCUPANCY},
    {"peak",
     PEAK "SELECT 'arena ' || arena || ' at ' || node.name ||"
          " coalesce(' (' || coalesce(op.name, backend) || ')', '') ||"
          " coalesce(printf(', %.1f %% of it', 100.0 * bytes / nullif(size_bytes, 0)),"
          "  '') || ':', bytes, 1.0 * bytes / nullif(size_bytes, 0)"
          " FROM peak JOIN node ON node.graph_id = peak.graph_id AND node.idx = at"
          " LEFT JOIN op ON op.id = op_id"
          " LEFT JOIN delegate ON delegate.id = delegate_id"
          " LEFT JOIN arena ON arena.method_id = ?1 AND arena.idx = peak.arena"
          " ORDER BY arena",
     8, true, DG_ABOUT_OCCUPANCY},
    {"live there",
     PEAK "SELECT 'arena ' || arena || ' value ' || value.idx ||"
          " coalesce(' ' || value.name, '') || ' ' || coalesce(value.dtype, '') ||"
          " coalesce(value.shape, '') || iif(" DG_SQL_IS_STATE ", ' (state)', '') ||"
          " coalesce(' moved to value ' || via.idx, ''),"
          " value.nbytes"
          " FROM peak JOIN lifetime ON at BETWEEN first AND last"
          " JOIN value ON value.id = value_id AND value.graph_id = peak.graph_id"
          "  AND value.mem_id = arena LEFT JOIN value AS via ON via.id = via_id"
          " ORDER BY arena, value.nbytes DESC, value.id",
     8, true, DG_ABOUT_OCCUPANCY},
    {"measured",
     "SELECT printf('%lld run%s, median %s (%s to %s)', n, iif(n = 1, '', 's'),"
     "  " DG_SQL_TIME("median") ", " DG_SQL_TIME("least") ", " DG_SQL_TIME("most") "), NULL"
     " FROM (SELECT n, min(took) AS least, max(took) AS most,"
     "   avg(CASE WHEN at IN ((n + 1) / 2, (n + 2) / 2) THEN took END) AS median"
     "  FROM (SELECT took, row_number() OVER (ORDER BY took) AS at, count(*) OVER () AS n"
     "    FROM v_profile WHERE method_id = ?1 AND took >= 0) HAVING count(*) > 0)",
     1, false, DG_ABOUT_PROFILE},
    {"slowest",
     "SELECT printf('%s %s %s (%.1f %%)', node, coalesce(op, backend, ''),"
     "  " DG_SQL_TIME("median") ", 100.0 * median / nullif(total(median) OVER (), 0)), NULL"
     " FROM v_timing WHERE part IS NULL AND node_id IN (SELECT id FROM node"
     "  WHERE graph_id = " DG_SQL_OWN_GRAPH ") ORDER BY median DESC, node_id",
     5, true, DG_ABOUT_PROFILE},
    {0},
};

const struct dg_info_line dg_info_artifact_lines[] = {
    {"weights",
     "SELECT count(*) || ' ' || kind, " BYTES ", total(nbytes) / " OF_FILE
     " FROM (SELECT kind, nbytes FROM constant WHERE artifact_id = ?1"
     "  AND kind <> 'reserved' UNION ALL " INSIDE_CONSTANTS ")"
     " GROUP BY kind ORDER BY total(nbytes) DESC, kind",
     6, false, DG_ABOUT_WEIGHT},
    {"segments",
     "SELECT count(*) || ' ' || replace(kind, '_', ' '), " SIZES ","
     " total(size_bytes) / " OF_FILE " FROM segment"
     " WHERE artifact_id = ?1 GROUP BY kind ORDER BY "
     "total(size_bytes) DESC, kind",
     10, false},
    {"named data",
     "SELECT count(*) || CASE count(*) WHEN 1 THEN ' entry' ELSE ' entries' END,"
     " " SIZES " FROM named_data WHERE artifact_id = ?1 GROUP BY artifact_id",
     1, false, DG_ABOUT_NAMED_DATA},
    {"libraries",
     "SELECT printf('%lld for %s%s%s%s,', count(*), what, coalesce(', glibc ' ||"
     "  substr(max(printf('%8d', " DG_SQL_RANK("glibc") ") || glibc), 9), ''),"
     " iif(total(shims), printf(', %d %s of the runtime', total(shims),"
     "  iif(total(shims) = 1, 'function', 'functions')), ''),"
     " coalesce(', constants ' || group_concat(DISTINCT weights), '')), " BYTES
     " FROM (SELECT coalesce(machine, format) AS what, nbytes, weights, "
     DG_SQL_GLIBC("library.id") " AS glibc, " DG_SQL_N_SHIMS("library.id") " AS shims"
     "  FROM library WHERE artifact_id = ?1) GROUP BY what ORDER BY what",
     4, true, DG_ABOUT_LIBRARY},
    {"GPU code",
     "SELECT printf('%s for %s,', iif(names = 1, name, names || ' kernels'), target), nbytes"
     " FROM (SELECT code.format, coalesce(iif(code.format = 'ptx', 'PTX of ', '') || target,"
     "   code.format) AS target, CAST(substr(target, 4) AS INTEGER) AS number,"
     "   coalesce(min(kernel.name), min(code.name)) AS name,"
     "   count(DISTINCT coalesce(kernel.name, code.name)) AS names, (SELECT"
     "    CAST(total(nbytes) AS INTEGER) FROM gpu_code AS c WHERE c.artifact_id = ?1"
     "    AND c.format = code.format AND c.target IS code.target) AS nbytes"
     "  FROM gpu_code AS code LEFT JOIN gpu_kernel AS kernel ON code_id = code.id"
     "  WHERE code.artifact_id = ?1 GROUP BY code.format, code.target)"
     " ORDER BY format, number, target",
     12, true, DG_ABOUT_LIBRARY},
    {"measured",
     "SELECT printf('%lld run%s of %s', count(*), iif(count(*) = 1, '', 's'),"
     "  coalesce(method, name, 'no name')), NULL FROM v_profile WHERE artifact_id = ?1"
     " GROUP BY coalesce(method, name) ORDER BY min(idx)",
     8, false, DG_ABOUT_PROFILE},
    {"remarks",
     "SELECT count(*) || ' for ' || rule, NULL FROM remark WHERE artifact_id = ?1"
     " GROUP BY rule ORDER BY rule",
     6, false},
    {0},
};
