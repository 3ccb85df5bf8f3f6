/* How large text and boxes are, without fonts. */
#include "reports/picture/layout.h"

#include <math.h>

#include "reports/picture/label.h"
#include "reports/picture/style.h"

enum { LEAST_WIDTH = 40, PAD_X = 8, PAD_Y = 5, DOT_WIDTH = 14, DOT_HEIGHT = 9 };

/* Of Helvetica, Arial and Liberation Sans, in hundredths of the font's size, from the
 * space on. */
static const unsigned char widths[] = {
    28, 28, 36, 56, 56, 89, 67, 19, 33, 33, 39, 58, 28, 33,  28, 28, 56, 56, 56,
    56, 56, 56, 56, 56, 56, 56, 28, 28, 58, 58, 58, 56, 102, 67, 67, 72, 72, 67,
    61, 78, 72, 28, 50, 67, 56, 83, 72, 78, 67, 78, 72, 67,  61, 72, 67, 94, 67,
    67, 61, 28, 28, 28, 47, 56, 33, 56, 56, 50, 56, 56, 28,  56, 56, 22, 22, 50,
    22, 83, 56, 56, 56, 56, 33, 50, 28, 56, 50, 72, 50, 50,  50, 33, 26, 33, 58,
};

enum { BOLD = 108, SAFETY = 104, WIDE = 100, USUAL = 60 };

/* DejaVu Sans, which is there where Helvetica is not, against the widths above. */
enum { WIDER = 117, WIDER_BOLD = 121 };

/* Of the character that begins with `byte`; continuation bytes have no width. */
static unsigned character_width(unsigned char byte)
{
    if (byte >= 0x20 && byte - 0x20u < sizeof(widths))
        return widths[byte - 0x20];
    if (byte >= 0x80 && byte < 0xc0)
        return 0;
    return byte >= 0xe1 ? WIDE : USUAL;
}

double dg_text_width(struct dg_text text, double font_size, bool bold)
{
    unsigned long long total = 0;

    for (size_t i = 0; i < text.size; i++)
        total += character_width((unsigned char)text.data[i]);
    return (double)(total * (bold ? BOLD : 100) * SAFETY) / 1e6 * font_size;
}

double dg_text_room(struct dg_text text, double font_size, bool bold)
{
    return dg_text_width(text, font_size, bold) * (bold ? WIDER_BOLD : WIDER) / 100;
}

/* What a shape needs around its text. */
static struct dg_size grow(struct dg_size text, enum dg_shape shape)
{
    switch (shape) {
    case DG_SHAPE_OVAL:
        return (struct dg_size){text.w + text.h / 2, text.h};
    case DG_SHAPE_OCTAGON:
    case DG_SHAPE_HEXAGON:
    case DG_SHAPE_SLANTED:
        return (struct dg_size){text.w + 14, text.h};
    case DG_SHAPE_DIAMOND:
        return (struct dg_size){text.w * 1.5, text.h * 1.6};
    case DG_SHAPE_COMPONENT:
        return (struct dg_size){text.w + 8, text.h};
    case DG_SHAPE_CYLINDER:
    case DG_SHAPE_TAB:
    case DG_SHAPE_FOLDER:
    case DG_SHAPE_STACK:
        return (struct dg_size){text.w, text.h + 5};
    default:
        return text;
    }
}

struct dg_size dg_box_size(const struct dg_visible *visible, size_t index)
{
    const struct dg_box *box = &visible->picture->boxes[index];
    struct dg_arena memory = {0};
    struct dg_lines lines = {0};
    struct dg_size size = {LEAST_WIDTH - 2 * PAD_X, 0};

    if (visible->n_boxes > DG_MOST_TEXT)
        return (struct dg_size){DOT_WIDTH, DOT_HEIGHT};
    dg_box_lines(&lines, &memory, visible->picture, box);
    for (size_t i = 0; i < lines.n_items; i++) {
        double width = dg_text_width(lines.items[i], DG_BOX_FONT, i == 0);

        size.w = width > size.w ? width : size.w;
    }
    size.w = (int)(size.w + 2 * PAD_X + 0.5);
    size.h = (int)lines.n_items * DG_LINE_HEIGHT + 2 * PAD_Y;
    dg_lines_clear(&lines);
    dg_arena_clear(&memory);
    size = grow(size, dg_box_styles[box->kind].shape);
    if (box->highlighted) {
        size.w += 2 * DG_HIGHLIGHT_PAD;
        size.h += 2 * DG_HIGHLIGHT_PAD;
    }
    return size;
}

struct dg_size dg_link_size(const struct dg_link *link)
{
    struct dg_arena memory = {0};
    struct dg_text text = dg_link_text(&memory, link);
    struct dg_size size = {0, 0};

    if (text.size && link->kind != DG_LINK_ORDER)
        size = (struct dg_size){dg_text_width(text, DG_LINK_FONT, false) + 6,
                                DG_LINE_HEIGHT};
    dg_arena_clear(&memory);
    return size;
}

double dg_frame_font(const struct dg_visible *visible, size_t frame)
{
    double font = DG_BOX_FONT, depth = 1;

    if (visible->n_boxes <= DG_MOST_TEXT)
        return font;
    for (; visible->outer[frame]; frame = visible->outer[frame])
        depth++;
    return fmax(font, floor(sqrt((double)visible->n_boxes) / 4 / depth));
}

struct dg_size dg_frame_size(const struct dg_visible *visible, size_t index)
{
    const struct dg_frame *frames = visible->picture->frames;
    struct dg_arena memory = {0};
    struct dg_text text =
        dg_frame_text(&memory, &frames[index], &frames[visible->outer[index]]);
    double font = dg_frame_font(visible, index);
    struct dg_size size = {0, (int)(font * 1.4)};

    if (text.size)
        size.w = dg_text_room(text, font, true) + 2 * DG_FRAME_PAD;
    dg_arena_clear(&memory);
    return size;
}
