/* What ls can list: one query for each kind of thing, and the forms of its rows. */
#include "reports/listing.h"

#include <stdio.h>
#include <string.h>

#include "graph/library_sql.h"
#include "store/line_sql.h"

#define WANTED(artifact) " WHERE (?1 = 0 OR " artifact " = ?1)"
#define NAMED(name) " AND (?2 IS NULL OR " name " GLOB ?2)"
#define NAMED_EITHER(a, b) " AND (?2 IS NULL OR " a " GLOB ?2 OR " b " GLOB ?2)"
#define OF_METHOD " AND (?3 IS NULL OR method.name = ?3)"
#define NO_METHOD " AND ?3 IS NULL"

/* Where lineage is known, the first node that something came from says the line: those
 * behind it were taken up. A node inside of a delegate that is called twice has two. */
static const char nodes_sql[] =
    "WITH came AS MATERIALIZED (SELECT node_id, min(from_id) AS from_id FROM lineage"
    "  WHERE inside_id IS NULL GROUP BY node_id) "
    "SELECT method.name AS method, graph.path AS graph, node.idx AS \"index\","
    " node.name, node.kind AS op, coalesce(op.name, delegate.backend, node.target) AS"
    " target, (SELECT json_group_array(name) FROM (SELECT DISTINCT s.id, s.name"
    "  FROM edge JOIN node AS s ON s.id = src WHERE dst = node.id ORDER BY pos))"
    " AS \"inputs:json\", value.dtype, value.shape AS \"shape:json\", value.device,"
    " module.fqn AS module, "
    DG_SQL_LINE("coalesce(node.trace_id, origin.trace_id)") " AS source"
    " FROM node JOIN graph ON graph.id = node.graph_id"
    " JOIN method ON method.id = graph.method_id LEFT JOIN op ON"
    " op.id = node.op_id LEFT JOIN delegate ON delegate.id = node.delegate_id"
    "  AND node.kind = 'delegate_call'"
    " LEFT JOIN value ON value.id = node.value_id AND value.kind = 'tensor'"
    " LEFT JOIN came ON came.node_id = node.id AND node.kind = 'kernel_call'"
    " LEFT JOIN node AS origin ON origin.id = from_id LEFT JOIN module"
    "  ON module.id = coalesce(node.module_id, origin.module_id)" WANTED(
        "method.artifact_id")
        NAMED_EITHER("node.name", "coalesce(op.name, delegate.backend, node.target)")
            OF_METHOD " ORDER BY node.graph_id, node.idx";

static const char values_sql[] =
    "SELECT method.name AS method, graph.path AS graph, value.idx AS \"index\","
    " value.name, value.kind, dtype, shape AS \"shape:json\", device,"
    " dim_order AS \"dim_order:json\", strides AS \"strides:json\", nbytes, storage,"
    " dynamism, mem_id, mem_offset, data_index, scalar, items AS \"items:json\""
    " FROM value JOIN graph ON graph.id = graph_id JOIN method ON method.id = "
    "method_id" WANTED("method.artifact_id") NAMED_EITHER("value.name", "value.kind")
        OF_METHOD " ORDER BY value.graph_id, value.idx";

static const char delegates_sql[] =
    "SELECT method.name AS method, delegate.idx AS \"index\", delegate.name, backend,"
    " (SELECT count(*) FROM node WHERE delegate_id = delegate.id AND"
    "  kind IN ('delegate_call', 'call_function')) AS calls,"
    " location, blob_index, blob_offset, blob_bytes, blob_sha256,"
    " graph.path AS lowered_from, (SELECT json_group_array(key) FROM (SELECT key FROM"
    " compile_spec WHERE delegate_id = delegate.id ORDER BY pos))"
    " AS \"compile_spec_keys:json\" FROM delegate"
    " JOIN method ON method.id = delegate.method_id"
    " LEFT JOIN graph ON graph.id = graph_id" WANTED("method.artifact_id")
        NAMED_EITHER("backend", "delegate.name") OF_METHOD " ORDER BY delegate.id";

static const char segments_sql[] =
    "SELECT segment.idx AS \"index\", kind, name, offset, file_offset, size_bytes,"
    " stored_bytes, sha256 FROM segment" WANTED("artifact_id")
        NAMED_EITHER("name", "kind") NO_METHOD " ORDER BY segment.id";

static const char constants_sql[] =
    "SELECT method.name AS method, constant.idx AS \"index\", fqn AS name,"
    " constant.kind, dtype, shape AS \"shape:json\", constant.nbytes,"
    " constant.file_offset, segment.name AS segment, constant.sha256 FROM constant"
    " LEFT JOIN method ON method.id = constant.method_id"
    " LEFT JOIN segment ON segment.id = segment_id" WANTED("constant.artifact_id")
        NAMED_EITHER("fqn", "constant.kind") OF_METHOD " ORDER BY constant.id";

