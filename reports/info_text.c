/* info for people: signatures first, then what runs, then where the bytes are. */
#include "base/quantity.h"
#include "graph/library_sql.h"
#include "graph/about.h"
#include "graph/allocator_sql.h"
#include "graph/coverage_sql.h"
#include "graph/device_sql.h"
#include "graph/lifetime.h"
#include "graph/promise_sql.h"
#include "reports/page/text_drawing.h"
#include "reports/report.h"
#include "reports/rows.h"

enum { MOST_BOUNDARIES = 12, LABEL = 14, BAR = 10 };

/* A labelled line: each row is a text, a number of bytes or NULL, and where there is a
 * third column a share of 1, which is a bar on a terminal. */
struct line {
    const char *label;
    const char *sql;     /* ?1: id of the method or artifact */
    int most;            /* items shown */
    bool stacked;        /* one line for each */
    enum dg_about about; /* a store without it has no rows */
};

struct info {
    struct dg_writer *out;
    struct dg_store *store;
    const struct dg_report_options *options;
    bool has[DG_N_ABOUT];
    struct dg_error *err;
};

#define OWN_GRAPH "(SELECT id FROM graph WHERE method_id = ?1 AND path = '')"

#define ALLOCATED DG_SQL_METHOD_ALLOCATOR("?1", OWN_GRAPH)

/* The first instruction at which most of an arena is live; none without --memory. */
#define PEAK                                                                           \
    "WITH peak AS (SELECT graph_id, arena, min(idx) AS at, bytes FROM (SELECT *,"      \
    "  max(bytes) OVER (PARTITION BY arena) AS most FROM occupancy"                    \
    "   WHERE graph_id = " OWN_GRAPH ") WHERE bytes = most GROUP BY arena) "

/* sum() fails where the sum is no int64: files may state such sizes. */
#define BYTES "iif(count(nbytes), CAST(total(nbytes) AS INTEGER), NULL)"
#define SIZES "iif(count(size_bytes), CAST(total(size_bytes) AS INTEGER), NULL)"

#define OF_FILE "(SELECT nullif(size_bytes, 0) FROM artifact WHERE id = ?1)"

#define STORED(spec)                                                                   \
    "SELECT count(*) || ',', " BYTES " FROM signature"                                 \
    " LEFT JOIN value ON value.id = value_id WHERE signature.graph_id "                \
    "= " OWN_GRAPH " AND direction = 'input' AND spec = '" spec "' GROUP BY spec"

#define TIMES(what) what " || CASE WHEN count(*) > 1 THEN ' x' || count(*) ELSE '' END"

#define PERCENT(what) "printf('%.1f %%', 100.0 * delegated_" what " / " what ")"

