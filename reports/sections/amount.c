/* Amounts as people read them, in the words of a section. */
#include "reports/sections/amount.h"

#include <inttypes.h>

#include "base/quantity.h"
#include "reports/picture/picture.h"

const char *dg_amount_bytes(struct dg_page *page, int64_t bytes)
{
    return dg_size_text(&page->memory, bytes).data;
}

const char *dg_amount_count(struct dg_page *page, int64_t count)
{
    struct dg_writer text = {0};

    dg_write_count(&text, count);
    return dg_keep(&page->memory, &text).data;
}

const char *dg_amount_of(struct dg_page *page, int64_t count, const char *one,
                         const char *many)
{
    return dg_format(&page->memory, "%" PRId64 " %s", count, count == 1 ? one : many)
        .data;
}

double dg_share(int64_t part, int64_t whole)
{
    return whole > 0 && part >= 0 ? (double)part / (double)whole : -1;
}

void dg_table_share(struct dg_page *page, int64_t part, int64_t whole)
{
    if (whole > 0)
        dg_table_number(page, 100 * dg_share(part, whole));
    else
        dg_table_none(page);
}

enum dg_status dg_section_facts(struct dg_page *page, struct dg_store *store,
                                const char *sql, int64_t row, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, sql, row, err);

    while (dg_rows_next(&rows))
        dg_page_fact(page, dg_rows_null(&rows, 2) ? -1 : dg_rows_double(&rows, 2),
                     dg_rows_text(&rows, 0), "%s", dg_rows_text(&rows, 1));
    return dg_rows_close(&rows, DG_OK, err);
}