static const char ops_sql[] =
    "SELECT method.name AS method, op.name, count(*) AS count, op.args, op.returns,"
    " flags & 1 <> 0 AS \"core:bool\", flags & 16 <> 0 AS \"portable:bool\""
    " FROM node JOIN op ON op.id = op_id JOIN graph ON graph.id = graph_id"
    " JOIN method ON method.id = method_id" WANTED("method.artifact_id")
        NAMED("op.name") OF_METHOD
    " GROUP BY method.id, op.id ORDER BY method.id, op.name";

static const char named_data_sql[] =
    "SELECT key AS name, size_bytes, segment_idx AS segment, dtype,"
    " shape AS \"shape:json\", dim_order AS \"dim_order:json\" FROM named_data" WANTED(
        "artifact_id") NAMED("key") NO_METHOD " ORDER BY artifact_id, idx";

static const char methods_sql[] =
    "SELECT artifact.path AS artifact, method.idx AS \"index\", name, ir,"
    " (SELECT count(*) FROM graph JOIN signature ON graph_id = graph.id WHERE"
    "  method_id = method.id AND path = '' AND direction = 'input') AS inputs,"
    " (SELECT count(*) FROM graph JOIN signature ON graph_id = graph.id WHERE"
    "  method_id = method.id AND path = '' AND direction = 'output') AS outputs,"
    " (SELECT count(*) FROM graph WHERE method_id = method.id) AS graphs,"
    " (SELECT count(*) FROM graph JOIN node ON graph_id = graph.id WHERE"
    "  method_id = method.id) AS nodes,"
    " (SELECT count(*) FROM delegate WHERE method_id = method.id) AS delegates"
    " FROM method JOIN artifact ON artifact.id = artifact_id" WANTED("artifact_id")
        NAMED("name") OF_METHOD " ORDER BY method.id";

static const char graphs_sql[] =
    "SELECT method.name AS method, path AS name, graph.kind,"
    " (SELECT count(*) FROM node WHERE graph_id = graph.id) AS nodes FROM graph"
    " JOIN method ON method.id = method_id" WANTED("artifact_id") NAMED("path")
        OF_METHOD " ORDER BY graph.id";

static const char arenas_sql[] =
    "SELECT method.name AS method, arena.idx AS \"index\", size_bytes, device,"
    " (SELECT count(*) FROM graph JOIN value ON graph_id = graph.id WHERE"
    "  graph.method_id = method.id AND storage = 'planned' AND mem_id = arena.idx)"
    " AS tensors FROM arena JOIN method ON method.id = arena.method_id" WANTED(
        "artifact_id") NAMED("device") OF_METHOD " ORDER BY arena.method_id, arena.idx";

static const char signature_sql[] =
    "SELECT method.name AS method, graph.path AS graph, direction, pos AS \"index\","
    " signature.name, signature.kind, dtype, shape AS \"shape:json\", device, spec,"
    " signature.target, planned AS \"planned:bool\" FROM signature"
    " JOIN graph ON graph.id = signature.graph_id JOIN method ON method.id = method_id"
    " LEFT JOIN value ON value.id = signature.value_id" WANTED("artifact_id")
        NAMED_EITHER("signature.name", "signature.target") OF_METHOD
    " ORDER BY signature.graph_id, direction, pos";

/* Inside of delegates. Each node stands once, by the first delegate that has its blob. A
 * name may stand behind that of a call, or of the graph: "op_3/Conv2d_1". */
