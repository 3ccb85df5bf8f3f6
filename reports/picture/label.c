/* What boxes, links, frames and a whole picture say of themselves. */
#include "reports/picture/label.h"

#include <stdlib.h>

#include "base/quantity.h"

enum {
    WIDTH = 28,     /* characters of a line */
    HEIGHT = 5,     /* lines below the first two */
    TIP_LINES = 40, /* of a tooltip */
    MESSAGE = 400,  /* characters of a finding */
    PAGE = 100,
};

void dg_lines_add(struct dg_lines *lines, struct dg_text text)
{
    *DG_APPEND(lines->items, lines->n_items) = text;
}

void dg_lines_say(struct dg_lines *lines, struct dg_arena *memory, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    dg_lines_add(lines, dg_format_list(memory, fmt, args));
    va_end(args);
}

void dg_lines_clear(struct dg_lines *lines)
{
    free(lines->items);
    *lines = (struct dg_lines){0};
}

static void add_short(struct dg_lines *lines, struct dg_arena *memory,
                      struct dg_text text)
{
    dg_lines_add(lines, dg_elide(memory, text, WIDTH));
}

/* "f32[1,8] 32 B": the size stays whole. */
static struct dg_text sized_value(struct dg_arena *memory, const struct dg_box *box,
                                  size_t width)
{
    struct dg_text size, value;

    if (!box->value.data || box->nbytes <= 0)
        return dg_elide(memory, box->value, width);
    size = dg_size_text(memory, box->nbytes);
    value =
        dg_elide(memory, box->value, width > size.size + 8 ? width - size.size - 1 : 8);
    return dg_format(memory, "%.*s %s", (int)value.size, value.data, size.data);
}

/* "linear_3  model.py:88" in one line if it fits, then "f32[1,8] 32 B". */
static void add_name_and_value(struct dg_lines *lines, struct dg_arena *memory,
                               const struct dg_box *box)
{
    bool named = box->name.size && !dg_text_equal(box->name, box->title);

    if (named && box->source.size && box->name.size + box->source.size + 2 <= WIDTH) {
        dg_lines_say(lines, memory, "%.*s  %.*s", (int)box->name.size, box->name.data,
                     (int)box->source.size, box->source.data);
    } else {
        if (named)
            add_short(lines, memory, box->name);
        if (box->source.size)
            add_short(lines, memory, box->source);
    }
    if (box->value.data)
        dg_lines_add(lines, sized_value(memory, box, WIDTH));
}

/* "linear" of "aten::linear.default", "add.Tensor" of "aten::add.Tensor", "getitem" of
 * "_operator.getitem". */
static struct dg_text short_title(struct dg_text title)
{
    static const char prefix[] = "aten::", python[] = "_operator.",
                      suffix[] = ".default";
    size_t begin = sizeof(prefix) - 1, end = sizeof(suffix) - 1;

    if (dg_text_begins(title, python))
        return (struct dg_text){title.data + sizeof(python) - 1,
                                title.size - sizeof(python) + 1};
    if (!dg_text_begins(title, prefix))
        return title;
    title = (struct dg_text){title.data + begin, title.size - begin};
    if (title.size > end && !memcmp(title.data + title.size - end, suffix, end))
        title.size -= end;
    return title;
}

/* Before the title: what colour and outline tell, too. */
static const char *mark_of(const struct dg_box *box)
{
    if (box->highlighted)
        return "\xe2\x9c\x97 ";
    if (box->marked)
        return "\xe2\x97\x8f ";
    return box->kind == DG_BOX_OFF_PAGE  ? "\xe2\x86\xaa "
           : box->kind == DG_BOX_ADDED   ? "+ "
           : box->kind == DG_BOX_REMOVED ? "\xe2\x88\x92 "
           : box->kind == DG_BOX_CHANGED ? "~ "
                                         : "";
}

static void add_title(struct dg_lines *lines, struct dg_arena *memory,
                      const struct dg_box *box)
{
    struct dg_text title = short_title(box->title);
    const char *mark = mark_of(box);

    if (box->kind == DG_BOX_INPUT && box->node)
        title = box->name;
    if (box->backend.data)
        title = box->backend;
    if (*mark)
        title = dg_format(memory, "%s%.*s", mark, (int)title.size,
                          title.data ? title.data : "");
    add_short(lines, memory, title);
}

/* "12.4 us, 52.1 %" of all that was measured. */
static void add_time(struct dg_lines *lines, struct dg_arena *memory,
                     const struct dg_picture *picture, const struct dg_box *box)
{
    double took = dg_box_took(picture, box);
    struct dg_writer text = {0};

    if (took <= 0)
        return;
    dg_write_duration(&text, took);
    dg_print(&text, ", %.1f %%", 100 * took / picture->all_took);
    dg_lines_add(lines, dg_keep(memory, &text));
}

void dg_box_lines(struct dg_lines *lines, struct dg_arena *memory,
                  const struct dg_picture *picture, const struct dg_box *box)
{
    const struct dg_line *line = box->lines;
    size_t n_left = 0;

    add_title(lines, memory, box);
    if (box->kind == DG_BOX_INPUT && box->node)
        dg_lines_add(lines, sized_value(memory, box, WIDTH));
    else if (box->kind != DG_BOX_GROUP)
        add_name_and_value(lines, memory, box);
    add_time(lines, memory, picture, box);
    for (size_t i = 0; line && i < HEIGHT; i++, line = line->next)
        add_short(lines, memory, line->text);
    for (; line; line = line->next)
        n_left++;
    if (n_left)
        dg_lines_say(lines, memory, "+%zu more", n_left);
    if (box->n_outside)
        dg_lines_say(lines, memory, "+%zu links not shown", box->n_outside);
}

