/* ls as one JSON document. */
#include "reports/listing.h"

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    enum dg_status status = dg_listing_open(&rows, &listing, store, options, err);
    const char *before = "\n";

    if (status)
        return status;
    dg_print(out, "{\"schema_version\":1,\"%s\":[", listing->key);
    while (dg_rows_next(&rows)) {
        dg_print(out, "%s", before);
        dg_write_row(out, &rows, DG_ROW_JSON);
        before = ",\n";
    }
    dg_print(out, "]}\n");
    return dg_rows_close(&rows, DG_OK, err);
}

const struct dg_report dg_report_list_json = {
    "list-json",
    "rows as one JSON document",
    write,
};