static const char delegate_nodes_sql[] =
    "WITH came AS MATERIALIZED (SELECT inside_id, min(from_id) AS from_id FROM lineage"
    "  WHERE inside_id IS NOT NULL GROUP BY inside_id HAVING min(node_id) = max(node_id)) "
    "SELECT method.name AS method, path AS graph, n.idx AS \"index\", n.name, op,"
    " (SELECT json_group_array(coalesce(made.name, 'input ' || v.external_id,"
    "   v.name, 'value ' || v.idx)) FROM delegate_operand AS o JOIN delegate_value AS v"
    "   ON v.id = o.value_id LEFT JOIN delegate_node AS made ON made.id = v.node_id"
    "   WHERE o.node_id = n.id AND access = 'read' AND constant_idx IS NULL ORDER BY "
    "pos)"
    "  AS \"inputs:json\","
    " result.datatype, result.shape AS \"shape:json\","
    " (SELECT CAST(total(v.nbytes) AS INTEGER) FROM delegate_operand AS o"
    "   JOIN delegate_value AS v ON v.id = o.value_id WHERE o.node_id = n.id"
    "   AND constant_idx IS NOT NULL HAVING count(*) > 0) AS constant_bytes,"
    " output_min, output_max, nullif(n.debug_handle, 65535) AS debug_handle,"
    " module.fqn AS module, " DG_SQL_LINE("origin.trace_id") " AS source"
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"
    " JOIN method ON method.id = g.method_id LEFT JOIN came ON came.inside_id = n.id"
    " LEFT JOIN node AS origin ON origin.id = from_id"
    " LEFT JOIN module ON module.id = origin.module_id"
    " LEFT JOIN delegate_value AS result"
    "  ON result.id = (SELECT value_id FROM delegate_operand WHERE node_id = n.id"
    "   AND access = 'write' ORDER BY pos LIMIT 1)" WANTED("method.artifact_id")
    " AND (?2 IS NULL OR n.name GLOB ?2 OR op GLOB ?2"
    "  OR n.name GLOB substr(?2, instr(?2, '/') + 1) AND g.id IN ("
    "   SELECT inside_id FROM delegate JOIN node AS c ON c.delegate_id = delegate.id"
    "    WHERE c.name GLOB substr(?2, 1, instr(?2, '/') - 1) UNION"
    "   SELECT id FROM delegate_graph WHERE path GLOB substr(?2, 1, instr(?2, '/') - 1)))"
    OF_METHOD " ORDER BY n.id";

static const char delegate_values_sql[] =
    "SELECT method.name AS method, path AS graph, v.idx AS \"index\","
    " CASE WHEN v.flags & 1 THEN 'input' WHEN v.flags & 2 THEN 'output'"
    "  WHEN constant_idx IS NOT NULL THEN 'constant' ELSE 'internal' END AS role,"
    " v.dtype, datatype, v.shape AS \"shape:json\", v.nbytes, external_id,"
    " coalesce(v.name, c.key) AS name,"
    " quantization AS \"quantization:json\" FROM delegate_value AS v"
    " JOIN delegate_graph AS g ON g.id = v.graph_id"
    " JOIN method ON method.id = g.method_id LEFT JOIN delegate_constant AS c"
    "  ON c.graph_id = v.graph_id AND c.idx = constant_idx" WANTED("method.artifact_id")
        NAMED_EITHER("coalesce(v.name, c.key)", "datatype") OF_METHOD " ORDER BY v.id";

#define SYMBOLS(kind)                                                                  \
    "(SELECT count(*) FROM library_symbol WHERE library_id = library.id"               \
    "  AND kind = '" kind "')"

static const char libraries_sql[] =
    "SELECT name, format, machine, nbytes, " DG_SQL_GLIBC("library.id") " AS glibc,"
    DG_SQL_NEEDS("library.id") " AS \"needs:json\", " SYMBOLS("defined") " AS defined, "
    SYMBOLS("undefined") " AS undefined, " DG_SQL_N_SHIMS("library.id") " AS shims,"
    " constants_bytes, weights_bytes, weights, build_id FROM library" WANTED(
        "artifact_id") NAMED_EITHER("name", "machine") NO_METHOD " ORDER BY id";

static const char library_symbols_sql[] =
    "SELECT s.name, s.version, s.kind, library.name AS library FROM library_symbol AS s"
    " JOIN library ON library.id = library_id" WANTED("artifact_id")
        NAMED_EITHER("s.name", "s.kind") NO_METHOD " ORDER BY library_id, pos";

static const char library_constants_sql[] =
    "SELECT c.name, fqn, dtype, shape AS \"shape:json\", strides AS \"strides:json\","
    " c.nbytes, folded AS \"folded:bool\", library.name AS library"
    " FROM library_constant AS c JOIN library ON library.id = library_id" WANTED(
        "artifact_id") NAMED_EITHER("c.name", "fqn") NO_METHOD
    " ORDER BY library_id, idx";

static const char gpu_kernels_sql[] =
    "SELECT code.name AS code, code.format, target, ptx, code.nbytes,"
    " compressed AS \"compressed:bool\", kernel.name AS kernel, registers, shared_bytes,"
    " stack_bytes, library.name AS library FROM gpu_code AS code LEFT JOIN library"
    " ON library.id = library_id LEFT JOIN gpu_kernel AS kernel ON code_id = code.id"
    WANTED("code.artifact_id") NAMED_EITHER("coalesce(kernel.name, code.name)", "target")
        NO_METHOD " ORDER BY code.id, kernel.pos";

