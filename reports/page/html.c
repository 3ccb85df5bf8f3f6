/* A report as one page of HTML that needs nothing else. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/quantity.h"
#include "reports/page/html_parts.h"
#include "reports/picture/svg.h"

static const char *const tones[] = {
    [DG_TONE_PLAIN] = "plain", [DG_TONE_GOOD] = "good", [DG_TONE_BAD] = "bad",
    [DG_TONE_WARN] = "warn",   [DG_TONE_NOTE] = "note",
};

const char *dg_html_id(struct dg_html *html, const struct dg_block *block)
{
    return block->id.data
               ? block->id.data
               : dg_format(&html->memory, "drawing-%zu", ++html->n_unnamed).data;
}

bool dg_html_has(const struct dg_html *html, struct dg_text anchor)
{
    return dg_text_set_find(&html->anchors, anchor) != DG_NO_TEXT;
}

void dg_html_write_id(struct dg_html *html, struct dg_text id)
{
    if (!id.data)
        return;
    dg_write_element(html->out, " id=\"", id, "\"");
}

void dg_html_figure(struct dg_html *html, const char *css_class, struct dg_text id,
                    struct dg_text caption)
{
    dg_print(html->out, "<figure class=\"%s\"", css_class);
    dg_html_write_id(html, id);
    dg_write_element(html->out, ">\n<figcaption>", caption, "</figcaption>\n");
}

void dg_html_drawing(struct dg_html *html, const char *css_class, int width, int height,
                     const char *id, struct dg_text title)
{
    dg_print(
        html->out,
        "<div class=\"scroll\"><svg class=\"%s\" role=\"img\" "
        "viewBox=\"0 0 %d %d\" aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
        css_class, width, height, id, id, id);
    dg_write_element(html->out, "", title, "</title>");
    dg_print(html->out, "<desc id=\"%s-d\">", id);
}

void dg_html_command(struct dg_html *html, struct dg_text command)
{
    if (!command.size)
        return;
    dg_write_element(html->out, "<pre class=\"command\"><code>", command,
                     "</code></pre>\n");
}

void dg_html_count(struct dg_writer *out, double count)
{
    char digits[32];
    int n = snprintf(digits, sizeof(digits), "%.0f", fabs(count) < 1e18 ? count : 0);

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0 && digits[i - 1] != '-')
            dg_print(out, ",");
        dg_print(out, "%c", digits[i]);
    }
}

void dg_html_amount(struct dg_writer *out, double amount, bool bytes)
{
    if (bytes && fabs(amount) < 9e18)
        dg_write_size(out, (int64_t)amount);
    else
        dg_html_count(out, amount);
}

int dg_html_bar(double share)
{
    return share > 0 ? 2 * (int)ceil(50 * fmin(share, 1)) : 0;
}

static const char style_sheet[] =
#include "reports/page/report.css.inc"
    ;

static const char script[] =
#include "reports/page/report.js.inc"
    ;

static void write_style(struct dg_writer *out)
{
    dg_print(out, "%s", style_sheet);
    for (int percent = 0; percent <= 100; percent += 2)
        dg_print(out, ".w%d{background-size:%d%% 3px}\n", percent, percent);
    dg_write_svg_style(out);
}

/* 'sha256-...' of what a <style> or <script> holds. */
static void write_source_hash(struct dg_html *html, struct dg_text content)
{
    struct dg_bytes bytes = {(const uint8_t *)content.data, content.size};

    dg_print(html->out, "'sha256-%s'", dg_sha256_base64(bytes, &html->memory).data);
}

static void write_policy(struct dg_html *html, struct dg_text style)
{
    dg_print(html->out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
                        "default-src 'none'; style-src ");
    write_source_hash(html, style);
    dg_print(html->out, "; script-src ");
    write_source_hash(html, dg_text(script));
    dg_print(html->out, "; img-src data:; base-uri 'none'; form-action 'none'\">\n");
}

static struct dg_text base_name(struct dg_text path)
{
    for (size_t i = path.size; i-- > 0;)
        if (path.data[i] == '/')
            return (struct dg_text){path.data + i + 1, path.size - i - 1};
    return path;
}

