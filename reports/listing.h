/* What ls can list: one query for each kind of thing, written out by reports list-*. */
#ifndef DG_REPORTS_LISTING_H
#define DG_REPORTS_LISTING_H

#include "reports/report.h"
#include "reports/rows.h"

struct dg_listing {
    const char *what; /* as the user says it: "named-data" */
    const char *key;  /* in JSON: "named_data" */
    const char *sql;  /* ?1: artifact or 0, ?2: GLOB or NULL, ?3: method or NULL */
};

extern const struct dg_listing dg_listings[]; /* ends with what == NULL */

/* Begin to visit what options->what names; fails with the near miss if there is no such
 * listing. */
enum dg_status dg_listing_open(struct dg_rows *rows, const struct dg_listing **listing,
                               struct dg_store *store,
                               const struct dg_report_options *options,
                               struct dg_error *err);

#endif
