/* A report as Markdown, short enough for a comment on GitHub. */
#include "reports/page/markdown.h"

#include <stdlib.h>
#include <string.h>

#include "reports/page/terminal.h"
#include "reports/page/text_drawing.h"

enum {
    LONGEST = 65536, /* of a comment */
    ENDING = 1024,   /* kept for what ends it */
    BAR = 10,
    LONG_TABLE = 8, /* rows that are not folded */
    SPARKLINE = 60,
    TREE_WIDTH = 100,
};

static void write_mark(struct dg_writer *out, enum dg_tone tone)
{
    static const char *const marks[] = {[DG_TONE_PLAIN] = "",
                                        [DG_TONE_GOOD] = "✅ ",
                                        [DG_TONE_BAD] = "❌ ",
                                        [DG_TONE_WARN] = "⚠️ ",
                                        [DG_TONE_NOTE] = ""};

    dg_print(out, "%s", marks[tone]);
}

static void write_command(struct dg_writer *out, struct dg_text command)
{
    struct dg_writer plain = {0};

    if (!command.size)
        return;
    dg_write_plain(&plain, command);
    dg_write_markdown_lines(out, dg_written(&plain), "sh");
    dg_writer_clear(&plain);
}

static void write_facts(struct dg_writer *out, const struct dg_block *block)
{
    for (size_t i = 0; i < block->n_facts; i++) {
        const struct dg_fact *fact = &block->facts[i];

        dg_print(out, "* ");
        dg_write_markdown(out, fact->name);
        dg_print(out, ": ");
        write_mark(out, fact->tone);
        if (fact->share >= 0)
            dg_write_bar(out, fact->share, BAR, true, false);
        dg_print(out, fact->share >= 0 ? " **" : "**");
        dg_write_markdown(out, fact->value);
        dg_print(out, "**\n");
    }
}

static bool is_code(enum dg_cell_kind kind)
{
    return kind == DG_CELL_CODE || kind == DG_CELL_NODE;
}

static bool is_right(enum dg_cell_kind kind)
{
    return !is_code(kind) && kind != DG_CELL_TEXT && kind != DG_CELL_SEVERITY;
}

static void write_header(struct dg_writer *out, const struct dg_sheet *sheet)
{
    for (size_t i = 0; i < sheet->n_columns; i++) {
        dg_print(out, "| ");
        dg_write_markdown(out, sheet->columns[i].name);
        dg_write(out, " ", 1);
    }
    dg_print(out, "|\n");
    for (size_t i = 0; i < sheet->n_columns; i++)
        dg_print(out, "|%s", is_right(sheet->columns[i].kind) ? "--:" : ":--");
    dg_print(out, "|\n");
}

static void write_cell(struct dg_writer *out, const struct dg_cell *cell,
                       enum dg_cell_kind kind)
{
    struct dg_writer text = {0};

    if (cell->none || cell->text.data) {
        if (is_code(kind))
            dg_write_markdown_code(out, cell->text);
        else
            dg_write_markdown(out, cell->text);
        return;
    }
    dg_write_cell(&text, cell, kind);
    dg_write_markdown(out, dg_written(&text));
    if (cell->trend)
        dg_write_course(out, cell->trend);
    dg_writer_clear(&text);
}

static void write_table(struct dg_writer *out, const struct dg_sheet *sheet)
{
    if (!sheet->n_columns)
        return;
    write_header(out, sheet);
    for (size_t i = 0; i < sheet->n_cells; i++) {
        dg_print(out, "| ");
        write_cell(out, &sheet->cells[i], sheet->columns[i % sheet->n_columns].kind);
        dg_print(out, (i + 1) % sheet->n_columns ? " " : " |\n");
    }
    if (!sheet->n_left_out)
        return;
    dg_print(out, "\nand %zu more%s", sheet->n_left_out, sheet->more.size ? ": " : "");
    dg_write_markdown_code(out, sheet->more);
    dg_write(out, "\n", 1);
}

