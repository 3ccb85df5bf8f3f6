/* Where tensors live, and what is copied between host and devices. */
#include "graph/device_sql.h"
#include "reports/sections/amount.h"

enum { MOST_COPIES = 30 };

/* Devices of the tensors of a program, of its arenas, and that its delegates ask for.
 */
static const char away_sql[] =
    "WITH " DG_SQL_WANTED
    "SELECT coalesce((SELECT 1 FROM value JOIN graph ON graph.id ="
    " graph_id JOIN method ON method.id = method_id WHERE artifact_id = ?1 AND"
    " device <> 'cpu' LIMIT 1), (SELECT 1 FROM arena JOIN method ON method.id ="
    " method_id WHERE artifact_id = ?1 AND device <> 'cpu' LIMIT 1), (SELECT 1 FROM"
    " wanted JOIN method ON method.id = method_id WHERE artifact_id = ?1"
    " AND device <> 'cpu' LIMIT 1), 0)";

static const char tensors_sql[] =
    "SELECT method.name AS \"Method:code\", coalesce(device, '(not told)') AS"
    " \"Device:code\", count(*) AS \"Tensors:count\", total(nbytes) AS \"Bytes:bytes\""
    " FROM value JOIN graph ON graph.id = graph_id JOIN method ON method.id = method_id"
    " WHERE artifact_id = ?1 AND value.kind = 'tensor' GROUP BY method.id, device"
    " ORDER BY method.id, total(nbytes) DESC, device";

static const char totals_sql[] =
    "WITH " DG_SQL_CROSSINGS "SELECT iif(to_device, 'Copied to ' || device,"
    "  'Copied from ' || device || ' to the host'), printf('%,d %s, %,lld bytes%s',"
    "  count(*), iif(count(*) = 1, 'copy', 'copies'), CAST(total(nbytes) AS INTEGER),"
    "  iif(count(*) > count(nbytes), ' and some of unknown size', '')), NULL"
    " FROM crossings GROUP BY to_device, device ORDER BY to_device DESC, device";

static const char copies_sql[] =
    "WITH " DG_SQL_CROSSINGS "SELECT node.name AS \"Node:node\","
    " iif(to_device, 'host', crossings.device) AS \"From:code\","
    " iif(to_device, crossings.device, 'host') AS \"To:code\","
    " coalesce(value.name, 'value ' || value.idx) AS \"Value:code\","
    " coalesce(dtype, '') || coalesce(shape, '') AS \"Type:code\","
    " crossings.nbytes AS \"Bytes:bytes\" FROM crossings"
    " JOIN node ON node.id = node_id LEFT JOIN value ON value.id = crossings.value_id"
    " ORDER BY crossings.nbytes DESC, node.id, to_device DESC";

static enum dg_status show_copies(struct dg_page *page,
                                  const struct dg_report_input *input, const char *sql,
                                  bool list, struct dg_error *err)
{
    const char *path = input->path;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, input->store,
        "SELECT id, name FROM method WHERE artifact_id = ?1 ORDER BY id", err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, input->artifact);
    while (!status && dg_rows_next(&rows)) {
        int64_t method = dg_rows_int(&rows, 0);

        if (list)
            status = dg_page_query(
                page, NULL,
                dg_format(&page->memory, "Copies of %s, the largest first",
                          dg_rows_text(&rows, 1))
                    .data,
                input->store, sql, method, MOST_COPIES,
                dg_format(&page->memory, "delegraph query %s @device-crossings", path)
                    .data,
                NULL, err);
        else
            status = dg_section_facts(page, input->store, sql, method, err);
    }
    return dg_rows_close(&rows, status, err);
}

static enum dg_status draw(struct dg_page *page, const struct dg_report_input *input,
                           struct dg_error *err)
{
    const struct dg_view *view = dg_view_find("devices");

    if (!view)
        return DG_OK;
    return dg_section_picture(page, input, "devices-picture",
                              "Host and devices, and what is copied between them", view,
                              &(struct dg_view_options){0}, err);
}

static enum dg_status is_away(bool *away, const struct dg_report_input *input,
                              struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, input->store, away_sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, input->artifact);
    *away = dg_rows_next(&rows) && dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    bool away = false;
    enum dg_status status = is_away(&away, input, err);

    if (!status && !away) {
        page->forms = DG_FORM_HTML;
        dg_page_say(page, DG_TONE_PLAIN,
                    "All tensors live on the host: nothing is copied to a device.");
        return DG_OK;
    }
    if (!status)
        status = show_copies(page, input, totals_sql, false, err);
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (!status)
        status =
            dg_page_query(page, "devices-tensors", "Tensors by device", input->store,
                          tensors_sql, input->artifact, 0, NULL, NULL, err);
    page->forms = DG_FORM_HTML;
    if (!status)
        status = draw(page, input, err);
    return status ? status : show_copies(page, input, copies_sql, true, err);
}

const struct dg_section dg_section_devices = {
    .id = "devices",
    .title = "Devices and copies",
    .write = write,
};
