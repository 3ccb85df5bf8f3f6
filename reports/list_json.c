/* ls as one JSON document. */
#include "reports/listing.h"

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
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

const struct dg_report dg_report_list_json = {
    "list-json",
    "rows as one JSON document",
    write,
};