static void write_chart(struct dg_writer *out, const struct dg_chart *chart)
{
    struct dg_writer peak = {0};

    if (!chart->n_steps || !chart->n_series)
        return;
    dg_write(out, "`", 1);
    dg_write_sparkline(out, chart, SPARKLINE);
    dg_print(out, "` peak ");
    dg_write_peak(&peak, chart);
    dg_write_markdown(out, dg_written(&peak));
    dg_write(out, "\n", 1);
    dg_writer_clear(&peak);
}

static void write_tree(struct dg_writer *out, const struct dg_block *block)
{
    struct dg_page_options how = {.width = TREE_WIDTH};
    struct dg_writer text = {0};

    dg_terminal_tree(&text, block, &how);
    dg_write_markdown_lines(out, dg_written(&text), "");
    dg_writer_clear(&text);
}

static void write_paragraphs(struct dg_writer *out, const struct dg_block *block)
{
    struct dg_text rest = block->text;

    write_mark(out, block->tone);
    while (rest.size) {
        const char *end = memchr(rest.data, '\n', rest.size);
        size_t size = end ? (size_t)(end - rest.data) : rest.size;

        dg_write_markdown(out, (struct dg_text){rest.data, size});
        dg_print(out, end ? "\\\n" : "\n");
        size += end != NULL;
        rest.data += size;
        rest.size -= size;
    }
}

static void open_details(struct dg_writer *out, struct dg_text summary, bool open)
{
    dg_print(out, "<details%s><summary>", open ? " open" : "");
    dg_write_markdown_html(out, summary.size ? summary : dg_text("more"));
    dg_print(out, "</summary>\n\n");
}

static bool is_long(const struct dg_block *block)
{
    return block->kind == DG_BLOCK_TREEMAP || block->kind == DG_BLOCK_TREE ||
           (block->sheet.n_columns &&
            block->sheet.n_cells / block->sheet.n_columns > LONG_TABLE);
}

static void write_body(struct dg_writer *out, const struct dg_block *block)
{
    switch (block->kind) {
    case DG_BLOCK_TEXT:
        write_paragraphs(out, block);
        break;
    case DG_BLOCK_COMMAND:
        write_command(out, block->text);
        break;
    case DG_BLOCK_FACTS:
        write_facts(out, block);
        break;
    case DG_BLOCK_TABLE:
        write_table(out, &block->sheet);
        break;
    case DG_BLOCK_CHART:
        write_chart(out, &block->chart);
        break;
    case DG_BLOCK_TREEMAP:
    case DG_BLOCK_TREE:
        write_tree(out, block);
        break;
    case DG_BLOCK_PICTURE:
        dg_write_markdown(out, block->desc);
        dg_write(out, "\n", 1);
        break;
    default:
        break;
    }
    write_command(out, block->command);
}

static void write_titled(struct dg_writer *out, const char *before,
                         struct dg_text title, const char *after)
{
    if (!title.size)
        return;
    dg_print(out, "%s", before);
    dg_write_markdown(out, title);
    dg_print(out, "%s", after);
}

/* One list, in the reader's eyes. */
static bool goes_on(const struct dg_block *block, const struct dg_block *next)
{
    return next && block->kind == DG_BLOCK_FACTS && next->kind == DG_BLOCK_FACTS;
}

static void write_block(struct dg_writer *out, const struct dg_block *block,
                        const struct dg_block *next, bool may_fold)
{
    bool folded = may_fold && is_long(block);

    if (block->kind == DG_BLOCK_SECTION) {
        write_titled(out, "### ", block->title, "\n");
    } else if (block->kind == DG_BLOCK_HEADING) {
        write_titled(out, "#### ", block->title, "\n");
    } else if (block->kind == DG_BLOCK_OPEN) {
        open_details(out, block->title, block->open);
    } else if (block->kind == DG_BLOCK_CLOSE) {
        dg_print(out, "</details>\n");
    } else {
        if (folded)
            open_details(out, block->title, false);
        else
            write_titled(out, "**", block->title, "**\n\n");
        write_body(out, block);
        dg_print(out, folded ? "\n</details>\n" : "");
    }
    if (!goes_on(block, next))
        dg_write(out, "\n", 1);
}

