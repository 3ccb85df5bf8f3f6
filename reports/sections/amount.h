/* Amounts as people read them, in the words of a section. */
#ifndef DG_REPORTS_AMOUNT_H
#define DG_REPORTS_AMOUNT_H

#include "base/sum.h"
#include "reports/sections/section.h"

const char *dg_amount_bytes(struct dg_page *page, int64_t bytes); /* "1.5 MiB" */
const char *dg_amount_count(struct dg_page *page, int64_t count); /* "1.2 M" */
const char *dg_amount_of(struct dg_page *page, int64_t count, const char *one,
                         const char *many); /* "1 op", "2 ops" */

/* Of 1; below 0 where there is nothing to have a share of. */
double dg_share(int64_t part, int64_t whole);

/* The same of 100 as a cell of a table. */
void dg_table_share(struct dg_page *page, int64_t part, int64_t whole);

/* A fact for each row of `sql` with ?1 = row: name, text, share or NULL. */
enum dg_status dg_section_facts(struct dg_page *page, struct dg_store *store,
                                const char *sql, int64_t row, struct dg_error *err);

#endif
