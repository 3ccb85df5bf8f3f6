/* How many columns of a terminal text takes, and cutting it to as many. */
#ifndef DG_REPORTS_DISPLAY_WIDTH_H
#define DG_REPORTS_DISPLAY_WIDTH_H

#include <stdbool.h>

#include "base/text.h"

/* East Asian wide characters take two, combining and invisible ones none. The same on
 * every machine, unlike wcwidth(). */
size_t dg_display_width(struct dg_text text);

/* Bytes of the next line when text is broken at blanks, or where a word alone is wider;
 * at least one character. *next is where the line after it begins. */
size_t dg_display_line(struct dg_text text, size_t columns, size_t *next);

/* `text`, with its middle left out where it takes more than `columns`. */
void dg_write_elided(struct dg_writer *out, struct dg_text text, size_t columns,
                     bool ascii);

void dg_write_blanks(struct dg_writer *out, size_t n);

#endif
