/* Tables of a page. Scripts sort by what the cell shows, or by its data-v. */
#include <math.h>

#include "reports/page/html_parts.h"
#include "reports/picture/svg.h"

enum { LONGEST_CELL = 300, SENTENCE = 40, TALL = 25 };

static const char *const severities[][2] = {
    {"error", "✗"}, {"warning", "▲"}, {"note", "●"},
    {"pass", "✓"},  {"fail", "✗"},    {"skip", "–"},
};

struct shown_column {
    size_t at; /* in the sheet */
    enum dg_cell_kind kind;
    double full;  /* what a full bar stands for; 0: no bars */
    bool is_long; /* sentences: they give way to the other columns */
};

static bool is_number(enum dg_cell_kind kind)
{
    return kind == DG_CELL_COUNT || kind == DG_CELL_BYTES || kind == DG_CELL_PERCENT ||
           kind == DG_CELL_REAL || kind == DG_CELL_TREND;
}

static bool names_row(enum dg_cell_kind kind)
{
    return kind == DG_CELL_TEXT || kind == DG_CELL_CODE || kind == DG_CELL_NODE ||
           kind == DG_CELL_FINDING;
}

/* What a full bar stands for; 0: the column has no bars. */
static double full_bar(const struct dg_sheet *sheet, size_t column)
{
    double most = 0;

    if (sheet->columns[column].kind == DG_CELL_PERCENT)
        return 100;
    if (sheet->columns[column].kind != DG_CELL_BYTES ||
        sheet->n_cells < 2 * sheet->n_columns)
        return 0;
    for (size_t i = column; i < sheet->n_cells; i += sheet->n_columns)
        most = fmax(most, sheet->cells[i].number);
    return most;
}

static bool is_empty(const struct dg_sheet *sheet, size_t column)
{
    for (size_t i = column; i < sheet->n_cells; i += sheet->n_columns)
        if (!sheet->cells[i].none &&
            (!sheet->cells[i].text.data || sheet->cells[i].text.size))
            return false;
    return true;
}

static bool holds_sentences(const struct dg_sheet *sheet, size_t column)
{
    if (sheet->columns[column].kind != DG_CELL_TEXT)
        return false;
    for (size_t i = column; i < sheet->n_cells; i += sheet->n_columns)
        if (sheet->cells[i].text.size > SENTENCE)
            return true;
    return false;
}

/* Columns without content in any row are not shown. */
static struct shown_column *choose_columns(struct dg_html *html,
                                           const struct dg_sheet *sheet, size_t *n)
{
    struct shown_column *columns =
        dg_alloc(&html->memory, sheet->n_columns, sizeof(*columns));

    *n = 0;
    for (size_t i = 0; i < sheet->n_columns; i++)
        if (!is_empty(sheet, i))
            columns[(*n)++] =
                (struct shown_column){i, sheet->columns[i].kind, full_bar(sheet, i),
                                      holds_sentences(sheet, i)};
    return columns;
}

static void write_severity(struct dg_html *html, struct dg_text word)
{
    for (size_t i = 0; i < sizeof(severities) / sizeof(*severities); i++) {
        if (dg_text_is(word, severities[i][0])) {
            dg_print(html->out,
                     "<span class=\"sev %s\"><span aria-hidden=\"true\">%s</span> "
                     "%s</span>",
                     severities[i][0], severities[i][1], severities[i][0]);
            return;
        }
    }
    dg_write_xml(html->out, word);
}

static void write_text(struct dg_html *html, enum dg_cell_kind kind,
                       struct dg_text whole)
{
    struct dg_text text = dg_elide(&html->memory, whole, LONGEST_CELL);
    bool link = kind == DG_CELL_NODE && dg_html_has(html, dg_text("nodes"));

    if (kind == DG_CELL_SEVERITY) {
        write_severity(html, text);
        return;
    }
    if (link)
        dg_print(html->out, "<a class=\"node\" href=\"#nodes\">");
    else if (kind == DG_CELL_CODE || kind == DG_CELL_NODE)
        dg_print(html->out, "<code>");
    dg_write_xml(html->out, text);
    if (link)
        dg_print(html->out, "</a>");
    else if (kind == DG_CELL_CODE || kind == DG_CELL_NODE)
        dg_print(html->out, "</code>");
}

static struct dg_text finding_anchor(struct dg_html *html, double number)
{
    return dg_format(&html->memory, "finding-%.0f", number);
}

