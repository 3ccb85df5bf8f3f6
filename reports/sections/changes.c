/* What changed from an older program: the sentence, a picture, and the differences. */
#include <inttypes.h>

#include "reports/sections/section.h"

enum {
    UNFOLDED = 12, /* rows of a table that is open at first */
    MOST_IN_PAGE = 200,
    MOST_IN_TEXT = 20,
};

struct comparison {
    int64_t id; /* 0: there is none */
    struct dg_text old, result, summary;
    int64_t n_rows, n_calls;
};

static const char comparison_sql[] =
    "SELECT id, old, result, summary,"
    " (SELECT count(*) FROM difference WHERE comparison_id = comparison.id),"
    " (SELECT count(*) FROM difference WHERE comparison_id = comparison.id"
    "   AND kind IN ('op', 'value'))"
    " FROM comparison WHERE artifact_id = ?1 ORDER BY id DESC LIMIT 1";

static enum dg_status read_comparison(struct comparison *comparison,
                                      struct dg_page *page,
                                      const struct dg_report_input *input,
                                      struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(input->store, comparison_sql, input->artifact, err);

    if (dg_rows_next(&rows))
        *comparison = (struct comparison){
            dg_rows_int(&rows, 0),
            dg_rows_keep(&page->memory, &rows, 1),
            dg_rows_keep(&page->memory, &rows, 2),
            dg_rows_keep(&page->memory, &rows, 3),
            dg_rows_int(&rows, 4),
            dg_rows_int(&rows, 5),
        };
    return dg_rows_close(&rows, DG_OK, err);
}

/* What could not be compared is no equality. */
static enum dg_status say_unknown(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  const struct comparison *comparison,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        input->store,
        "SELECT item.value FROM comparison, json_each(not_compared) AS item"
        " WHERE comparison.id = ?1 AND item.type = 'text' ORDER BY item.key LIMIT 20",
        comparison->id, err);

    while (dg_rows_next(&rows))
        dg_page_say(page, DG_TONE_WARN, "Not compared: %s", dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status draw(struct dg_page *page, const struct dg_report_input *input,
                           const struct comparison *comparison, struct dg_error *err)
{
    const struct dg_view_options options = {.max_boxes = 60};

    if (!comparison->n_calls)
        return DG_OK;
    page->forms = DG_FORM_HTML;
    return dg_section_picture(page, input, "changes-picture", "What changed",
                              &dg_view_diff, &options, err);
}

static const char differences_sql[] =
    "SELECT kind AS \"Kind:text\", change AS \"Change:text\", what AS \"What:code\","
    " name AS \"Name:code\", old AS \"Old:code\", new AS \"New:code\","
    " note AS \"Note:text\", module AS \"Module:code\", nullif(graph, '')"
    " AS \"Graph:code\", nullif(count, 1) AS \"Times:count\""
    " FROM difference WHERE comparison_id = ?1 ORDER BY id";

static enum dg_status list(struct dg_page *page, const struct dg_report_input *input,
                           const struct comparison *comparison, unsigned forms,
                           struct dg_error *err)
{
    bool html = forms == DG_FORM_HTML, folds = html && comparison->n_rows > UNFOLDED;
    const char *more =
        dg_format(&page->memory, "delegraph diff %s %s --format json",
                  dg_shell_path(&page->memory, comparison->old).data, input->path)
            .data;
    enum dg_status status;

    page->forms = forms;
    if (folds)
        dg_page_open(page, "changes-all", false, "%" PRId64 " differences",
                     comparison->n_rows);
    status = dg_page_query(page, html ? "changes-table" : NULL, "Differences",
                           input->store, differences_sql, comparison->id,
                           html ? MOST_IN_PAGE : MOST_IN_TEXT, more, NULL, err);
    if (folds)
        dg_page_close(page);
    return status;
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    struct comparison comparison = {0};
    enum dg_status status = read_comparison(&comparison, page, input, err);

    if (status || !comparison.id)
        return status;
    dg_page_say(page,
                dg_text_is(comparison.result, "same")      ? DG_TONE_GOOD
                : dg_text_is(comparison.result, "unknown") ? DG_TONE_WARN
                                                           : DG_TONE_PLAIN,
                "From %s: %s.", comparison.old.data, comparison.summary.data);
    status = say_unknown(page, input, &comparison, err);
    if (!status)
        status = draw(page, input, &comparison, err);
    if (!status && comparison.n_rows)
        status = list(page, input, &comparison, DG_FORM_HTML, err);
    if (!status && comparison.n_rows)
        status = list(page, input, &comparison, DG_FORM_MARKDOWN | DG_FORM_TEXT, err);
    return status;
}

const struct dg_section dg_section_changes = {
    .id = "changes",
    .title = "What changed",
    .write = write,
};