static const struct line method_lines[] = {
    {"parameters", STORED("parameter"), 1, false},
    {"buffers", STORED("buffer"), 1, false},
    {"constants", STORED("constant_tensor"), 1, false},
    {"mutates",
     "SELECT coalesce(target, name), NULL FROM signature WHERE graph_id = " OWN_GRAPH
     " AND direction = 'output' AND spec GLOB '*mutation' ORDER BY pos",
     6, false},
    {"symbols",
     "SELECT symbol || ' in ' || coalesce(min, '-inf') || '..' || coalesce(max, 'inf'),"
     " NULL FROM range_constraint WHERE graph_id = " OWN_GRAPH " ORDER BY symbol",
     6, false},
    {"graphs",
     "SELECT CASE WHEN path = '' THEN '(its own)' ELSE path END || ' ' ||"
     " (SELECT count(*) FROM node WHERE graph_id = graph.id) || ' nodes', NULL"
     " FROM graph WHERE method_id = ?1 AND (SELECT ir FROM method WHERE id = ?1) <> "
     "'pte'"
     " ORDER BY id",
     6, false},
    {"instructions",
     "SELECT count(*) || ' ' || replace(kind, '_', ' ') ||"
     " CASE count(*) WHEN 1 THEN '' ELSE 's' END, NULL FROM node"
     " WHERE graph_id = " OWN_GRAPH " AND kind IN ('kernel_call', 'delegate_call',"
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
     "SELECT count(*) || ' ' || kind, NULL FROM value WHERE graph_id = " OWN_GRAPH
     " GROUP BY kind ORDER BY count(*) DESC, kind",
     11, false},
    {"tensors",
     "SELECT count(*) || ' ' || storage, " BYTES " FROM value"
     " WHERE graph_id = " OWN_GRAPH " AND storage IS NOT NULL"
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
     8, true},
    {"crossings",
     "WITH " DG_SQL_CROSSINGS "SELECT printf('%d %s %s', count(*), iif(count(*) = 1,"
     "  'copy', 'copies'), iif(to_device, 'to ' || device, 'from ' || device || ' to"
     " the host')), " BYTES " FROM crossings GROUP BY to_device, device"
     " ORDER BY to_device DESC, device",
     8, false, DG_ABOUT_DEVICE},
    {"delegated",
     DG_COVERAGE_SQL " SELECT " PERCENT(
         "ops") " || ' of ' || ops || ' ops', NULL,"
                " 1.0 * delegated_ops / ops FROM coverage WHERE flops IS NOT NULL"
                " UNION ALL SELECT " PERCENT("flops") " || ' of ' || " DG_SQL_ROUNDED(
                    "flops") " || ' FLOPs', NULL, 1.0 * delegated_flops / flops FROM "
                             "coverage WHERE flops > 0"
                             " UNION ALL SELECT " PERCENT(
                                 "bytes") " || ' of', bytes,"
                                          " 1.0 * delegated_bytes / bytes FROM "
                                          "coverage WHERE bytes > 0"
                                          " UNION ALL SELECT unknown_flops || "
                                          "iif(unknown_flops = 1, ' op', ' ops') ||"
                                          " ' of unknown FLOPs', NULL, NULL FROM "
                                          "coverage"
                                          " WHERE unknown_flops > 0 AND flops IS NOT "
                                          "NULL",
     4, false},
    {"delegated",
     DG_PROGRAM_SHARE_OF("= ?1") " SELECT percent || ' of ' || whole, NULL, share"
                                 " FROM shares",
     2, false, DG_ABOUT_PROGRAM_FILE},
    {"findings", "SELECT severity || ': ' || message, NULL FROM " DG_PAIR_FINDINGS, 8,
     true, DG_ABOUT_PROGRAM_FILE},
    {"runs",
     DG_COVERAGE_SQL "," DG_HOST_OF(
         "= ?1") " SELECT words || iif(host_flops > 0,"
                 " ' (' || " DG_SQL_ROUNDED(
                     "host_flops") " || ' FLOPs)', ''), NULL FROM coverage, host"
                                   " WHERE delegates > 0",
     1, false, DG_ABOUT_DELEGATE_CALL},
    {"memory",
     "SELECT 'arena ' || idx || ' on ' || device, size_bytes FROM arena"
     " WHERE method_id = ?1 AND (idx > 0 OR size_bytes > 0) ORDER BY idx",
     8, false},
    {"not in that",
     "SELECT * FROM (SELECT 'what loading allocates: about', " ALLOCATED
     " UNION ALL SELECT DISTINCT 'what delegates allocate', NULL FROM delegate"
     "  WHERE method_id = ?1 UNION ALL SELECT 'the file:', size_bytes FROM artifact"
     "  WHERE id = (SELECT artifact_id FROM method WHERE id = ?1))"
     " WHERE EXISTS (SELECT 1 FROM occupancy WHERE graph_id = " OWN_GRAPH ")",
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
    {0},
};

static const struct line artifact_lines[] = {
    {"weights",
     "SELECT count(*) || ' ' || kind, " BYTES ", total(nbytes) / " OF_FILE
     " FROM constant WHERE artifact_id = ?1 AND kind <> 'reserved'"
     " GROUP BY kind ORDER BY total(nbytes) DESC, kind",
     6, false},
    {"segments",
     "SELECT count(*) || ' ' || replace(kind, '_', ' '), " SIZES ","
     " total(size_bytes) / " OF_FILE " FROM segment"
     " WHERE artifact_id = ?1 GROUP BY kind ORDER BY "
     "total(size_bytes) DESC, kind",
     10, false},
    {"named data",
     "SELECT count(*) || CASE count(*) WHEN 1 THEN ' entry' ELSE ' entries' END,"
     " " SIZES " FROM named_data WHERE artifact_id = ?1 GROUP BY artifact_id",
     1, false},
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
    {"remarks",
     "SELECT count(*) || ' for ' || rule, NULL FROM remark WHERE artifact_id = ?1"
     " GROUP BY rule ORDER BY rule",
     6, false},
    {0},
};

static void begin_item(struct dg_writer *out, const struct line *line, int n,
                       bool stacked)
{
    if (!n)
        dg_print(out, "  %-*s", LABEL, line->label);
    else if (stacked)
        dg_print(out, "\n  %-*s", LABEL, "");
    else
        dg_print(out, ", ");
}

static void write_item(struct dg_writer *out, const struct dg_rows *rows, bool bar,
                       const struct dg_report_options *options)
{
    if (bar) {
        const struct dg_page_options how = {.color = options->color};

        dg_write_tone(out, DG_TONE_NOTE, &how);
        dg_write_bar(out, dg_rows_double(rows, 2), BAR, true, options->ascii);
        dg_write_end_tone(out, &how);
        dg_write(out, " ", 1);
    }
    dg_write_plain(out, dg_rows_slice(rows, 0));
    if (!dg_rows_null(rows, 1)) {
        dg_write(out, " ", 1);
        dg_write_size(out, dg_rows_int(rows, 1));
    }
}

static enum dg_status write_line(const struct info *info, const struct line *line,
                                 int64_t id)
{
    struct dg_writer *out = info->out;
    struct dg_rows rows = dg_rows_of(info->store, line->sql, id, info->err);
    bool shares;
    int n = 0;

    shares = info->options->width && dg_rows_columns(&rows) > 2;
    for (; dg_rows_next(&rows); n++) {
        if (n >= line->most)
            continue;
        begin_item(out, line, n, line->stacked || shares);
        write_item(out, &rows, shares && !dg_rows_null(&rows, 2), info->options);
    }
    if (n > line->most) {
        begin_item(out, line, n, line->stacked || shares);
        dg_print(out, "and %d more", n - line->most);
    }
    dg_print(out, n ? "\n" : "");
    return dg_rows_close(&rows, DG_OK, info->err);
}

static enum dg_status write_lines(const struct info *info, const struct line *line,
                                  int64_t id)
{
    enum dg_status status = DG_OK;

    for (; line->label && !status; line++) {
        if (info->has[line->about])
            status = write_line(info, line, id);
    }
    return status;
}

/* What a caller passes and gets; parameters, buffers and mutations are not his. */
static const char boundary_sql[] =
    "SELECT signature.name, coalesce(dtype, signature.kind), shape AS \"shape:json\","
    " nullif(device, 'cpu') FROM signature LEFT JOIN value ON value.id = value_id"
    " WHERE signature.graph_id = " OWN_GRAPH " AND direction = ?2"
    " AND (spec IS NULL OR spec IN ('user_input', 'user_output', 'loss_output'))"
    " ORDER BY pos";

static void write_boundary(struct dg_writer *out, const struct dg_rows *rows)
{
    if (!dg_rows_null(rows, 0)) {
        dg_write_plain(out, dg_rows_slice(rows, 0));
        dg_write(out, " ", 1);
    }
    dg_write_plain(out, dg_rows_slice(rows, 1));
    if (!dg_rows_null(rows, 2))
        dg_write_cell_text(out, rows, 2);
    if (!dg_rows_null(rows, 3)) {
        dg_write(out, "@", 1);
        dg_write_plain(out, dg_rows_slice(rows, 3));
    }
}

static enum dg_status write_boundaries(const struct info *info, int64_t method,
                                       const char *direction)
{
    struct dg_writer *out = info->out;
    struct dg_rows rows = dg_rows_of(info->store, boundary_sql, method, info->err);
    int n = 0;

    dg_rows_bind_text(&rows, 2, dg_text(direction));
    dg_write(out, "(", 1);
    for (; dg_rows_next(&rows); n++) {
        if (n >= MOST_BOUNDARIES)
            continue;
        dg_print(out, n ? ", " : "");
        write_boundary(out, &rows);
    }
    if (n > MOST_BOUNDARIES)
        dg_print(out, ", and %d more", n - MOST_BOUNDARIES);
    dg_write(out, ")", 1);
    return dg_rows_close(&rows, DG_OK, info->err);
}

static enum dg_status write_method(const struct info *info,
                                   const struct dg_rows *method)
{
    int64_t id = dg_rows_int(method, 0);
    enum dg_status status;

    dg_print(info->out, "method ");
    dg_write_plain(info->out, dg_rows_slice(method, 1));
    status = write_boundaries(info, id, "input");
    dg_print(info->out, " -> ");
    if (!status)
        status = write_boundaries(info, id, "output");
    dg_print(info->out, "\n");
    return status ? status : write_lines(info, method_lines, id);
}

static enum dg_status write_methods(const struct info *info)
{
    struct dg_rows rows = dg_rows_of(
        info->store, "SELECT id, name FROM method WHERE artifact_id = ?1 ORDER BY id",
        info->options->artifact, info->err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = write_method(info, &rows);
    return dg_rows_close(&rows, status, info->err);
}

static enum dg_status write_artifact(const struct info *info)
{
    struct dg_writer *out = info->out;
    struct dg_rows rows = dg_rows_of(
        info->store,
        "SELECT path, kind, size_bytes, container, sha256,"
        " (SELECT group_concat(key || ' ' || value, ', ') FROM json_each(version)"
        "   WHERE value IS NOT NULL AND type NOT IN ('object', 'array')"
        "   AND key NOT GLOB '*_size' AND key NOT GLOB '*_offset'"
        "   AND key NOT GLOB '*_bytes'),"
        " 'cut off: ' || nullif(" DG_SQL_MISSING_BYTES ", 0) || ' bytes are missing'"
        " FROM artifact WHERE id = ?1",
        info->options->artifact, info->err);

    if (dg_rows_next(&rows)) {
        dg_write_plain(out, dg_rows_slice(&rows, 0));
        dg_print(out, ": ");
        dg_write_plain(out, dg_rows_slice(&rows, 1));
        dg_print(out, ", ");
        dg_write_size(out, dg_rows_int(&rows, 2));
        for (int i = 3; i <= 6; i++) {
            if (dg_rows_null(&rows, i) || !dg_rows_slice(&rows, i).size)
                continue;
            dg_print(out, i == 4 ? ", sha256 " : ", ");
            dg_write_plain(out, dg_rows_slice(&rows, i));
        }
        dg_print(out, "\n");
    }
    return dg_rows_close(&rows, DG_OK, info->err);
}

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    struct info info = {.out = out, .store = store, .options = options, .err = err};
    bool wanted[DG_N_ABOUT] = {[DG_ABOUT_ANY] = true};
    enum dg_status status;

    for (const struct line *line = method_lines; line->label; line++)
        wanted[line->about] = true;
    for (const struct line *line = artifact_lines; line->label; line++)
        wanted[line->about] = true;
    status = dg_about_read(info.has, wanted, store, err);
    if (!status)
        status = write_artifact(&info);
    if (!status)
        status = write_methods(&info);
    if (status)
        return status;
    dg_print(out, "file\n");
    return write_lines(&info, artifact_lines, options->artifact);
}

const struct dg_report dg_report_info_text = {
    "info-text",
    "what an artifact holds, for people",
    write,
};