static void write_number(struct dg_html *html, enum dg_cell_kind kind, double number)
{
    switch (kind) {
    case DG_CELL_BYTES:
        dg_html_amount(html->out, number, true);
        break;
    case DG_CELL_PERCENT:
        dg_print(html->out, "%.1f %%", number);
        break;
    case DG_CELL_REAL:
        dg_print(html->out, "%.4g", number);
        break;
    case DG_CELL_FINDING:
        dg_print(html->out, "<a href=\"#%s\">%.0f</a>",
                 finding_anchor(html, number).data, number);
        break;
    default:
        dg_html_count(html->out, number);
    }
}

static void write_attributes(struct dg_html *html, const struct shown_column *column,
                             const struct dg_cell *cell)
{
    bool measured = !cell->none && !cell->text.data;

    if (column->is_long)
        dg_print(html->out, " class=\"long\"");
    if (!is_number(column->kind))
        return;
    dg_print(html->out, " class=\"n");
    if (column->full > 0 && measured)
        dg_print(html->out, " bar w%d", dg_html_bar(cell->number / column->full));
    dg_print(html->out, "\"");
    if (measured && column->kind != DG_CELL_COUNT)
        dg_print(html->out, " data-v=\"%.10g\"", cell->number);
}

static void write_cell(struct dg_html *html, const struct shown_column *column,
                       bool first, const struct dg_cell *cell)
{
    bool heads = first && names_row(column->kind) && !cell->none;

    dg_print(html->out, heads ? "<th scope=\"row\"" : "<td");
    write_attributes(html, column, cell);
    dg_print(html->out, ">");
    if (cell->text.data)
        write_text(html, column->kind, cell->text);
    else if (cell->trend && !cell->none)
        dg_html_trend(html, cell->trend);
    else if (!cell->none)
        write_number(html, column->kind, cell->number);
    dg_print(html->out, heads ? "</th>" : "</td>");
}

/* A finding that has no part of its own in the page is found in its row. */
static void write_row_start(struct dg_html *html, enum dg_cell_kind kind,
                            const struct dg_cell *cell)
{
    struct dg_text anchor;

    dg_print(html->out, "<tr");
    if (kind == DG_CELL_FINDING && !cell->none && !cell->text.data) {
        anchor = finding_anchor(html, cell->number);
        if (!dg_html_has(html, anchor)) {
            dg_html_write_id(html, anchor);
            dg_text_set_add(&html->anchors, anchor);
        }
    }
    dg_print(html->out, ">");
}

static void write_header(struct dg_html *html, const struct dg_sheet *sheet,
                         const struct shown_column *columns, size_t n)
{
    dg_print(html->out, "<thead><tr>");
    for (size_t i = 0; i < n; i++) {
        dg_print(html->out, "<th scope=\"col\"%s>",
                 is_number(columns[i].kind) ? " class=\"n\"" : "");
        dg_write_xml(html->out, sheet->columns[columns[i].at].name);
        dg_print(html->out, "</th>");
    }
    dg_print(html->out, "</tr></thead>\n<tbody>\n");
}

static void write_rows(struct dg_html *html, const struct dg_sheet *sheet,
                       const struct shown_column *columns, size_t n)
{
    for (size_t i = 0; i + sheet->n_columns <= sheet->n_cells; i += sheet->n_columns) {
        const struct dg_cell *row = &sheet->cells[i];

        write_row_start(html, sheet->columns[0].kind, row);
        for (size_t j = 0; j < n; j++)
            write_cell(html, &columns[j], j == 0, &row[columns[j].at]);
        dg_print(html->out, "</tr>\n");
    }
}

static void write_left_out(struct dg_html *html, const struct dg_sheet *sheet)
{
    dg_print(html->out, "<p class=\"more\">");
    dg_html_count(html->out, (double)sheet->n_left_out);
    dg_print(html->out, " more %s%s</p>\n", sheet->n_left_out == 1 ? "row" : "rows",
             sheet->more.size ? ":" : " not shown");
    dg_html_command(html, sheet->more);
}

void dg_html_table(struct dg_html *html, const struct dg_block *block)
{
    const struct dg_sheet *sheet = &block->sheet;
    size_t n;
    const struct shown_column *columns = choose_columns(html, sheet, &n);

    if (!n)
        return;
    dg_print(html->out, "<div class=\"scroll%s\">\n<table",
             sheet->n_cells / sheet->n_columns > TALL ? " tall" : "");
    dg_html_write_id(html, block->id);
    dg_write_element(html->out, ">\n<caption>", block->title, "</caption>\n");
    write_header(html, sheet, columns, n);
    write_rows(html, sheet, columns, n);
    dg_print(html->out, "</tbody>\n</table>\n</div>\n");
    if (sheet->n_left_out)
        write_left_out(html, sheet);
    dg_html_command(html, block->command);
}
