/* Differences for people: a sentence, then a section for each kind. */
#include "cli/diff_print.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/quantity.h"
#include "reports/page/markdown.h"

enum {
    SHOWN = 20, /* of a kind */
    CLIPPED = 120,
};

static const char *const headings[DG_DIFF_KINDS] = {
    [DG_DIFF_METHOD] = "Methods",
    [DG_DIFF_GRAPH] = "Graphs",
    [DG_DIFF_OP] = "Operators",
    [DG_DIFF_VALUE] = "Shapes and dtypes",
    [DG_DIFF_SIGNATURE] = "Signature",
    [DG_DIFF_STATE] = "Mutable buffers",
    [DG_DIFF_WEIGHT] = "Weights",
    [DG_DIFF_DELEGATE] = "Delegates",
    [DG_DIFF_INSIDE] = "Inside of delegates",
    [DG_DIFF_LIBRARY] = "Libraries",
    [DG_DIFF_MEMORY] = "Planned memory",
    [DG_DIFF_SIZE] = "Sizes",
    [DG_DIFF_FLOPS] = "Cost",
    [DG_DIFF_FINDING] = "Findings",
    [DG_DIFF_NAME] = "Names",
    [DG_DIFF_SOURCE] = "Source",
    [DG_DIFF_METADATA] = "Metadata",
};

/* At most so much of it, and no part of a character. */
static void write_clipped(struct dg_writer *out, struct dg_text text)
{
    bool clip = text.size > CLIPPED;

    if (clip) {
        text.size = CLIPPED;
        while (text.size && (text.data[text.size] & 0xc0) == 0x80)
            text.size--;
    }
    dg_write_plain(out, text);
    if (clip)
        dg_print(out, "...");
}

static void write_change(struct dg_writer *out, const struct dg_difference *item)
{
    if (!item->old.data && !item->new.data)
        return;
    dg_print(out, "  ");
    if (item->old.data)
        write_clipped(out, item->old);
    if (item->change >= DG_DIFF_CHANGED)
        dg_print(out, "%s-> %s", item->old.data ? " " : "nothing ",
                 item->new.data ? "" : "nothing");
    if (item->new.data)
        write_clipped(out, item->new);
}

static void write_place(struct dg_writer *out, const struct dg_difference *item)
{
    if (item->module.size) {
        dg_print(out, "  in ");
        write_clipped(out, item->module);
    }
    if (item->graph.size) {
        dg_print(out, "  graph ");
        write_clipped(out, item->graph);
    }
    if (item->method.size && !dg_text_is(item->method, "forward")) {
        dg_print(out, "  method ");
        write_clipped(out, item->method);
    }
}

/* " and 10 more nodes"; what differs is said behind it, unless it is they. */
static void write_count(struct dg_writer *out, const struct dg_difference *item,
                        struct dg_text *what)
{
    int64_t n = item->count - 1;

    if (n < 1)
        return;
    dg_print(out, " and %" PRId64 " more node%s", n, n == 1 ? "" : "s");
    if (dg_text_is(*what, "nodes"))
        *what = (struct dg_text){0};
}

static void write_item(struct dg_writer *out, const struct dg_difference *item)
{
    struct dg_text first = item->what, second = item->name;

    if (item->change == DG_DIFF_CHANGED && item->name.data) {
        first = item->name;
        second = item->what;
    }
    dg_print(out, "%c", "+-!!"[item->change]);
    if (first.size) {
        dg_print(out, " ");
        write_clipped(out, first);
    }
    write_count(out, item, &second);
    if (second.size && !dg_text_equal(first, second)) {
        dg_print(out, " ");
        write_clipped(out, second);
    }
    write_change(out, item);
    if (item->note.size) {
        dg_print(out, "  (");
        write_clipped(out, item->note);
        dg_print(out, ")");
    }
    write_place(out, item);
    dg_print(out, "\n");
}

/* The differences of one kind, which follow one another; returns how many they are. */
static size_t write_kind(struct dg_writer *out, const struct dg_diff *diff,
                         size_t first, const char *indent)
{
    size_t n = 0;

    while (first + n < diff->n_items &&
           diff->items[first + n].kind == diff->items[first].kind)
        n++;
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        dg_print(out, "%s", indent);
        write_item(out, &diff->items[first + i]);
    }
    if (n > SHOWN)
        dg_print(out, "%sand %zu more (--format json has all)\n", indent, n - SHOWN);
    return n;
}

static void write_size(struct dg_writer *out, const char *what, int64_t old,
                       int64_t new)
{
    struct dg_arena memory = {0};
    struct dg_text sizes[] = {dg_size_text(&memory, old), dg_size_text(&memory, new)};

    dg_print(out, "%s %s", what, sizes[0].data);
    if (!dg_text_equal(sizes[0], sizes[1]))
        dg_print(out, " -> %s", sizes[1].data);
    dg_arena_clear(&memory);
}

static void write_sizes(struct dg_writer *out, const struct dg_diff *diff)
{
    const struct dg_diff_sizes *old = &diff->sizes[0], *new = &diff->sizes[1];

    write_size(out, "file", old->file, new->file);
    write_size(out, "; weights", old->weights, new->weights);
    write_size(out, ", blobs", old->blobs, new->blobs);
    write_size(out, ", the rest", dg_diff_rest(old), dg_diff_rest(new));
    dg_print(out, "\n");
}

static void write_unknown(struct dg_writer *out, const struct dg_diff *diff)
{
    for (size_t i = 0; i < diff->n_unknown; i++)
        dg_print(out, "Not compared: %s\n", diff->unknown[i].data);
}

void dg_write_diff_text(struct dg_writer *out, const struct dg_diff_answer *answer)
{
    const struct dg_diff *diff = answer->diff;

    dg_diff_write_sentence(out, diff);
    dg_print(out, "\n");
    for (size_t i = 0; i < diff->n_items;) {
        dg_print(out, "\n%s\n", headings[diff->items[i].kind]);
        i += write_kind(out, diff, i, "  ");
    }
    if (diff->n_items) {
        dg_print(out, "\n");
        write_sizes(out, diff);
    }
    write_unknown(out, diff);
}

void dg_write_diff_markdown(struct dg_writer *out, const struct dg_diff_answer *answer,
                            size_t max_lines)
{
    const struct dg_diff *diff = answer->diff;
    struct dg_writer text = {0};

    dg_diff_write_sentence(&text, diff);
    dg_print(out, "**");
    dg_write_markdown(out, dg_written(&text));
    dg_print(out, "**\n");
    for (size_t i = 0; i < diff->n_items;) {
        dg_print(out, "\n%s\n\n", headings[diff->items[i].kind]);
        text.size = 0;
        i += write_kind(&text, diff, i, "");
        dg_write_markdown_lines(out, dg_written(&text), "diff");
    }
    if (diff->n_items) {
        dg_print(out, "\n");
        write_sizes(out, diff);
    }
    write_unknown(out, diff);
    if (max_lines)
        dg_markdown_cut(out, max_lines);
    dg_writer_clear(&text);
}
