/* What is drawn with characters: bars, colours, branches of trees. */
#ifndef DG_REPORTS_TEXT_DRAWING_H
#define DG_REPORTS_TEXT_DRAWING_H

#include "reports/page/page.h"

/* `share` of 1 as a bar of `columns`; with `whole`, what is missing to 1 is drawn, too.
 */
void dg_write_bar(struct dg_writer *out, double share, size_t columns, bool whole,
                  bool ascii);

/* ANSI: what follows has the colour of `tone`, or is bold; and none any more. Nothing
 * where there are no colours. */
void dg_write_tone(struct dg_writer *out, enum dg_tone tone,
                   const struct dg_page_options *options);
void dg_write_bold(struct dg_writer *out, const struct dg_page_options *options);
void dg_write_end_tone(struct dg_writer *out, const struct dg_page_options *options);

#endif
