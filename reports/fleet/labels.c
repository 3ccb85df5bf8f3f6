/* Labels of builds: which there are, and from which value to which. */
#include "reports/fleet/section.h"

enum { MOST_ROWS = 20 };

#define SHORT(text)                                                                    \
    "iif(length(" text ") > 40, substr(" text ", 1, 39) || '…', " text ")"

/* In the order of builds: of dates that is the time span. */
static const char labels_sql[] = DG_SQL_BUILDS
    ", given AS MATERIALIZED (SELECT label.name, value, count(*) AS n,"
    "    min(label.build_id) AS first, max(label.build_id) AS newest"
    "   FROM build JOIN build_label AS label ON label.build_id = build.build_id"
    "   GROUP BY label.name, value),"
    " ranked AS (SELECT *, sum(n) OVER (PARTITION BY name) AS builds,"
    "    count(*) OVER (PARTITION BY name) AS n_values,"
    "    first_value(value) OVER (PARTITION BY name ORDER BY first, value) AS oldest,"
    "    first_value(value) OVER (PARTITION BY name ORDER BY newest DESC, value) AS "
    "latest,"
    "    row_number() OVER (PARTITION BY name ORDER BY n DESC, first, value) AS nth"
    "   FROM given)"
    " SELECT " SHORT(
        "name") " AS \"Label:code\", builds AS \"Builds:count\","
                "  n_values AS \"Values:count\", " SHORT(
                    "oldest") " AS \"Of the first build:code\","
                              "  " SHORT(
                                  "latest") " AS \"Of the newest:code\", "
                                            "group_concat(iif(nth > 3, NULL,"
                                            "   " SHORT(
                                                "value") "), ', ')"
                                                         "   || iif(n_values > 3, "
                                                         "printf(' and %d more', "
                                                         "n_values - 3), '')"
                                                         "   AS \"Which, the most "
                                                         "frequent first:text\""
                                                         " FROM (SELECT * FROM ranked "
                                                         "ORDER BY name, nth)"
                                                         " GROUP BY name ORDER BY "
                                                         "builds DESC, name";

static enum dg_status write(struct dg_page *page, const struct dg_fleet_input *input,
                            struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_builds_open(&rows, input->store, labels_sql, &input->choice, err);
    const char *more =
        dg_format(
            &page->memory,
            "delegraph query %s 'SELECT name, count(*) FROM build_label GROUP BY name'",
            input->path)
            .data;

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    return status ? status
                  : dg_page_rows(page, "labels-table", "Labels of builds", &rows,
                                 MOST_ROWS, more, NULL, err);
}

const struct dg_fleet_section dg_fleet_section_labels = {
    .id = "labels",
    .title = "Labels",
    .write = write,
};
