/* What programs have beside their nodes, as rows of SQL. */
#include "diff/finders.h"
#include "graph/library_sql.h"

bool dg_diff_has_method(const struct dg_diffing *diffing, struct dg_text method)
{
    return dg_text_set_find(&diffing->methods, method) != DG_NO_TEXT;
}

static const struct dg_diff_query methods = {
    .kind = DG_DIFF_METHOD,
    .sql = "SELECT NULL, name, ir FROM method ORDER BY id",
};

/* What only one of them has is told as a method, and no more. */
enum dg_status dg_diff_methods(struct dg_diffing *diffing, struct dg_error *err)
{
    struct dg_text_set first = {0};
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++) {
        struct dg_rows rows = dg_rows_all(diffing->programs[s].store,
                                          "SELECT name FROM method ORDER BY id", err);

        while (dg_rows_next(&rows)) {
            struct dg_text name = dg_rows_keep(&diffing->memory, &rows, 0);

            if (!s)
                dg_text_set_add(&first, name);
            else if (dg_text_set_find(&first, name) != DG_NO_TEXT)
                dg_text_set_add(&diffing->methods, name);
        }
        status = dg_rows_close(&rows, DG_OK, err);
    }
    dg_text_set_clear(&first);
    return status ? status : dg_diff_rows(diffing, &methods, err);
}

/* Of a method's own graph: the user's inputs and outputs by position. */
#define SIGNATURE(direction, specs, column)                                            \
    "SELECT method.name, '" direction " ' || (row_number() OVER"                       \
    "  (PARTITION BY s.graph_id ORDER BY s.pos) - 1), " column                         \
    " FROM signature AS s JOIN graph AS g ON g.id = s.graph_id AND g.path = ''"        \
    "  JOIN method ON method.id = g.method_id"                                         \
    "  LEFT JOIN value ON value.id = s.value_id"                                       \
    " WHERE s.direction = '" direction "' AND (spec IS NULL OR spec IN (" specs "))"   \
    " ORDER BY s.graph_id, s.pos"
#define TYPE                                                                           \
    "coalesce(value.dtype || ' ' || value.shape, s.kind || ' ' || s.literal, s.kind)"

