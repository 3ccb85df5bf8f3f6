/* What callers pass and get: inputs, outputs, and the sizes that may vary. */
#include "reports/sections/section.h"

enum { MOST_ROWS = 200 };

/* Weights are not a caller's: they are rows only where the method changes them. */
static const char boundary_sql[] =
    "WITH own AS (SELECT signature.*, method.name AS method, method.id AS method_id,"
    "   direction = 'output' AND spec GLOB '*mutation' AS writes,"
    "   (signature.graph_id, coalesce(signature.target, signature.name)) IN"
    "    (SELECT graph_id, target FROM signature WHERE direction = 'output'"
    "      AND spec GLOB '*mutation') AS written"
    "  FROM signature JOIN graph ON graph.id = signature.graph_id AND graph.path = ''"
    "  JOIN method ON method.id = graph.method_id WHERE method.artifact_id = ?1)"
    " SELECT method AS \"Method:code\", direction AS \"Direction:text\","
    " pos AS \"#:count\", coalesce(own.name, 'value ' || value_idx) AS \"Name:code\","
    " replace(coalesce(spec, own.kind), '_', ' ') AS \"Kind:text\","
    " coalesce(dtype, '') || coalesce(shape, CAST(literal AS TEXT), '')"
    "  AS \"Type:code\", nbytes AS \"Size:bytes\", nullif(device, 'cpu') AS"
    " \"Device:code\", CASE WHEN writes THEN 'becomes ' || target"
    "  WHEN written THEN 'written in place' END AS \"Mutation:text\""
    " FROM own LEFT JOIN value ON value.id = own.value_id"
    " WHERE spec IS NULL OR spec NOT IN ('parameter', 'buffer', 'constant_tensor')"
    "  OR written"
    " ORDER BY method_id, direction, pos";

static const char weights_sql[] =
    "SELECT method.name AS \"Method:code\", spec AS \"Kind:text\","
    " count(*) AS \"Inputs:count\", sum(nbytes) AS \"Size:bytes\""
    " FROM signature JOIN graph ON graph.id = signature.graph_id AND graph.path = ''"
    " JOIN method ON method.id = graph.method_id"
    " LEFT JOIN value ON value.id = signature.value_id"
    " WHERE method.artifact_id = ?1 AND direction = 'input'"
    "  AND spec IN ('parameter', 'buffer', 'constant_tensor')"
    " GROUP BY method.id, spec ORDER BY method.id, spec DESC";

static const char symbols_sql[] =
    "SELECT method.name AS \"Method:code\", nullif(path, '') AS \"Graph:code\","
    " symbol AS \"Symbol:code\","
    " CAST(min AS TEXT) AS \"At least:code\", CAST(max AS TEXT) AS \"At most:code\""
    " FROM range_constraint JOIN graph ON graph.id = graph_id"
    " JOIN method ON method.id = method_id WHERE method.artifact_id = ?1"
    " ORDER BY graph_id, symbol";

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    const char *more =
        dg_format(&page->memory, "delegraph ls %s --what signature", input->path).data;
    enum dg_status status;

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    status = dg_page_query(page, "inputs-outputs", "Inputs and outputs", input->store,
                           boundary_sql, input->artifact, MOST_ROWS, more, NULL, err);
    if (!status)
        status = dg_page_query(page, "weights-passed", "Weights that are inputs",
                               input->store, weights_sql, input->artifact, MOST_ROWS,
                               more, NULL, err);
    if (!status)
        status =
            dg_page_query(page, "symbols", "Sizes that may vary", input->store,
                          symbols_sql, input->artifact, MOST_ROWS, more, NULL, err);
    return status;
}

const struct dg_section dg_section_signature = {
    .id = "signature",
    .title = "Signature",
    .write = write,
};
