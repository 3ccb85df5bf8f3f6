/* Views of the program in the store of rules.h, as pictures. */
#ifndef DG_TESTS_VIEW_CASE_H
#define DG_TESTS_VIEW_CASE_H

#include "reports/views/view.h"
#include "unit/rules.h"

extern struct dg_picture view_picture;

void draw_view(const struct dg_view *view);
void draw_view_with(const struct dg_view *view, const struct dg_view_options *options);

/* The view cannot be drawn, for this reason. */
void refuse_view(const struct dg_view *view, const struct dg_view_options *options,
                 const char *why);

/* The picture, and the store. */
void erase_view(void);

size_t count_drawn(enum dg_box_kind kind);

/* By name or title; the test fails where there is none. */
size_t box_called(const char *name);
const struct dg_link *link_between(const char *from, const char *to);

/* Whether a line of its label, or of the caption, holds these words. */
bool box_says(const char *box, const char *line);
bool caption_says(const char *words);

#endif