void dg_box_details(struct dg_lines *lines, struct dg_arena *memory,
                    const struct dg_picture *picture, const struct dg_box *box)
{
    const struct dg_line *line = box->lines;
    const struct dg_frame *frame =
        picture->n_frames ? &picture->frames[box->frame] : NULL;

    dg_lines_add(lines, box->title);
    if (box->name.data)
        dg_lines_add(lines, box->name);
    if (box->value.data)
        dg_lines_add(lines, sized_value(memory, box, SIZE_MAX));
    if (box->source.data)
        dg_lines_add(lines, box->source);
    add_time(lines, memory, picture, box);
    for (size_t i = 0; line && i < TIP_LINES; i++, line = line->next)
        dg_lines_add(lines, line->text);
    if (frame && frame->kind == DG_FRAME_MODULE)
        dg_lines_add(lines, frame->key);
    if (box->command.data)
        dg_lines_say(lines, memory, "delegraph dot %s %.*s",
                     picture->path.data ? picture->path.data : "FILE",
                     (int)box->command.size, box->command.data);
}

struct dg_text dg_link_text(struct dg_arena *memory, const struct dg_link *link)
{
    struct dg_writer text = {0};

    dg_write_text(&text, dg_elide(memory, link->label, WIDTH));
    if (link->crosses && link->nbytes >= 0) {
        dg_print(&text, "%s", text.size ? " " : "");
        dg_write_size(&text, link->nbytes);
    }
    if (link->count > 1)
        dg_print(&text, "%s\xc3\x97%zu", text.size ? " " : "", link->count);
    return dg_keep(memory, &text);
}

/* "layers.0.attn" inside "layers.0" is "attn", but "layers.0" stays what it is. */
static struct dg_text relative(struct dg_text name, struct dg_text outer)
{
    size_t skip = outer.size + 1;

    if (name.size <= skip || memcmp(name.data, outer.data, outer.size) ||
        name.data[outer.size] != '.' ||
        (name.data[skip] >= '0' && name.data[skip] <= '9'))
        return name;
    return (struct dg_text){name.data + skip, name.size - skip};
}

struct dg_text dg_frame_text(struct dg_arena *memory, const struct dg_frame *frame,
                             const struct dg_frame *outer)
{
    if (frame->kind != DG_FRAME_MODULE)
        return frame->label;
    if (outer->kind == DG_FRAME_MODULE && outer->key.data)
        return dg_elide(memory, relative(frame->label, outer->key), WIDTH);
    return dg_elide(memory, frame->label, WIDTH);
}

/* In lines of about PAGE bytes, parted at spaces. */
static void add_wrapped(struct dg_lines *lines, struct dg_text text)
{
    while (text.size) {
        size_t size = text.size < PAGE ? text.size : PAGE;

        while (size < text.size && text.data[size] != ' ')
            size++;
        dg_lines_add(lines, (struct dg_text){text.data, size});
        text = (struct dg_text){text.data + size, text.size - size};
        if (text.size && *text.data == ' ')
            text = (struct dg_text){text.data + 1, text.size - 1};
    }
}

static void add_plan(struct dg_lines *lines, struct dg_arena *memory,
                     const struct dg_picture *picture)
{
    if (!picture->n_parts)
        return;
    dg_lines_say(lines, memory, "%zu partition%s; %zu value%s, %s, cross%s %s",
                 picture->n_parts, picture->n_parts == 1 ? "" : "s",
                 picture->n_crossing, picture->n_crossing == 1 ? "" : "s",
                 dg_size_text(memory, picture->crossing_bytes).data,
                 picture->n_crossing == 1 ? "es" : "",
                 picture->n_parts == 1 ? "its border" : "their borders");
    for (size_t i = 0; i < picture->n_told; i++)
        add_wrapped(lines, dg_elide(memory, picture->told[i], MESSAGE));
    if (picture->n_findings > picture->n_told)
        dg_lines_say(lines, memory, "+%zu more findings",
                     picture->n_findings - picture->n_told);
}

static void add_counts(struct dg_lines *lines, struct dg_arena *memory,
                       const struct dg_picture *picture)
{
    size_t n_drawn = dg_picture_n_drawn(picture);
    size_t n_constants = picture->n_constants, n_items = picture->n_items;
    struct dg_text constants = {"", 0}, items = {"", 0};

    if (n_constants == 1)
        constants = dg_text("; 1 constant is a line in a label");
    else if (n_constants)
        constants =
            dg_format(memory, "; %zu constants are lines in labels", n_constants);
    if (n_items)
        items = dg_format(memory, "; %zu getitem %s [n] on arrows", n_items,
                          n_items == 1 ? "is" : "are");
    dg_lines_say(lines, memory, "%zu node%s in %zu box%s%s%s", picture->n_nodes,
                 picture->n_nodes == 1 ? "" : "s", n_drawn, n_drawn == 1 ? "" : "es",
                 constants.data, items.data);
}

void dg_caption_lines(struct dg_lines *lines, struct dg_arena *memory,
                      const struct dg_picture *picture)
{
    dg_lines_add(lines, picture->title);
    add_counts(lines, memory, picture);
    if (picture->n_cut)
        dg_lines_say(lines, memory, "%zu boxes lie further away and are not shown",
                     picture->n_cut);
    for (size_t i = 0; i < picture->n_hints; i++)
        add_wrapped(lines, picture->hints[i]);
    add_plan(lines, memory, picture);
}