static const struct dg_diff_query queries[] = {
    {.kind = DG_DIFF_SIGNATURE,
     .what = "type",
     .symbols = true,
     .sql = SIGNATURE("input", "'user_input','constant_input'", TYPE)},
    {.kind = DG_DIFF_SIGNATURE,
     .what = "type",
     .symbols = true,
     .sql = SIGNATURE("output", "'user_output','loss_output'", TYPE)},
    {.kind = DG_DIFF_SIGNATURE,
     .what = "range",
     .symbols = true,
     .sql = "SELECT method.name, symbol, coalesce(min, '-inf') || '..' ||"
            "  coalesce(max, 'inf') FROM range_constraint"
            "  JOIN graph AS g ON g.id = graph_id JOIN method ON method.id = method_id"
            " WHERE path = '' ORDER BY graph_id, symbol"},
    {.kind = DG_DIFF_SIGNATURE,
     .what = "tree",
     .only_changes = true,
     .sql = "SELECT name, 'inputs', in_spec FROM method UNION ALL"
            " SELECT name, 'outputs', out_spec FROM method"},
    {.kind = DG_DIFF_SIGNATURE,
     .what = "kept as",
     .only_changes = true,
     .sql = "SELECT method.name, s.target, s.spec || CASE persistent WHEN 0"
            "  THEN ', not persistent' ELSE '' END FROM signature AS s"
            "  JOIN graph AS g ON g.id = s.graph_id AND g.path = ''"
            "  JOIN method ON method.id = g.method_id"
            " WHERE s.direction = 'input' AND s.target IS NOT NULL"
            " ORDER BY s.graph_id, s.pos"},
    {.kind = DG_DIFF_LIBRARY,
     .what = "code",
     .sql = "SELECT NULL, 'library ' || (row_number() OVER (ORDER BY id) - 1),"
            "  coalesce(machine || ', ', '') || nbytes || ' bytes'"
            "  || coalesce(', build id ' || substr(build_id, 1, 12), '')"
            "  || coalesce(', constants ' || weights, '') FROM library ORDER BY id"},
    {.kind = DG_DIFF_LIBRARY,
     .what = "needs",
     .sql = "SELECT NULL, name, 'needed' FROM library_need GROUP BY name"
            " UNION ALL SELECT NULL, 'glibc', " DG_SQL_GLIBC(
                "library.id") " FROM library"
                              "  WHERE EXISTS (SELECT 1 FROM library_version WHERE "
                              "library_id = library.id)"
                              " UNION ALL SELECT NULL, name, 'called' FROM "
                              "library_symbol AS s"
                              "  WHERE " DG_SQL_IS_SHIM("s") " GROUP BY name"},
    {.kind = DG_DIFF_LIBRARY,
     .what = "constant",
     .sql = "SELECT NULL, coalesce(fqn, name), coalesce(dtype || ' ', '') ||"
            "  coalesce(shape, '') || coalesce(' ' || nbytes || ' bytes', '')"
            " FROM library_constant ORDER BY library_id, idx"},
    {.kind = DG_DIFF_LIBRARY,
     .what = "GPU code",
     .sql = "SELECT NULL, name, group_concat(image, ', ') FROM (SELECT DISTINCT"
            "   coalesce(k.name, c.name) AS name, iif(c.format = 'ptx', 'PTX of ', '')"
            "   || coalesce(target, c.format) AS image FROM gpu_code AS c"
            "   LEFT JOIN gpu_kernel AS k ON code_id = c.id ORDER BY 1, 2)"
            " GROUP BY name"},
    {.kind = DG_DIFF_STATE,
     .what = "written back",
     .sql = "SELECT method.name, s.target, s.spec FROM signature AS s"
            "  JOIN graph AS g ON g.id = s.graph_id AND g.path = ''"
            "  JOIN method ON method.id = g.method_id"
            " WHERE s.direction = 'output' AND s.spec LIKE '%_mutation'"
            " ORDER BY s.graph_id, s.pos"},
    {.kind = DG_DIFF_MEMORY,
     .class = DG_DIFF_SIZES,
     .what = "planned",
     .bytes = true,
     .sql = "SELECT method.name, device, sum(size_bytes) FROM arena"
            "  JOIN method ON method.id = method_id WHERE arena.idx > 0"
            " GROUP BY method.id, device ORDER BY method.id, device"},
    {.kind = DG_DIFF_NAME,
     .class = DG_DIFF_NAMES,
     .what = "input",
     .only_changes = true,
     .sql = SIGNATURE("input", "'user_input','constant_input'", "s.name")},
    {.kind = DG_DIFF_NAME,
     .class = DG_DIFF_NAMES,
     .what = "class",
     .only_changes = true,
     .sql = "SELECT NULL, fqn, type FROM module ORDER BY id"},
    {.kind = DG_DIFF_METADATA,
     .class = DG_DIFF_METADATAS,
     .what = "version",
     .sql = "SELECT NULL, key, atom FROM artifact, json_tree(version)"
            " WHERE companion_of IS NULL AND atom IS NOT NULL AND key NOT IN"
            "  ('header_bytes', 'program_size', 'segment_base_offset',"
            "   'segment_data_size')"},
    {.kind = DG_DIFF_METADATA,
     .class = DG_DIFF_METADATAS,
     .what = "container",
     .sql = "SELECT NULL, 'container', container FROM artifact"
            " WHERE companion_of IS NULL"},
};

enum dg_status dg_diff_contents(struct dg_diffing *diffing, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries) && !status; i++)
        status = dg_diff_rows(diffing, &queries[i], err);
    return status;
}
