/* What a box, a frame and a whole picture say of themselves. */
#include "reports/dot_label.h"
#include "reports/rows.h"

enum {
    WIDTH = 28,     /* characters of a line */
    HEIGHT = 5,     /* lines below the first two */
    TIP_LINES = 40, /* of a tooltip */
    MESSAGE = 400,  /* characters of a finding */
    PAGE = 100,
};

static void write_line(struct dg_writer *out, struct dg_text text, size_t width)
{
    struct dg_arena memory = {0};

    if (out->size)
        dg_print(out, "\\n");
    dg_write_label(out, width ? dg_elide(&memory, text, width) : text);
    dg_arena_clear(&memory);
}

static void write_format(struct dg_writer *out, const char *fmt, size_t number)
{
    struct dg_arena memory = {0};

    write_line(out, dg_format(&memory, fmt, number), 0);
    dg_arena_clear(&memory);
}

/* "relu  f32[1,8]" in one line if it fits. */
static void write_name_and_value(struct dg_writer *out, const struct dg_box *box)
{
    struct dg_arena memory = {0};
    bool named = box->name.size && !dg_text_equal(box->name, box->title);

    if (named && box->value.data && box->name.size + box->value.size + 2 <= WIDTH) {
        write_line(out, dg_format(&memory, "%s  %s", box->name.data, box->value.data),
                   WIDTH);
    } else {
        if (named)
            write_line(out, box->name, WIDTH);
        if (box->value.data)
            write_line(out, box->value, WIDTH);
    }
    dg_arena_clear(&memory);
}

static void write_title(struct dg_writer *out, const struct dg_box *box)
{
    struct dg_arena memory = {0};
    struct dg_text title = box->title;

    if (box->kind == DG_BOX_GHOST)
        title = dg_format(&memory, "\xe2\x86\xaa %s", title.data ? title.data : "");
    if (box->kind == DG_BOX_INPUT && box->node)
        title = box->name;
    if (box->backend.data)
        title = box->backend;
    write_line(out, title, WIDTH);
    dg_arena_clear(&memory);
}

void dg_box_label(struct dg_writer *out, const struct dg_box *box)
{
    const struct dg_line *line = box->lines;

    write_title(out, box);
    if (box->kind == DG_BOX_INPUT && box->node)
        write_line(out, box->value, WIDTH);
    else if (box->kind != DG_BOX_GROUP)
        write_name_and_value(out, box);
    for (size_t i = 0; line && i < HEIGHT; i++, line = line->next)
        write_line(out, line->text, WIDTH);
    if (line) {
        size_t left = 0;

        for (; line; line = line->next)
            left++;
        write_format(out, "+%zu more", left);
    }
    if (box->n_outside)
        write_format(out, "+%zu links not shown", box->n_outside);
}

void dg_box_tooltip(struct dg_writer *out, const struct dg_picture *picture,
                    const struct dg_box *box)
{
    const struct dg_frame *frame = &picture->frames[box->frame];
    const struct dg_line *line = box->lines;

    write_line(out, box->title, 0);
    if (box->name.data)
        write_line(out, box->name, 0);
    if (box->value.data)
        write_line(out, box->value, 0);
    for (size_t i = 0; line && i < TIP_LINES; i++, line = line->next)
        write_line(out, line->text, 0);
    if (frame->kind == DG_FRAME_MODULE)
        write_line(out, frame->key, 0);
}

void dg_link_label(struct dg_writer *out, const struct dg_link *link)
{
    if (link->label.data)
        write_line(out, link->label, WIDTH);
    if (link->crosses && link->nbytes >= 0) {
        dg_print(out, " "); /* or it would touch its arrow */
        dg_write_size(out, link->nbytes);
    }
    if (link->count > 1)
        dg_print(out, "%s\xc3\x97%zu", out->size ? " " : "", link->count);
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

void dg_frame_label(struct dg_writer *out, const struct dg_frame *frame,
                    const struct dg_frame *outer)
{
    bool module = frame->kind == DG_FRAME_MODULE;
    bool inner = module && outer->kind == DG_FRAME_MODULE;

    write_line(out, inner ? relative(frame->label, outer->key) : frame->label,
               module ? WIDTH : 0);
}

/* In lines of about PAGE bytes, parted at spaces. */
static void write_wrapped(struct dg_writer *out, struct dg_text text)
{
    while (text.size) {
        size_t size = text.size < PAGE ? text.size : PAGE;

        while (size < text.size && text.data[size] != ' ')
            size++;
        dg_write_label(out, (struct dg_text){text.data, size});
        dg_print(out, "\\l");
        text = (struct dg_text){text.data + size, text.size - size};
    }
}

static void write_plan(struct dg_writer *out, const struct dg_picture *picture)
{
    struct dg_arena memory = {0};

    if (!picture->n_parts)
        return;
    dg_print(out, "%zu partition%s; %zu value%s, ", picture->n_parts,
             picture->n_parts == 1 ? "" : "s", picture->n_crossing,
             picture->n_crossing == 1 ? "" : "s");
    dg_write_size(out, picture->crossing_bytes);
    dg_print(out, ", cross%s %s\\l", picture->n_crossing == 1 ? "es" : "",
             picture->n_parts == 1 ? "its border" : "their borders");
    for (size_t i = 0; i < picture->n_told; i++)
        write_wrapped(out, dg_elide(&memory, picture->told[i], MESSAGE));
    if (picture->n_findings > picture->n_told)
        dg_print(out, "+%zu more findings\\l", picture->n_findings - picture->n_told);
    dg_arena_clear(&memory);
}

void dg_picture_caption(struct dg_writer *out, const struct dg_picture *picture)
{
    size_t n_drawn = 0;

    for (size_t i = 0; i < picture->n_boxes; i++)
        n_drawn += picture->boxes[i].drawn;
    write_line(out, picture->title, 0);
    dg_print(out, "\\l%zu nodes in %zu boxes", picture->n_nodes, n_drawn);
    if (picture->n_constants == 1)
        dg_print(out, "; 1 constant is a line in a label");
    if (picture->n_constants > 1)
        dg_print(out, "; %zu constants are lines in labels", picture->n_constants);
    if (picture->n_items)
        dg_print(out, "; %zu getitem %s [n] on arrows", picture->n_items,
                 picture->n_items == 1 ? "is" : "are");
    dg_print(out, "\\l");
    if (picture->n_hidden)
        dg_print(out,
                 "%zu boxes are hidden in %zu folders: --max-boxes, --graph and "
                 "--around show more\\l",
                 picture->n_hidden, picture->n_groups);
    if (picture->n_cut)
        dg_print(out, "%zu boxes lie further away and are not shown\\l",
                 picture->n_cut);
    write_plan(out, picture);
}
