/* ls for programs, a line for each row: CSV, JSON lines, tab separated. */
#include "reports/listing.h"

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            enum dg_row_form form, struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    enum dg_status status = dg_listing_open(&rows, &listing, store, options, err);

    return status ? status : dg_write_rows(out, &rows, form, err);
}

static enum dg_status write_csv(struct dg_writer *out, struct dg_store *store,
                                const struct dg_report_options *options,
                                struct dg_error *err)
{
    return write(out, store, options, DG_ROW_CSV, err);
}

static enum dg_status write_jsonl(struct dg_writer *out, struct dg_store *store,
                                  const struct dg_report_options *options,
                                  struct dg_error *err)
{
    return write(out, store, options, DG_ROW_JSON, err);
}

static enum dg_status write_plain(struct dg_writer *out, struct dg_store *store,
                                  const struct dg_report_options *options,
                                  struct dg_error *err)
{
    return write(out, store, options, DG_ROW_PLAIN, err);
}

const struct dg_report dg_report_list_csv = {
    "list-csv",
    "rows as RFC 4180 lines",
    write_csv,
};

const struct dg_report dg_report_list_jsonl = {
    "list-jsonl",
    "rows as a JSON object on each line",
    write_jsonl,
};

const struct dg_report dg_report_list_plain = {
    "list-plain",
    "rows as tab separated lines",
    write_plain,
};
