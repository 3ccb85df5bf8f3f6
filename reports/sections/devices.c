/* Where tensors live, and what is copied between host and devices. */
#include "graph/device_sql.h"
#include "reports/sections/section.h"

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

static enum dg_status show_copies(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        input->store, "SELECT id, name FROM method WHERE artifact_id = ?1 ORDER BY id",
        input->artifact, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = dg_section_rows(page, input, "copies", dg_rows_int(&rows, 0),
                                 dg_rows_text(&rows, 1), err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    int64_t away;
    enum dg_status status =
        dg_store_int_of(input->store, away_sql, input->artifact, 0, &away, err);

    if (!status && !away) {
        page->forms = DG_FORM_HTML;
        dg_page_say(page, DG_TONE_PLAIN,
                    "All tensors live on the host: nothing is copied to a device.");
        return DG_OK;
    }
    if (!status)
        status = show_copies(page, input, err);
    if (!status)
        status = dg_section_rows(page, input, "tensors", input->artifact, NULL, err);
    page->forms = DG_FORM_HTML;
    if (!status)
        status =
            dg_section_picture(page, input, "devices-picture",
                               "Host and devices, and what is copied between them",
                               &dg_view_devices, &(struct dg_view_options){0}, err);
    return status;
}

const struct dg_section dg_section_devices = {
    .id = "devices",
    .title = "Devices and copies",
    .write = write,
};
