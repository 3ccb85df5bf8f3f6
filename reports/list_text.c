/* ls for people: a table with aligned columns. */
#include "reports/listing.h"

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    enum dg_status status = dg_listing_open(&rows, &listing, store, options, err);

    return status ? status : dg_write_table(out, &rows, 0, true, err);
}

const struct dg_report dg_report_list_text = {
    "list-text",
    "rows as an aligned table",
    write,
};
