/* A report as text for a terminal: what stands in one column. */
#include "reports/page/terminal.h"

#include <stdlib.h>

#include "reports/page/display_width.h"
#include "reports/page/grid.h"
#include "reports/page/text_drawing.h"

enum { FACT_BAR = 20 };

static void write_paragraph(struct dg_writer *out, struct dg_text text,
                            enum dg_tone tone, const struct dg_page_options *options)
{
    struct dg_writer plain = {0};
    size_t next;

    dg_write_plain(&plain, text);
    for (struct dg_text rest = dg_written(&plain); rest.size;
         rest.data += next, rest.size -= next) {
        size_t room = (size_t)options->width - DG_TERMINAL_INDENT;

        dg_write_blanks(out, DG_TERMINAL_INDENT);
        dg_write_tone(out, tone, options);
        dg_write(out, rest.data, dg_display_line(rest, room, &next));
        if (tone)
            dg_write_end_tone(out, options);
        dg_write(out, "\n", 1);
    }
    dg_writer_clear(&plain);
}

/* Lines of the text itself stay lines. */
static void write_lines(struct dg_writer *out, const struct dg_block *block,
                        const struct dg_page_options *options)
{
    struct dg_text rest = block->text;

    while (rest.size) {
        const char *end = memchr(rest.data, '\n', rest.size);
        size_t size = end ? (size_t)(end - rest.data) : rest.size;

        write_paragraph(out, (struct dg_text){rest.data, size}, block->tone, options);
        size += end != NULL;
        rest.data += size;
        rest.size -= size;
    }
}

static void write_underlined(struct dg_writer *out, struct dg_text text,
                             const char *line, const struct dg_page_options *options)
{
    struct dg_writer plain = {0};

    dg_write_plain(&plain, text);
    dg_write_bold(out, options);
    dg_write_text(out, dg_written(&plain));
    dg_write_end_tone(out, options);
    dg_write(out, "\n", 1);
    for (size_t i = dg_display_width(dg_written(&plain)); i && i <= 10000; i--)
        dg_print(out, "%s", line);
    dg_write(out, "\n", 1);
    dg_writer_clear(&plain);
}

static void write_caption(struct dg_writer *out, struct dg_text text,
                          const struct dg_page_options *options)
{
    if (!text.size)
        return;
    dg_write_blanks(out, DG_TERMINAL_INDENT);
    dg_write_bold(out, options);
    dg_write_plain(out, text);
    dg_write_end_tone(out, options);
    dg_write(out, "\n", 1);
}

/* Not broken: it is there to be copied. */
static void write_command(struct dg_writer *out, struct dg_text text)
{
    if (!text.size)
        return;
    dg_print(out, "    $ ");
    dg_write_plain(out, text);
    dg_write(out, "\n", 1);
}

static void write_facts(struct dg_writer *out, const struct dg_block *block,
                        const struct dg_page_options *options)
{
    struct dg_grid grid = {0};
    bool bars = false;

    for (size_t i = 0; i < block->n_facts; i++)
        bars = bars || block->facts[i].share >= 0;
    dg_grid_column(&grid, false, DG_GRID_WRAPPED);
    dg_grid_column(&grid, false, DG_GRID_WHOLE);
    dg_grid_column(&grid, false, DG_GRID_WRAPPED);
    for (size_t i = 0; i < block->n_facts; i++) {
        const struct dg_fact *fact = &block->facts[i];

        dg_write_plain(&grid.text, fact->name);
        dg_grid_end_cell(&grid, DG_TONE_PLAIN);
        if (fact->share >= 0)
            dg_write_bar(&grid.text, fact->share, FACT_BAR, true, options->ascii);
        dg_grid_end_cell(&grid, DG_TONE_NOTE);
        dg_write_plain(&grid.text, fact->value);
        dg_grid_end_cell(&grid, fact->tone);
    }
    grid.columns[1].shown = bars;
    dg_grid_give_up(&grid, 1, DG_TERMINAL_INDENT, options);
    dg_grid_write(out, &grid, DG_TERMINAL_INDENT, false, options);
    dg_grid_clear(&grid);
}

static void write_block(struct dg_writer *out, const struct dg_block *block,
                        const struct dg_page_options *options)
{
    if (block->kind != DG_BLOCK_SECTION && block->kind != DG_BLOCK_DATA)
        write_caption(out, block->title, options);
    switch (block->kind) {
    case DG_BLOCK_SECTION:
        write_underlined(out, block->title, options->ascii ? "-" : "─", options);
        break;
    case DG_BLOCK_TEXT:
        write_lines(out, block, options);
        break;
    case DG_BLOCK_COMMAND:
        write_command(out, block->text);
        break;
    case DG_BLOCK_FACTS:
        write_facts(out, block, options);
        break;
    case DG_BLOCK_TABLE:
        dg_terminal_table(out, block, options);
        break;
    case DG_BLOCK_CHART:
        dg_terminal_chart(out, block, options);
        break;
    case DG_BLOCK_TREEMAP:
    case DG_BLOCK_TREE:
        dg_terminal_tree(out, block, options);
        break;
    case DG_BLOCK_PICTURE:
        write_paragraph(out, block->desc, DG_TONE_PLAIN, options);
        break;
    case DG_BLOCK_HEADING:
    case DG_BLOCK_OPEN:
    case DG_BLOCK_CLOSE:
    case DG_BLOCK_DATA:
        break;
    }
    write_command(out, block->command);
}

/* A blank line goes before a block, but none between what belongs together. */
static bool stands_apart(const struct dg_block *before, const struct dg_block *block)
{
    if (block->kind == DG_BLOCK_COMMAND && before->kind == DG_BLOCK_TEXT)
        return false;
    return before->kind != DG_BLOCK_SECTION && before->kind != DG_BLOCK_HEADING &&
           before->kind != DG_BLOCK_OPEN;
}

void dg_page_text(struct dg_writer *out, const struct dg_page *page,
                  const struct dg_page_options *options)
{
    struct dg_page_options how = *options;
    const struct dg_block **blocks, *before = NULL;
    size_t n;

    if (how.width <= 0)
        how.width = DG_TERMINAL_WIDTH;
    if (how.width < 2 * DG_TERMINAL_INDENT)
        how.width = 2 * DG_TERMINAL_INDENT;
    blocks = dg_page_shown(page, DG_FORM_TEXT, &n);
    if (page->title.size)
        write_underlined(out, page->title, how.ascii ? "=" : "═", &how);
    for (size_t i = 0; i < n; i++) {
        if (blocks[i]->kind == DG_BLOCK_CLOSE || blocks[i]->kind == DG_BLOCK_DATA)
            continue;
        if (before ? stands_apart(before, blocks[i]) : page->title.size)
            dg_write(out, "\n", 1);
        write_block(out, blocks[i], &how);
        before = blocks[i];
    }
    free(blocks);
}