static void write_head(struct dg_html *html, const struct dg_page *page)
{
    struct dg_writer style = {0};

    write_style(&style);
    dg_print(html->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                        "<meta charset=\"utf-8\">\n");
    write_policy(html, dg_written(&style));
    dg_write_element(html->out,
                     "<meta name=\"viewport\" content=\"width=device-width, "
                     "initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                     base_name(page->title), " – delegraph report</title>\n<style>");
    dg_write(html->out, style.data, style.size);
    dg_print(html->out, "</style>\n</head>\n");
    dg_writer_clear(&style);
}

static void write_contents(struct dg_html *html, const struct dg_block *const *blocks,
                           size_t n)
{
    dg_print(html->out, "<nav aria-label=\"Sections\">\n<ul>\n");
    for (size_t i = 0; i < n; i++) {
        if (blocks[i]->kind != DG_BLOCK_SECTION)
            continue;
        dg_write_element(html->out, "<li><a href=\"#", blocks[i]->id, "\">");
        dg_write_xml(html->out, blocks[i]->title);
        dg_print(html->out, "</a></li>\n");
    }
    dg_print(html->out, "</ul>\n</nav>\n");
}

static void write_banner(struct dg_html *html, const struct dg_page *page)
{
    dg_write_element(
        html->out,
        "<body>\n<a class=\"skip\" href=\"#content\">Skip to the "
        "report</a>\n<header>\n<p class=\"tool\">delegraph report</p>\n"
        "<h1>",
        base_name(page->title),
        "</h1>\n<div id=\"tools\" class=\"tools\" hidden></div>\n</header>\n");
}

/* Where `text` has "#x" and the page an anchor x, that is a link. */
static void write_linked(struct dg_html *html, struct dg_text text)
{
    size_t from = 0;

    for (size_t i = 0; i < text.size; i++) {
        size_t n = 0;
        struct dg_text anchor;

        while (text.data[i] == '#' && i + 1 + n < text.size &&
               (text.data[i + 1 + n] == '-' || text.data[i + 1 + n] == '_' ||
                strchr("abcdefghijklmnopqrstuvwxyz0123456789", text.data[i + 1 + n])))
            n++;
        anchor = (struct dg_text){text.data + i + 1, n};
        if (!n || !dg_html_has(html, anchor))
            continue;
        dg_write_xml(html->out, (struct dg_text){text.data + from, i - from});
        dg_print(html->out, "<a href=\"#%.*s\">#%.*s</a>", (int)n, anchor.data, (int)n,
                 anchor.data);
        from = i + 1 + n;
        i += n;
    }
    dg_write_xml(html->out, (struct dg_text){text.data + from, text.size - from});
}

static void write_section(struct dg_html *html, const struct dg_block *block)
{
    if (html->in_section)
        dg_print(html->out, "</section>\n");
    html->in_section = true;
    dg_print(html->out, "<section");
    dg_html_write_id(html, block->id);
    dg_print(html->out, " aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">",
             block->id.data, block->id.data);
    dg_write_xml(html->out, block->title);
    dg_print(html->out, "</h2>\n");
}

static void write_heading(struct dg_html *html, const struct dg_block *block)
{
    dg_print(html->out, "<h3");
    dg_html_write_id(html, block->id);
    dg_print(html->out, ">");
    dg_write_xml(html->out, block->title);
    if (block->id.data) {
        dg_write_element(html->out, " <a class=\"here\" href=\"#", block->id,
                         "\" aria-label=\"Link to this\">#</a>");
    }
    dg_print(html->out, "</h3>\n");
}

static void write_paragraph(struct dg_html *html, const struct dg_block *block)
{
    dg_print(html->out, "<p");
    dg_html_write_id(html, block->id);
    dg_print(html->out, " class=\"say %s\">", tones[block->tone]);
    write_linked(html, block->text);
    dg_print(html->out, "</p>\n");
}

static void write_fact(struct dg_html *html, const struct dg_fact *fact)
{
    dg_print(html->out, "<div class=\"%s", tones[fact->tone]);
    if (fact->share >= 0)
        dg_print(html->out, " bar w%d", dg_html_bar(fact->share));
    dg_write_element(html->out, "\"><dt>", fact->name, "</dt><dd>");
    write_linked(html, fact->value);
    dg_print(html->out, "</dd></div>\n");
}

/* Facts that follow one another are one list. */
static void write_facts(struct dg_html *html, const struct dg_block *block)
{
    if (!html->in_facts) {
        dg_print(html->out, "<dl class=\"facts\"");
        dg_html_write_id(html, block->id);
        dg_print(html->out, ">\n");
    }
    for (size_t i = 0; i < block->n_facts; i++)
        write_fact(html, &block->facts[i]);
    html->in_facts = true;
}

static void end_facts(struct dg_html *html)
{
    if (html->in_facts)
        dg_print(html->out, "</dl>\n");
    html->in_facts = false;
}

static void write_picture(struct dg_html *html, const struct dg_block *block)
{
    dg_html_figure(html, "picture", block->id, block->title);
    dg_print(html->out, "<div class=\"scroll\">");
    dg_write_text(html->out, block->text);
    dg_print(html->out, "</div>\n");
    if (block->desc.size) {
        dg_write_element(html->out, "<p class=\"desc\">", block->desc, "</p>\n");
    }
    dg_html_command(html, block->command);
    dg_print(html->out, "</figure>\n");
}

static void write_open(struct dg_html *html, const struct dg_block *block)
{
    dg_print(html->out, "<details");
    dg_html_write_id(html, block->id);
    dg_print(html->out, "%s><summary>", block->open ? " open" : "");
    dg_write_xml(html->out, block->title);
    dg_print(html->out, "</summary>\n");
}

/* JSON in which no tag can begin. */
static void write_data(struct dg_html *html, const struct dg_block *block)
{
    size_t from = 0;

    dg_print(html->out, "<script type=\"application/json\"");
    dg_html_write_id(html, block->id);
    dg_print(html->out, ">");
    for (size_t i = 0; i < block->text.size; i++) {
        if (block->text.data[i] != '<')
            continue;
        dg_write(html->out, block->text.data + from, i - from);
        dg_print(html->out, "\\u003c");
        from = i + 1;
    }
    dg_write(html->out, block->text.data + from, block->text.size - from);
    dg_print(html->out, "</script>\n");
}

static void write_command(struct dg_html *html, const struct dg_block *block)
{
    dg_html_command(html, block->text);
}

static void write_close(struct dg_html *html, const struct dg_block *block)
{
    dg_print(html->out, "</details>\n");
}

static void (*const writers[])(struct dg_html *, const struct dg_block *) = {
    [DG_BLOCK_SECTION] = write_section, [DG_BLOCK_HEADING] = write_heading,
    [DG_BLOCK_TEXT] = write_paragraph,  [DG_BLOCK_COMMAND] = write_command,
    [DG_BLOCK_FACTS] = write_facts,     [DG_BLOCK_TABLE] = dg_html_table,
    [DG_BLOCK_CHART] = dg_html_chart,   [DG_BLOCK_TREEMAP] = dg_html_treemap,
    [DG_BLOCK_TREE] = dg_html_tree,     [DG_BLOCK_PICTURE] = write_picture,
    [DG_BLOCK_OPEN] = write_open,       [DG_BLOCK_CLOSE] = write_close,
    [DG_BLOCK_DATA] = write_data,
};

static void write_body(struct dg_html *html, const struct dg_page *page,
                       const struct dg_block *const *blocks, size_t n)
{
    write_banner(html, page);
    write_contents(html, blocks, n);
    dg_print(html->out, "<main id=\"content\">\n");
    for (size_t i = 0; i < n; i++) {
        if (blocks[i]->kind != DG_BLOCK_FACTS)
            end_facts(html);
        writers[blocks[i]->kind](html, blocks[i]);
    }
    end_facts(html);
    if (html->in_section)
        dg_print(html->out, "</section>\n");
    dg_print(html->out, "</main>\n<script>%s</script>\n</body>\n</html>\n", script);
}

void dg_page_html(struct dg_writer *out, const struct dg_page *page)
{
    struct dg_html html = {.out = out};
    size_t n;
    const struct dg_block **blocks = dg_page_shown(page, DG_FORM_HTML, &n);

    for (size_t i = 0; i < n; i++)
        if (blocks[i]->id.data)
            dg_text_set_add(&html.anchors, blocks[i]->id);
    write_head(&html, page);
    write_body(&html, page, blocks, n);
    dg_text_set_clear(&html.anchors);
    dg_arena_clear(&html.memory);
    free(blocks);
}
