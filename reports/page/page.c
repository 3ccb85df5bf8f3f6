/* Building a report block by block. */
#include "reports/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct dg_text keep(struct dg_page *page, struct dg_text text)
{
    if (!text.data)
        return text;
    return (struct dg_text){dg_copy(&page->memory, text), text.size};
}

static struct dg_text keep_list(struct dg_page *page, const char *fmt, va_list args)
{
    return fmt ? dg_format_list(&page->memory, fmt, args) : (struct dg_text){0};
}

static struct dg_block *append(struct dg_page *page, enum dg_block_kind kind,
                               const char *id, struct dg_text title)
{
    struct dg_block *block = DG_APPEND(page->blocks, page->n_blocks);

    *block = (struct dg_block){.kind = kind,
                               .forms = page->forms ? page->forms : DG_FORM_ALL,
                               .id = keep(page, dg_text(id)),
                               .title = title};
    return block;
}

static struct dg_block *newest(struct dg_page *page)
{
    return &page->blocks[page->n_blocks - 1];
}

void dg_page_section(struct dg_page *page, const char *id, const char *title)
{
    append(page, DG_BLOCK_SECTION, id, keep(page, dg_text(title)))->forms = DG_FORM_ALL;
}

void dg_page_heading(struct dg_page *page, const char *id, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    append(page, DG_BLOCK_HEADING, id, keep_list(page, fmt, args));
    va_end(args);
}

void dg_page_say(struct dg_page *page, enum dg_tone tone, const char *fmt, ...)
{
    struct dg_block *block = append(page, DG_BLOCK_TEXT, NULL, (struct dg_text){0});
    va_list args;

    va_start(args, fmt);
    block->text = keep_list(page, fmt, args);
    block->tone = tone;
    va_end(args);
}

void dg_page_command(struct dg_page *page, const char *fmt, ...)
{
    struct dg_block *block = append(page, DG_BLOCK_COMMAND, NULL, (struct dg_text){0});
    va_list args;

    va_start(args, fmt);
    block->text = keep_list(page, fmt, args);
    va_end(args);
}

void dg_page_open(struct dg_page *page, const char *id, bool open, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    append(page, DG_BLOCK_OPEN, id, keep_list(page, fmt, args))->open = open;
    va_end(args);
}

void dg_page_close(struct dg_page *page)
{
    append(page, DG_BLOCK_CLOSE, NULL, (struct dg_text){0});
}

void dg_page_fact(struct dg_page *page, double share, const char *name, const char *fmt,
                  ...)
{
    unsigned forms = page->forms ? page->forms : DG_FORM_ALL;
    struct dg_block *block = page->n_blocks ? newest(page) : NULL;
    struct dg_fact *fact;
    va_list args;

    if (!block || block->kind != DG_BLOCK_FACTS || block->forms != forms)
        block = append(page, DG_BLOCK_FACTS, NULL, (struct dg_text){0});
    fact = DG_APPEND(block->facts, block->n_facts);
    va_start(args, fmt);
    *fact = (struct dg_fact){.name = keep(page, dg_text(name)),
                             .value = keep_list(page, fmt, args),
                             .share = share};
    va_end(args);
}

struct dg_block *dg_page_block(struct dg_page *page, enum dg_block_kind kind,
                               const char *id, const char *caption)
{
    return append(page, kind, id, keep(page, dg_text(caption)));
}

struct dg_block *dg_page_table(struct dg_page *page, const char *id,
                               const char *caption)
{
    return dg_page_block(page, DG_BLOCK_TABLE, id, caption);
}

static void add_column(struct dg_page *page, struct dg_text name,
                       enum dg_cell_kind kind)
{
    struct dg_sheet *sheet = &newest(page)->sheet;

    *DG_APPEND(sheet->columns, sheet->n_columns) =
        (struct dg_column){keep(page, name), kind};
}

void dg_table_column(struct dg_page *page, const char *name, enum dg_cell_kind kind)
{
    add_column(page, dg_text(name), kind);
}

static struct dg_cell *add_cell(struct dg_page *page)
{
    struct dg_sheet *sheet = &newest(page)->sheet;

    return DG_APPEND(sheet->cells, sheet->n_cells);
}