const struct dg_listing dg_listings[] = {
    {"nodes", "nodes", nodes_sql},
    {"values", "values", values_sql},
    {"delegates", "delegates", delegates_sql},
    {"delegate-nodes", "delegate_nodes", delegate_nodes_sql},
    {"delegate-values", "delegate_values", delegate_values_sql},
    {"libraries", "libraries", libraries_sql},
    {"library-symbols", "library_symbols", library_symbols_sql},
    {"library-constants", "library_constants", library_constants_sql},
    {"gpu-kernels", "gpu_kernels", gpu_kernels_sql},
    {"segments", "segments", segments_sql},
    {"constants", "constants", constants_sql},
    {"ops", "ops", ops_sql},
    {"named-data", "named_data", named_data_sql},
    {"methods", "methods", methods_sql},
    {"graphs", "graphs", graphs_sql},
    {"arenas", "arenas", arenas_sql},
    {"signature", "signature", signature_sql},
    {0},
};

static const struct dg_listing *find(const char *what)
{
    for (const struct dg_listing *listing = dg_listings; listing->what; listing++) {
        if (!strcmp(listing->what, what) || !strcmp(listing->key, what))
            return listing;
    }
    return NULL;
}

static enum dg_status refuse(const char *what, struct dg_error *err)
{
    const char *names[32], *near;
    char all[400] = "";
    size_t n = 0, length = 0;

    for (; n < 32 && dg_listings[n].what; n++)
        names[n] = dg_listings[n].what;
    near = dg_nearest(what, names, n);
    if (near)
        return dg_fail(err, DG_ERR_USAGE, "cannot list \"%.60s\"; did you mean %s?",
                       what, near);
    for (size_t i = 0; i < n && length < sizeof(all); i++)
        length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s",
                                   !i          ? ""
                                   : i + 1 < n ? ", "
                                               : " or ",
                                   names[i]);
    return dg_fail(err, DG_ERR_USAGE, "cannot list \"%.60s\"; expected %s", what, all);
}

enum dg_status dg_listing_open(struct dg_rows *rows, const struct dg_listing **listing,
                               struct dg_store *store,
                               const struct dg_report_options *options,
                               struct dg_error *err)
{
    *listing = find(options->what);
    if (!*listing)
        return refuse(options->what, err);
    *rows = dg_rows_of(store, (*listing)->sql, options->artifact, err);
    dg_rows_bind_text(rows, 2, dg_text(options->glob));
    dg_rows_bind_text(rows, 3, dg_text(options->method));
    return DG_OK;
}

static enum dg_status write_text(struct dg_writer *out, struct dg_store *store,
                                 const struct dg_report_options *options,
                                 struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    enum dg_status status = dg_listing_open(&rows, &listing, store, options, err);

    return status ? status : dg_write_table(out, &rows, 0, true, err);
}

static enum dg_status write_json(struct dg_writer *out, struct dg_store *store,
                                 const struct dg_report_options *options,
                                 struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    enum dg_status status = dg_listing_open(&rows, &listing, store, options, err);
    struct dg_json_writer json = {.out = out};

    if (status)
        return status;
    dg_put_object(&json, NULL);
    dg_put_int(&json, "schema_version", 1);
    dg_put_array(&json, listing->key);
    while (dg_rows_next(&rows)) {
        dg_put_line(&json);
        dg_write_row(dg_put_raw(&json, NULL), &rows, DG_ROW_JSON);
    }
    dg_put_end(&json);
    dg_put_end(&json);
    dg_write(out, "\n", 1);
    dg_json_written(&json);
    return dg_rows_close(&rows, DG_OK, err);
}

/* A line for each row. */
static enum dg_status write_lines(struct dg_writer *out, struct dg_store *store,
                                  const struct dg_report_options *options,
                                  enum dg_row_form form, struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    enum dg_status status = dg_listing_open(&rows, &listing, store, options, err);

    return status ? status : dg_write_rows(out, &rows, form, err);
}

static enum dg_status write_csv(struct dg_writer *out, struct dg_store *store,
                                const struct dg_report_options *options,
                                struct dg_error *err)
{
    return write_lines(out, store, options, DG_ROW_CSV, err);
}

static enum dg_status write_jsonl(struct dg_writer *out, struct dg_store *store,
                                  const struct dg_report_options *options,
                                  struct dg_error *err)
{
    return write_lines(out, store, options, DG_ROW_JSON, err);
}

static enum dg_status write_plain(struct dg_writer *out, struct dg_store *store,
                                  const struct dg_report_options *options,
                                  struct dg_error *err)
{
    return write_lines(out, store, options, DG_ROW_PLAIN, err);
}

const struct dg_report dg_report_list_text = {"list-text", "rows as an aligned table",
                                              write_text};
const struct dg_report dg_report_list_json = {"list-json", "rows as one JSON document",
                                              write_json};
const struct dg_report dg_report_list_jsonl = {
    "list-jsonl", "rows as a JSON object on each line", write_jsonl};
const struct dg_report dg_report_list_csv = {"list-csv", "rows as RFC 4180 lines",
                                             write_csv};
const struct dg_report dg_report_list_plain = {
    "list-plain", "rows as tab separated lines", write_plain};
