/* What of the report is the rows of a query: a table or facts, each a row here. */
#include <string.h>

#include "reports/sections/rows_sql.h"

enum kind { TABLE, FACTS };

#define PAGE DG_FORM_HTML
#define WORDS (DG_FORM_HTML | DG_FORM_TEXT)
#define ALL DG_FORM_ALL

/* In the order in which they appear. A group is the id of a section, or the part of one
 * that is told once for each method or run: ?1 is that of which it is told, else the
 * program. Rows of FACTS are name, text, share or NULL. */
static const struct row {
    const char *group;
    enum kind kind;
    const char *anchor, *caption; /* which of several: its name follows the caption */
    unsigned forms;
    size_t most;             /* rows; 0: all */
    const char *verb, *rest; /* of the command that shows what is left out */
    const char *sql;
} rows[] = {
    {"program", TABLE, "program", "What it is", WORDS, 8, "info", "", program_sql},
    {"signature", TABLE, "inputs-outputs", "Inputs and outputs", WORDS, 200, "ls",
     " --what signature", boundary_sql},
    {"signature", TABLE, "weights-passed", "Weights that are inputs", WORDS, 200, "ls",
     " --what signature", weights_sql},
    {"signature", TABLE, "symbols", "Sizes that may vary", WORDS, 200, "ls",
     " --what signature", symbols_sql},
    {"operators", TABLE, "operator-table", "Operators", WORDS, 200, "ls", " --what ops",
     operators_sql},
    {"operators", TABLE, "kernels", "Kernels that the runtime must have", WORDS, 200,
     "ls", " --what ops", kernels_sql},
    {"provenance", TABLE, "files", "Files", WORDS, 200, "info", "", files_sql},
    {"provenance", TABLE, "plan", "The plan", WORDS, 200, "info", "", plan_sql},
    {"provenance", TABLE, "settings", "What the target was said to be", PAGE, 200,
     "info", "", settings_sql},
    {"provenance", TABLE, "methods", "Methods", PAGE, 200, "info", "", methods_sql},
    {"provenance", TABLE, "format-version", "What the files say of themselves", PAGE,
     200, "info", "", version_sql},
    {"provenance", TABLE, "store", "How the store was made", PAGE, 200, "info", "",
     store_sql},
    {"tensors", TABLE, "devices-tensors", "Tensors by device", WORDS, 0, NULL, NULL,
     tensors_sql},
    {"copies", FACTS, NULL, NULL, ALL, 0, NULL, NULL, totals_sql},
    {"copies", TABLE, NULL, "The largest copies of", PAGE, 30, "query",
     " @device-crossings", copies_sql},
    {"size", FACTS, NULL, NULL, ALL, 0, NULL, NULL, saved_sql},
    {"size", TABLE, "size-duplicates", "Equal bytes that are stored more than once",
     WORDS, 20, "query", " @duplicates", duplicates_sql},
    {"size", TABLE, "size-dtypes", "Weights, buffers and constants by dtype", PAGE, 0,
     NULL, NULL, dtypes_sql},
    {"size", TABLE, "size-constants", "The largest weights, buffers and constants",
     WORDS, 20, "query", " @constants", constants_sql},
    {"delegates", TABLE, "delegates", "Delegates that the program has", DG_FORM_HTML,
     50, "query", " @delegates", delegates_sql},
    {"delegates", TABLE, "delegates", "Delegates that the program has", DG_FORM_TEXT, 8,
     "query", " @delegates", delegates_sql},
    {"profile", TABLE, "measured-runs", "Runs", WORDS, 20, "query",
     " 'SELECT * FROM v_profile'", runs_sql},
    {"profile", TABLE, "slowest", "The slowest instructions", WORDS, 30, "query",
     " @slowest", slowest_sql},
    {"profile", TABLE, "slowest-parts", "What delegates say of parts of their calls",
     WORDS, 30, "query", " @slowest-parts", parts_sql},
    {"breaks", FACTS, NULL, NULL, ALL, 0, NULL, NULL, DG_SQL_BREAKS_IN_ALL},
    {"breaks", TABLE, "graph-breaks",
     "Graph breaks: what the host runs between delegates", WORDS, 30, "query",
     " @graph-breaks", DG_SQL_BREAKS},
    {"run", TABLE, NULL, "Outputs of run", WORDS, 30, "query",
     " 'SELECT * FROM v_numeric'", outputs_sql},
    {"run", TABLE, NULL, "The worst nodes, views apart, of run", PAGE, 20, "query",
     " 'SELECT * FROM v_numeric'", worst_sql},
};

static enum dg_status write_row(struct dg_page *page,
                                const struct dg_report_input *input,
                                const struct row *row, int64_t id, const char *name,
                                struct dg_error *err)
{
    struct dg_arena *kept = &page->memory;
    const char *more = row->verb ? dg_format(kept, "delegraph %s %s%s", row->verb,
                                             input->path, row->rest)
                                       .data
                                 : NULL;

    page->forms = row->forms;
    if (row->kind == FACTS)
        return dg_section_facts(page, input->store, row->sql, id, err);
    return dg_page_query(page, row->anchor,
                         name ? dg_format(kept, "%s %s", row->caption, name).data
                              : row->caption,
                         input->store, row->sql, id, row->most, more, NULL, err);
}

enum dg_status dg_section_rows(struct dg_page *page,
                               const struct dg_report_input *input, const char *group,
                               int64_t id, const char *name, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !status; i++)
        if (!strcmp(rows[i].group, group))
            status = write_row(page, input, &rows[i], id, name, err);
    return status;
}
