/* info as JSON: an artifact with its methods, segments and named data. */
#include <string.h>

#include "graph/library_sql.h"
#include "graph/allocator_sql.h"
#include "graph/coverage_sql.h"
#include "graph/device_sql.h"
#include "graph/lifetime.h"
#include "graph/promise_sql.h"
#include "graph/runnable.h"
#include "reports/report.h"
#include "reports/rows.h"

enum form {
    EACH,   /* an array with an object for each row */
    FIRST,  /* the first row as an object */
    COUNTS, /* an object with a member "name":count for each row */
};

enum of { ANY, PTE, PT2 }; /* which programs have the fact; null in others */

struct part {
    const char *key;
    enum form form;
    enum of of;
    const char *sql;             /* ?1: id of what it is part of; NULL: what can be run */
    const struct part *children; /* of each row, by its ":id" column; NULL: none */
};

struct info {
    struct dg_json_writer json;
    struct dg_store *store;
    enum of of;
    struct dg_error *err;
};

#define SIGNATURE(direction)                                                           \
    " FROM signature LEFT JOIN value ON value.id = value_id"                           \
    " WHERE signature.graph_id ="                                                      \
    "  (SELECT id FROM graph WHERE method_id = ?1 AND path = '')"                      \
    " AND direction = '" direction "'"

#define BOUNDARY(direction)                                                            \
    "SELECT signature.name, signature.kind, dtype, shape AS \"shape:json\","           \
    " dim_order AS \"dim_order:json\", device, planned AS \"planned:bool\","           \
    " spec, signature.target" SIGNATURE(direction) " ORDER BY pos"

/* Tied tensors count once for each input spec. */
#define STORED(spec)                                                                   \
    "SELECT count(*) AS count, CAST(total(nbytes) AS INTEGER) AS bytes" SIGNATURE(     \
        "input") " AND spec = '" spec "'"

/* All kinds of `expected`, then those beyond it. */
#define KINDS(expected, counted)                                                       \
    "WITH expected(pos, kind) AS (VALUES " expected "), counted AS (" counted ")"      \
    " SELECT kind, coalesce(n, 0) FROM (SELECT pos, kind, n FROM expected"             \
    " LEFT JOIN counted USING (kind) UNION ALL SELECT 99, kind, n FROM counted"        \
    " WHERE kind NOT IN (SELECT kind FROM expected)) ORDER BY pos, kind"

#define INSTRUCTIONS                                                                   \
    "(1, 'kernel_call'), (2, 'delegate_call'), (3, 'move_call'),"                      \
    " (4, 'jump_false_call'), (5, 'free_call')"
#define OWN_GRAPH "(SELECT id FROM graph WHERE method_id = ?1 AND path = '')"
#define COUNT_NODES(graph)                                                             \
    "SELECT kind, count(*) AS n FROM node WHERE graph_id = " graph " GROUP BY kind"
#define COUNT_OPS(graph, node_kind)                                                    \
    "SELECT op.name, count(*) AS count FROM node JOIN op ON op.id = op_id"             \
    " WHERE graph_id = " graph " AND kind = '" node_kind "'"                           \
    " GROUP BY op_id ORDER BY op.name"

static const struct part graph_parts_pte[] = {
    {"node_kinds", COUNTS, ANY, KINDS(INSTRUCTIONS, COUNT_NODES("?1")), NULL},
    {"ops", EACH, ANY, COUNT_OPS("?1", "kernel_call"), NULL},
    {0},
};

static const struct part graph_parts_pt2[] = {
    {"node_kinds", COUNTS, ANY,
     KINDS("(1, 'placeholder'), (2, 'get_attr'), (3, 'call_function'), (4, 'output')",
           COUNT_NODES("?1")),
     NULL},
    {"ops", EACH, ANY, COUNT_OPS("?1", "call_function"), NULL},
    {0},
};

static const struct part delegate_parts[] = {
    {"compile_specs", EACH, ANY,
     "SELECT key, value FROM compile_spec WHERE delegate_id = ?1"
     " ORDER BY pos",
     NULL},
    {0},
};

#define GRAPHS                                                                         \
    "SELECT id AS \"id:id\", path,"                                                    \
    " (SELECT count(*) FROM node WHERE graph_id = graph.id) AS nodes,"                 \
    " (SELECT count(*) FROM (SELECT DISTINCT dst, src FROM node"                       \
    "   JOIN edge ON dst = node.id WHERE graph_id = graph.id)) AS edges, kind"         \
    " FROM graph WHERE method_id = ?1 ORDER BY id"

