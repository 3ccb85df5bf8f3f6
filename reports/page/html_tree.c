/* Trees of a page: nested lists that fold. */
#include "reports/page/html_parts.h"
#include "reports/picture/svg.h"

/* What lies deeper is listed there: each level costs width. */
enum { DEEPEST = 12, OPEN_LEVELS = 2, LONGEST_NAME = 200 };

struct branch { /* areas by number + 1; 0: none */
    size_t up, first, last, next, depth;
};

static void hang(struct branch *branches, size_t area, size_t parent)
{
    struct branch *self = &branches[area + 1], *up;

    self->up = parent == SIZE_MAX ? 0 : parent + 1;
    if (branches[self->up].depth == DEEPEST)
        self->up = branches[self->up].up;
    up = &branches[self->up];
    self->depth = up->depth + 1;
    if (up->first)
        branches[up->last].next = area + 1;
    else
        up->first = area + 1;
    up->last = area + 1;
}

static int64_t most_bytes(const struct dg_block *block)
{
    int64_t most = 0;

    for (size_t i = 0; i < block->n_areas; i++)
        if (block->areas[i].bytes > most)
            most = block->areas[i].bytes;
    return most;
}

static void write_line(struct dg_html *html, const struct dg_area *area, int64_t most)
{
    dg_print(html->out, "<span class=\"name\">");
    dg_write_xml(html->out, dg_elide(&html->memory, area->name, LONGEST_NAME));
    if (area->note.size) {
        dg_write_element(html->out, " <span class=\"muted\">",
                         dg_elide(&html->memory, area->note, LONGEST_NAME), "</span>");
    }
    dg_print(html->out, "</span>");
    if (area->count >= 0) {
        dg_print(html->out, " <span class=\"n\">");
        dg_html_count(html->out, (double)area->count);
        dg_print(html->out, "</span>");
    }
    if (area->bytes >= 0) {
        dg_print(html->out, " <span class=\"n bar w%d\">",
                 most ? dg_html_bar((double)area->bytes / (double)most) : 0);
        dg_html_amount(html->out, (double)area->bytes, true);
        dg_print(html->out, "</span>");
    }
}

static void write_start(struct dg_html *html, const struct dg_block *block,
                        const struct branch *self, size_t area, int64_t most)
{
    dg_print(html->out, "<li>");
    if (self->first)
        dg_print(html->out, "<details%s><summary>",
                 self->depth < OPEN_LEVELS ? " open" : "");
    else
        dg_print(html->out, "<div>");
    write_line(html, &block->areas[area], most);
    dg_print(html->out, self->first ? "</summary>\n<ul>\n" : "</div></li>\n");
}

void dg_html_areas(struct dg_html *html, const struct dg_block *block)
{
    struct branch *branches =
        dg_alloc(&html->memory, block->n_areas + 1, sizeof(*branches));
    int64_t most = most_bytes(block);
    size_t at;

    for (size_t i = 0; i < block->n_areas; i++)
        hang(branches, i, block->areas[i].parent);
    dg_print(html->out, "<div class=\"scroll\"><ul class=\"tree\">\n");
    for (at = branches[0].first; at;) {
        write_start(html, block, &branches[at], at - 1, most);
        if (branches[at].first) {
            at = branches[at].first;
            continue;
        }
        while (at && !branches[at].next) {
            at = branches[at].up;
            if (at)
                dg_print(html->out, "</ul></details></li>\n");
        }
        at = branches[at].next;
    }
    dg_print(html->out, "</ul></div>\n");
}

void dg_html_tree(struct dg_html *html, const struct dg_block *block)
{
    dg_html_figure(html, "areas", block->id, block->title);
    dg_html_areas(html, block);
    dg_print(html->out, "</figure>\n");
    dg_html_command(html, block->command);
}
