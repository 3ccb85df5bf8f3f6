/* Bars of eighths of a character, and ANSI colours. */
#include "reports/page/text_drawing.h"

static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

void dg_write_bar(struct dg_writer *out, double share, size_t columns, bool whole,
                  bool ascii)
{
    size_t filled, full;

    if (!(share > 0))
        share = 0;
    if (share > 1)
        share = 1;
    filled = (size_t)(share * (double)columns * 8 + 0.5);
    if (!filled && share > 0)
        filled = 1;
    full = ascii ? (filled + 4) / 8 : filled / 8;
    for (size_t i = 0; i < full; i++)
        dg_print(out, "%s", ascii ? "#" : "█");
    if (!ascii && filled % 8) {
        dg_print(out, "%s", eighths[filled % 8]);
        full++;
    }
    for (size_t i = full; whole && i < columns; i++)
        dg_print(out, "%s", ascii ? "-" : "░");
}

void dg_write_tone(struct dg_writer *out, enum dg_tone tone,
                   const struct dg_page_options *options)
{
    static const int codes[] = {[DG_TONE_GOOD] = 32,
                                [DG_TONE_BAD] = 31,
                                [DG_TONE_WARN] = 33,
                                [DG_TONE_NOTE] = 36};

    if (options->color && tone != DG_TONE_PLAIN)
        dg_print(out, "\033[%dm", codes[tone]);
}

void dg_write_bold(struct dg_writer *out, const struct dg_page_options *options)
{
    dg_print(out, "%s", options->color ? "\033[1m" : "");
}

void dg_write_end_tone(struct dg_writer *out, const struct dg_page_options *options)
{
    dg_print(out, "%s", options->color ? "\033[m" : "");
}