#define DELEGATES                                                                      \
    "SELECT delegate.id AS \"id:id\", idx AS \"index\", delegate.name, backend,"       \
    " (SELECT count(*) FROM node WHERE delegate_id = delegate.id AND"                  \
    "  kind IN ('delegate_call', 'call_function')) AS calls,"                          \
    " location, blob_bytes, blob_sha256, path AS lowered_from,"                        \
    " (SELECT path FROM delegate_graph WHERE id = inside_id) AS inside_graph,"         \
    " iif(inside_id IS NULL, NULL, (SELECT count(*) FROM delegate_node"                \
    "  WHERE graph_id = inside_id)) AS inside_nodes"                                   \
    " FROM delegate LEFT JOIN graph ON graph.id = delegate.graph_id"                   \
    " WHERE delegate.method_id = ?1 ORDER BY idx, delegate.id"

static const char pte_constants_sql[] =
    "SELECT count(*) AS count, coalesce((SELECT size_bytes FROM segment WHERE"
    " artifact_id = method.artifact_id AND kind = 'constant'), sum(nbytes), 0) AS bytes"
    " FROM method LEFT JOIN constant ON constant.artifact_id = method.artifact_id AND"
    " constant.kind IN ('constant', 'reserved') WHERE method.id = ?1";

#define VALUE_KINDS                                                                    \
    "(1, 'tensor'), (2, 'int'), (3, 'bool'), (4, 'double'), (5, 'string'),"            \
    " (6, 'null'), (7, 'int_list'), (8, 'bool_list'), (9, 'double_list'),"             \
    " (10, 'tensor_list'), (11, 'optional_tensor_list')"

/* The arena of a method that a row is about, as one number. */
#define ARENA_ID "(occupancy.graph_id << 32 | occupancy.arena)"

#define PEAKS                                                                          \
    "SELECT " ARENA_ID " AS \"id:id\", occupancy.arena AS id, arena.device,"           \
    " size_bytes AS bytes, bytes AS peak_bytes, min(occupancy.idx) AS"                 \
    " peak_instruction,"                                                               \
    " round(1.0 - 1.0 * bytes / nullif(size_bytes, 0), 6) AS fragmentation"            \
    " FROM (SELECT *, max(bytes) OVER (PARTITION BY arena) AS most FROM occupancy"     \
    "  WHERE graph_id = " OWN_GRAPH ") AS occupancy"                                   \
    " LEFT JOIN arena ON arena.method_id = ?1 AND arena.idx = occupancy.arena"         \
    " WHERE bytes = most GROUP BY occupancy.arena ORDER BY occupancy.arena"

static const struct part peak_parts[] = {
    {"live", EACH, ANY,
     "WITH peak AS (SELECT graph_id, arena, idx AS at FROM occupancy"
     "  WHERE graph_id = ?1 >> 32 AND arena = ?1 & 4294967295"
     "  ORDER BY bytes DESC, idx LIMIT 1)"
     " SELECT value.idx AS value, value.name, value.dtype, value.shape AS"
     " \"shape:json\", value.mem_offset AS offset, value.nbytes AS bytes, first, last,"
     " via.idx AS via, " DG_SQL_IS_STATE " AS \"state:bool\""
     " FROM peak JOIN lifetime ON at BETWEEN first AND last"
     " JOIN value ON value.id = value_id AND value.graph_id = peak.graph_id"
     "  AND value.mem_id = arena LEFT JOIN value AS via ON via.id = via_id"
     " ORDER BY value.nbytes DESC, value.id",
     NULL},
    {0},
};