struct comment {
    struct dg_writer *out;
    size_t begin, n_open, n_left_out;
};

static bool is_frame(const struct dg_block *block)
{
    return block->kind == DG_BLOCK_SECTION || block->kind == DG_BLOCK_HEADING ||
           block->kind == DG_BLOCK_OPEN || block->kind == DG_BLOCK_CLOSE;
}

/* A block is written whole or left out; false: not even a frame has room. */
static bool add_block(struct comment *comment, const struct dg_block *block,
                      const struct dg_block *next)
{
    size_t used = comment->out->size - comment->begin + ENDING;
    struct dg_writer piece = {0};
    bool fits;

    write_block(&piece, block, next, !comment->n_open);
    fits = used + piece.size <= LONGEST;
    if (fits)
        dg_write_text(comment->out, dg_written(&piece));
    else
        comment->n_left_out++;
    if (block->kind == DG_BLOCK_OPEN)
        comment->n_open += fits;
    if (block->kind == DG_BLOCK_CLOSE)
        comment->n_open -= fits;
    dg_writer_clear(&piece);
    return fits || !is_frame(block);
}

static void end_comment(struct comment *comment, size_t n_unseen)
{
    size_t n = comment->n_left_out + n_unseen;

    for (; comment->n_open; comment->n_open--)
        dg_print(comment->out, "</details>\n\n");
    if (n)
        dg_print(comment->out,
                 "%zu part%s left out: a comment holds %d characters, and `delegraph "
                 "report` has all.\n",
                 n, n == 1 ? " is" : "s are", LONGEST);
    while (comment->out->size > comment->begin + 1 &&
           !memcmp(comment->out->data + comment->out->size - 2, "\n\n", 2))
        comment->out->data[--comment->out->size] = '\0';
}

void dg_page_markdown(struct dg_writer *out, const struct dg_page *page)
{
    struct comment comment = {.out = out, .begin = out->size};
    size_t n, i = 0;
    const struct dg_block **blocks = dg_page_shown(page, DG_FORM_MARKDOWN, &n);

    write_titled(out, "## ", page->title, "\n\n");
    while (i < n && add_block(&comment, blocks[i], i + 1 < n ? blocks[i + 1] : NULL))
        i++;
    end_comment(&comment, i < n ? n - i - 1 : 0);
    free(blocks);
}

static size_t n_lines(struct dg_text text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.size; i++)
        n += text.data[i] == '\n';
    return n;
}

/* Where the line behind the first `n` begins; *fence: how many backticks close what is
 * open there, or 0. */
static size_t skip_lines(struct dg_text text, size_t n, int *fence)
{
    size_t at = 0;

    *fence = 0;
    for (; n; n--) {
        int ticks = (int)strspn(text.data + at, "`");

        if (!*fence && ticks >= 3)
            *fence = ticks;
        else if (*fence && ticks >= *fence)
            *fence = 0;
        at += strcspn(text.data + at, "\n") + 1;
    }
    return at;
}

void dg_markdown_cut(struct dg_writer *out, size_t most)
{
    enum { END = 3 }; /* a fence, a blank line, and how many more */
    size_t n = n_lines(dg_written(out)), kept = most - END;
    int fence;

    if (n <= most)
        return;
    out->size = skip_lines(dg_written(out), kept, &fence);
    if (fence)
        dg_print(out, "%.*s\n", fence, "````````````````````````````````");
    dg_print(out, "\nand %zu more lines\n", n - kept);
}