void dg_table_text(struct dg_page *page, struct dg_text text)
{
    *add_cell(page) = (struct dg_cell){.text = keep(page, text), .none = !text.data};
}

void dg_table_number(struct dg_page *page, double number)
{
    *add_cell(page) = (struct dg_cell){.number = number};
}

void dg_table_trend(struct dg_page *page, const struct dg_trend *trend)
{
    struct dg_trend *kept = dg_alloc(&page->memory, 1, sizeof(*kept));
    double newest = dg_trend_newest(trend);

    *kept = *trend;
    kept->values = dg_alloc(&page->memory, trend->n, sizeof(*kept->values));
    for (size_t i = 0; i < trend->n; i++)
        kept->values[i] = trend->values[i];
    *add_cell(page) =
        (struct dg_cell){.number = newest, .trend = kept, .none = !isfinite(newest)};
}

void dg_table_none(struct dg_page *page)
{
    *add_cell(page) = (struct dg_cell){.none = true};
}

void dg_table_more(struct dg_page *page, size_t n_left_out, const char *fmt, ...)
{
    struct dg_sheet *sheet = &newest(page)->sheet;
    va_list args;

    va_start(args, fmt);
    sheet->n_left_out = n_left_out;
    sheet->more = keep_list(page, fmt, args);
    va_end(args);
}

struct dg_area *dg_page_area(struct dg_page *page, size_t parent, struct dg_text name,
                             int64_t bytes, int64_t count)
{
    struct dg_block *block = newest(page);
    struct dg_area *area = DG_APPEND(block->areas, block->n_areas);

    *area = (struct dg_area){
        .name = keep(page, name), .parent = parent, .bytes = bytes, .count = count};
    return area;
}

void dg_page_picture(struct dg_page *page, const char *id, const char *title,
                     struct dg_text svg, const char *desc, const char *command)
{
    struct dg_block *block = dg_page_block(page, DG_BLOCK_PICTURE, id, title);

    block->text = keep(page, svg);
    block->desc = keep(page, dg_text(desc));
    block->command = keep(page, dg_text(command));
}

void dg_page_data(struct dg_page *page, const char *id, struct dg_text json)
{
    struct dg_block *block = append(page, DG_BLOCK_DATA, id, (struct dg_text){0});

    block->forms = DG_FORM_HTML;
    block->text = keep(page, json);
}

void dg_page_clear(struct dg_page *page)
{
    for (size_t i = 0; i < page->n_blocks; i++) {
        struct dg_block *block = &page->blocks[i];

        free(block->facts);
        free(block->areas);
        free(block->sheet.columns);
        free(block->sheet.cells);
    }
    free(page->blocks);
    dg_arena_clear(&page->memory);
    *page = (struct dg_page){0};
}

/* A section or details that nothing follows inside is dropped again. */
static void drop_empty(const struct dg_block **shown, size_t *n_shown,
                       const struct dg_block *next)
{
    while (*n_shown) {
        enum dg_block_kind last = shown[*n_shown - 1]->kind;
        bool empty = next && next->kind == DG_BLOCK_CLOSE ? last == DG_BLOCK_OPEN
                                                          : last == DG_BLOCK_SECTION;

        if (last == DG_BLOCK_HEADING &&
            (!next || next->kind == DG_BLOCK_SECTION || next->kind == DG_BLOCK_CLOSE))
            empty = true;
        if (!empty)
            return;
        --*n_shown;
        if (last == DG_BLOCK_OPEN)
            return;
    }
}

const struct dg_block **dg_page_shown(const struct dg_page *page, enum dg_form form,
                                      size_t *n_shown)
{
    const struct dg_block **shown = NULL;
    size_t n = 0;

    for (size_t i = 0; i < page->n_blocks; i++) {
        const struct dg_block *block = &page->blocks[i];
        bool was_open = n && shown[n - 1]->kind == DG_BLOCK_OPEN;

        if (!(block->forms & (unsigned)form))
            continue;
        if (block->kind == DG_BLOCK_SECTION || block->kind == DG_BLOCK_CLOSE)
            drop_empty(shown, &n, block);
        if (block->kind == DG_BLOCK_CLOSE && was_open)
            continue;
        *DG_APPEND(shown, n) = block;
    }
    drop_empty(shown, &n, NULL);
    *n_shown = n;
    return shown;
}
