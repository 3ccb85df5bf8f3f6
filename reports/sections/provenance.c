/* Where the program and this report come from: enough to make both again. */
#include "reports/sections/section.h"

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    dg_page_fact(page, -1, "delegraph", "%s", input->version);
    dg_page_command(page, "%s", input->invocation);
    return DG_OK;
}

const struct dg_section dg_section_provenance = {
    .id = "provenance",
    .title = "Provenance",
    .write = write,
};