static const struct part method_parts[] = {
    {"inputs", EACH, ANY, BOUNDARY("input"), NULL},
    {"outputs", EACH, ANY, BOUNDARY("output"), NULL},
    {"graphs", EACH, PTE, GRAPHS, graph_parts_pte},
    {"graphs", EACH, PT2, GRAPHS, graph_parts_pt2},
    {"instructions", COUNTS, PTE, KINDS(INSTRUCTIONS, COUNT_NODES(OWN_GRAPH)), NULL},
    {"operators", EACH, PTE, COUNT_OPS(OWN_GRAPH, "kernel_call"), NULL},
    {"values", COUNTS, PTE,
     KINDS(VALUE_KINDS, "SELECT kind, count(*) AS n FROM value WHERE graph_id ="
                        " " OWN_GRAPH " GROUP BY kind"),
     NULL},
    {"delegates", EACH, ANY, DELEGATES, delegate_parts},
    {"crossings", EACH, ANY,
     "WITH " DG_SQL_CROSSINGS "SELECT iif(to_device, 'to-device', 'to-host') AS"
     " direction, device, count(*) AS count, CAST(total(nbytes) AS INTEGER) AS bytes,"
     " count(*) - count(nbytes) AS unknown_sizes FROM crossings"
     " GROUP BY to_device, device ORDER BY to_device DESC, device",
     NULL},
    {"coverage", FIRST, ANY,
     DG_COVERAGE_SQL " SELECT ops, delegated_ops, flops, delegated_flops,"
                     " unknown_flops, bytes, delegated_bytes FROM coverage",
     NULL},
    {"host", FIRST, PTE,
     "WITH " DG_HOST_OF("= ?1") " SELECT calls, casts AS scalar_casts,"
                                " host_flops AS flops FROM host"
                                " WHERE " DG_SQL_HAS_COSTS,
     NULL},
    {"program", FIRST, PTE,
     DG_PROGRAM_SHARE_OF(
         "= ?1") " SELECT path, ops, delegated_ops, flops, delegated_flops,"
                 " exact AS \"exact:bool\","
                 " (SELECT json_group_array(json_object('rule', rule, 'severity',"
                 "  severity, 'message', message)) FROM (SELECT * "
                 "FROM " DG_PAIR_FINDINGS ")) AS \"findings:json\" FROM share",
     NULL},
    {"runnable", FIRST, ANY, NULL, NULL},
    {"arenas", EACH, PTE,
     "SELECT idx AS id, size_bytes AS bytes, device FROM arena WHERE method_id = ?1"
     " ORDER BY idx",
     NULL},
    {"peaks", EACH, PTE, PEAKS, peak_parts},
    {"loading", FIRST, PTE,
     "SELECT " DG_SQL_METHOD_ALLOCATOR("?1", OWN_GRAPH) " AS method_allocator_bytes",
     NULL},
    {"constants", FIRST, PTE, pte_constants_sql, NULL},
    {"constants", FIRST, PT2, STORED("constant_tensor"), NULL},
    {"buffers", FIRST, PT2, STORED("buffer"), NULL},
    {"parameters", FIRST, PT2, STORED("parameter"), NULL},
    {0},
};

static const struct part library_parts[] = {
    {"constants", EACH, ANY,
     "SELECT name, fqn, dtype, shape AS \"shape:json\", nbytes AS bytes,"
     " folded AS \"folded:bool\" FROM library_constant WHERE library_id = ?1"
     " ORDER BY idx",
     NULL},
    {0},
};

static const struct part gpu_parts[] = {
    {"kernels", EACH, ANY,
     "SELECT name, registers, shared_bytes, stack_bytes FROM gpu_kernel"
     " WHERE code_id = ?1 ORDER BY pos",
     NULL},
    {0},
};

static const struct part artifact_parts[] = {
    {"artifact", FIRST, ANY,
     "SELECT path, kind, size_bytes, sha256, xxh3, version AS \"format_version:json\","
     " container, " DG_SQL_MISSING_BYTES " AS missing_bytes FROM artifact"
     " WHERE id = ?1",
     NULL},
    {"methods", EACH, ANY,
     "SELECT id AS \"id:id\", name, ir FROM method WHERE artifact_id = ?1 ORDER BY id",
     method_parts},
    {"segments", EACH, ANY,
     "SELECT idx AS \"index\", kind, offset, size_bytes, name, sha256 FROM segment"
     " WHERE artifact_id = ?1 ORDER BY id",
     NULL},
    {"named_data", EACH, ANY,
     "SELECT key, size_bytes, segment_idx AS segment, dtype, shape AS \"shape:json\""
     " FROM named_data WHERE artifact_id = ?1 ORDER BY idx",
     NULL},
    {"libraries", EACH, ANY,
     "SELECT id AS \"id:id\", name, format, machine, nbytes AS bytes, soname, build_id,"
     DG_SQL_GLIBC("library.id") " AS glibc, " DG_SQL_NEEDS("library.id")
     " AS \"needs:json\", constants_bytes, weights_bytes, weights,"
     " meta AS \"meta:json\", (SELECT json_group_array(name) FROM (SELECT name"
     "  FROM library_symbol AS s WHERE s.library_id = library.id AND "
     DG_SQL_IS_SHIM("s") " ORDER BY name)) AS \"shims:json\" FROM library"
     " WHERE artifact_id = ?1 ORDER BY id",
     library_parts},
    {"gpu_code", EACH, ANY,
     "SELECT gpu_code.id AS \"id:id\", library.name AS library, gpu_code.name,"
     " gpu_code.format, target, ptx, gpu_code.nbytes AS bytes,"
     " compressed AS \"compressed:bool\" FROM gpu_code LEFT JOIN library"
     " ON library.id = library_id WHERE gpu_code.artifact_id = ?1 ORDER BY gpu_code.id",
     gpu_parts},
    {0},
};

