/* Widths of characters by ranges, and cutting text by columns. */
#include "reports/page/display_width.h"

struct range {
    uint32_t first, last;
};

/* Combining marks, joiners and marks of direction. */
static const struct range invisible[] = {
    {0x0300, 0x036f},   {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05c7},
    {0x0610, 0x061a},   {0x064b, 0x065f}, {0x0670, 0x0670}, {0x06d6, 0x06dc},
    {0x06df, 0x06e4},   {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948},
    {0x094d, 0x094d},   {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},
    {0x2060, 0x206f},   {0x20d0, 0x20ff}, {0x302a, 0x302d}, {0x3099, 0x309a},
    {0xfe00, 0xfe0f},   {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff},
    {0xe0000, 0xe0fff},
};

static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x2705, 0x2705},   {0x274c, 0x274c},
    {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2e80, 0x303e},
    {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x18cff}, {0x1b000, 0x1b16f}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

static bool lies_in(uint32_t c, const struct range *ranges, size_t n)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && c >= ranges[low].first;
}

/* Bytes of the character at `at`; what is no UTF-8 counts byte by byte. */
static size_t decode(struct dg_text text, size_t at, uint32_t *c)
{
    unsigned char lead = (unsigned char)text.data[at];
    size_t n = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if (at + n > text.size)
        n = 1;
    *c = n == 1 ? lead : lead & (0x7fU >> n);
    for (size_t i = 1; i < n; i++)
        *c = *c << 6 | ((unsigned char)text.data[at + i] & 0x3fU);
    return n;
}

static size_t columns_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (lies_in(c, invisible, sizeof(invisible) / sizeof(*invisible)))
        return 0;
    return lies_in(c, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}

size_t dg_display_width(struct dg_text text)
{
    size_t columns = 0;
    uint32_t c;

    for (size_t at = 0; at < text.size;) {
        at += decode(text, at, &c);
        columns += columns_of(c);
    }
    return columns;
}

/* Bytes of the longest beginning that takes at most `columns`. */
static size_t head(struct dg_text text, size_t columns)
{
    size_t at = 0, taken = 0;
    uint32_t c;

    while (at < text.size) {
        size_t n = decode(text, at, &c);

        taken += columns_of(c);
        if (taken > columns)
            break;
        at += n;
    }
    return at;
}

static struct dg_text from(struct dg_text text, size_t at)
{
    return (struct dg_text){text.data + at, text.size - at};
}

size_t dg_display_line(struct dg_text text, size_t columns, size_t *next)
{
    size_t fits = head(text, columns), end = fits;
    uint32_t c;

    if (!fits && text.size)
        fits = end = decode(text, 0, &c);
    if (fits < text.size) {
        while (end && text.data[end] != ' ')
            end--;
        if (!end)
            end = fits;
    }
    *next = end;
    while (*next < text.size && text.data[*next] == ' ')
        ++*next;
    return end;
}

/* Where the end of `text` that takes at most `columns` begins. */
static size_t tail(struct dg_text text, size_t columns)
{
    size_t all = dg_display_width(text), at;
    uint32_t c;

    if (all <= columns)
        return 0;
    at = head(text, all - columns);
    while (at < text.size && dg_display_width(from(text, at)) > columns)
        at += decode(text, at, &c);
    return at;
}

void dg_write_elided(struct dg_writer *out, struct dg_text text, size_t columns,
                     bool ascii)
{
    size_t mark = ascii ? 2 : 1, rest;

    if (dg_display_width(text) <= columns) {
        dg_write_text(out, text);
        return;
    }
    rest = columns > mark ? columns - mark : 0;
    dg_write(out, text.data, head(text, rest - rest / 2));
    dg_print(out, "%s", ascii ? ".." : "…");
    dg_write_text(out, from(text, tail(text, rest / 2)));
}

void dg_write_blanks(struct dg_writer *out, size_t n)
{
    while (n--)
        dg_write(out, " ", 1);
}
