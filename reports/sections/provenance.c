/* Where the program and this report come from: enough to make both again. */
#include "reports/sections/section.h"

static const char files_sql[] =
    "SELECT path AS \"File:code\", coalesce(role, 'program') AS \"Role:text\","
    " kind AS \"Format:text\", container AS \"Layout:text\","
    " size_bytes AS \"Size:bytes\", sha256 AS \"SHA-256:code\""
    " FROM artifact WHERE id = ?1 OR companion_of = ?1 ORDER BY id";

/* What the format says of itself, and whoever wrote it: numbers and words only. */
static const char version_sql[] =
    "SELECT artifact.path AS \"File:code\", key AS \"Field:code\","
    " CAST(value AS TEXT) AS \"Value:code\" FROM artifact,"
    " json_each(version) WHERE (artifact.id = ?1 OR companion_of = ?1)"
    " AND value IS NOT NULL AND type NOT IN ('object', 'array')"
    " ORDER BY artifact.id, json_each.id";

static const char methods_sql[] =
    "SELECT name AS \"Method:code\", ir AS \"Form:code\","
    " (SELECT count(*) FROM graph WHERE method_id = method.id) AS \"Graphs:count\","
    " (SELECT count(*) FROM node JOIN graph ON graph.id = graph_id"
    "   WHERE graph.method_id = method.id) AS \"Nodes:count\""
    " FROM method WHERE artifact_id = ?1 ORDER BY id";

/* The plan that rules and pictures used: the newest. */
static const char plan_sql[] =
    "SELECT source AS \"Made by:text\", part_run.path AS \"File:code\","
    " options AS \"Options:code\","
    " (SELECT count(*) FROM partition WHERE part_run_id = part_run.id)"
    "  AS \"Partitions:count\""
    " FROM part_run WHERE artifact_id = ?1 ORDER BY id DESC LIMIT 1";

static const char settings_sql[] = "SELECT name AS \"Setting:code\","
                                   " value AS \"Value:code\" FROM setting"
                                   " WHERE ?1 ORDER BY name, value";

static const char store_sql[] =
    "SELECT key AS \"Store:code\", CAST(value AS TEXT) AS \"Value:code\" FROM meta"
    " WHERE ?1 ORDER BY key";

struct table {
    const char *id, *caption, *sql;
    unsigned forms;
};

static const struct table tables[] = {
    {"files", "Files", files_sql, DG_FORM_HTML | DG_FORM_TEXT},
    {"plan", "The plan", plan_sql, DG_FORM_HTML | DG_FORM_TEXT},
    {"settings", "What the target was said to be", settings_sql, DG_FORM_HTML},
    {"methods", "Methods", methods_sql, DG_FORM_HTML},
    {"format-version", "What the files say of themselves", version_sql, DG_FORM_HTML},
    {"store", "How the store was made", store_sql, DG_FORM_HTML},
};

enum { MOST_ROWS = 200 };

static void add_facts(struct dg_page *page, const struct dg_report_input *input)
{
    dg_page_fact(page, -1, "delegraph", "%s", input->version);
    page->forms = DG_FORM_HTML;
    dg_page_fact(page, -1, "rules", "%zu ran, %zu do not apply", input->n_rules_run,
                 input->n_rules - input->n_rules_run);
    page->forms = DG_FORM_ALL;
    dg_page_command(page, "%s", input->invocation);
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    const char *more = dg_format(&page->memory, "delegraph info %s", input->path).data;
    enum dg_status status = DG_OK;

    add_facts(page, input);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !status; i++) {
        page->forms = tables[i].forms;
        status =
            dg_page_query(page, tables[i].id, tables[i].caption, input->store,
                          tables[i].sql, input->artifact, MOST_ROWS, more, NULL, err);
    }
    return status;
}

const struct dg_section dg_section_provenance = {
    .id = "provenance",
    .title = "Provenance",
    .write = write,
};
