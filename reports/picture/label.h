/* What boxes, links, frames and a whole picture say of themselves, as plain text:
 * whoever draws it escapes it. */
#ifndef DG_REPORTS_PICTURE_LABEL_H
#define DG_REPORTS_PICTURE_LABEL_H

#include "reports/picture/picture.h"

/* Lines of text that live in the arena they were made with. Start from {0}. */
struct dg_lines {
    struct dg_text *items;
    size_t n_items;
};

void dg_lines_add(struct dg_lines *lines, struct dg_text text);
void dg_lines_say(struct dg_lines *lines, struct dg_arena *memory, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void dg_lines_clear(struct dg_lines *lines);

/* The first line is the box's title. */
void dg_box_lines(struct dg_lines *lines, struct dg_arena *memory,
                  const struct dg_picture *picture, const struct dg_box *box);

/* The same at full length and more: for tooltips, and those who cannot see the box. */
void dg_box_details(struct dg_lines *lines, struct dg_arena *memory,
                    const struct dg_picture *picture, const struct dg_box *box);

/* Empty where there is nothing to say. */
struct dg_text dg_link_text(struct dg_arena *memory, const struct dg_link *link);

/* `outer` is the frame drawn around it. */
struct dg_text dg_frame_text(struct dg_arena *memory, const struct dg_frame *frame,
                             const struct dg_frame *outer);

/* The first line is the picture's title; the rest counts what is drawn, and says what
 * is not. */
void dg_caption_lines(struct dg_lines *lines, struct dg_arena *memory,
                      const struct dg_picture *picture);

#endif