static bool has(const struct part *parts, const char *key, enum of of)
{
    for (; parts->key; parts++) {
        if (parts->of == of && !strcmp(parts->key, key))
            return true;
    }
    return false;
}

static enum dg_status put_parts(struct info *info, const struct part *parts,
                                int64_t id);

static enum dg_status put_row(struct info *info, const struct part *part,
                              const struct dg_rows *rows)
{
    enum dg_status status = DG_OK;

    if (part->form == COUNTS) {
        dg_put_name(&info->json, dg_rows_slice(rows, 0));
        dg_put_int(&info->json, NULL, dg_rows_int(rows, 1));
        return DG_OK;
    }
    dg_put_object(&info->json, part->form == FIRST ? part->key : NULL);
    dg_put_members(&info->json, rows);
    if (part->children)
        status = put_parts(info, part->children, dg_row_id(rows));
    dg_put_end(&info->json);
    return status;
}

static enum dg_status put_part(struct info *info, const struct part *part, int64_t id)
{
    struct dg_json_writer *json = &info->json;
    struct dg_rows rows = dg_rows_of(info->store, part->sql, id, info->err);
    enum dg_status status = DG_OK;

    if (part->form == FIRST) {
        if (dg_rows_next(&rows))
            status = put_row(info, part, &rows);
        else
            dg_put_null(json, part->key);
        return dg_rows_close(&rows, status, info->err);
    }
    if (part->form == EACH)
        dg_put_array(json, part->key);
    else
        dg_put_object(json, part->key);
    while (!status && dg_rows_next(&rows))
        status = put_row(info, part, &rows);
    dg_put_end(json);
    return dg_rows_close(&rows, status, info->err);
}

static void put_runnable(struct info *info, const char *key, int64_t method)
{
    struct dg_runnable runnable = dg_runnable(info->store, method);
    struct dg_runnable_sums sums = dg_runnable_sums(&runnable);
    struct dg_json_writer *json = &info->json;

    if (!sums.nodes) {
        dg_put_null(json, key);
        return;
    }
    dg_put_object(json, key);
    dg_put_int(json, "nodes", sums.nodes);
    dg_put_int(json, "cpu", sums.cpu);
    dg_put_int(json, "cuda", sums.cuda);
    dg_put_array(json, "missing");
    for (size_t i = 0; i < runnable.n_ops; i++) {
        if (!runnable.ops[i].cpu)
            dg_put_text(json, NULL, runnable.ops[i].op);
    }
    dg_put_end(json);
    dg_put_end(json);
}

static enum dg_status put_parts(struct info *info, const struct part *parts, int64_t id)
{
    enum dg_status status = DG_OK;

    for (const struct part *part = parts; part->key && !status; part++) {
        bool here = part->of == ANY || part->of == info->of;

        if (here && !part->sql)
            put_runnable(info, part->key, id);
        else if (here)
            status = put_part(info, part, id);
        else if (!has(parts, part->key, info->of))
            dg_put_null(&info->json, part->key);
    }
    return status;
}

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    struct info info = {{.out = out}, store, PT2, err};
    int64_t is_pte;
    enum dg_status status =
        dg_store_int_of(store, "SELECT kind = 'pte' FROM artifact WHERE id = ?1",
                        options->artifact, 0, &is_pte, err);

    if (status)
        return status;
    info.of = is_pte ? PTE : PT2;
    dg_put_object(&info.json, NULL);
    dg_put_int(&info.json, "schema_version", 1);
    status = put_parts(&info, artifact_parts, options->artifact);
    dg_put_end(&info.json);
    dg_json_written(&info.json);
    return status;
}

const struct dg_report dg_report_info_json = {
    "info-json",
    "what an artifact holds, as JSON",
    write,
};
