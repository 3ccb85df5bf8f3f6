/* Pictures for tests of what lays them out and draws them. */
#ifndef DG_TESTS_PICTURES_H
#define DG_TESTS_PICTURES_H

#include "reports/picture/svg.h"
#include "reports/views/view.h"

/* Of view "graph", as Graphviz text. */
static inline enum dg_status write_graph(struct dg_writer *out, struct dg_store *store,
                                         const struct dg_view_options *options,
                                         struct dg_error *err)
{
    struct dg_picture picture = {0};
    enum dg_status status = dg_view_graph.build(&picture, store, options, err);

    if (!status)
        status = dg_picture_write(out, &picture, err);
    dg_picture_clear(&picture);
    return status;
}

/* A picture with a root frame and nothing in it. */
static inline void begin_picture(struct dg_picture *picture)
{
    *picture = (struct dg_picture){.title = {"test", 4}};
    dg_picture_add_frame(picture, DG_FRAME_ROOT, 0, (struct dg_text){0});
}

static inline size_t put_box(struct dg_picture *picture, size_t frame,
                             struct dg_text name)
{
    struct dg_box *box = dg_picture_add_box(picture, DG_BOX_CALL);

    box->node = (int64_t)picture->n_boxes;
    box->frame = frame;
    box->order = DG_ORDER * picture->n_boxes + DG_ORDER_NODE;
    box->title = name;
    return picture->n_boxes - 1;
}

/* Blocks of ten boxes in frames: a chain in each, a link around it, and one value that
 * the last box of all reads. */
static inline void make_blocks(struct dg_picture *picture, size_t n_blocks)
{
    begin_picture(picture);
    for (size_t i = 0; i < n_blocks; i++) {
        size_t frame = dg_picture_add_frame(
            picture, DG_FRAME_MODULE, 0, dg_format(&picture->memory, "block.%zu", i));

        for (size_t k = 0; k < 10; k++) {
            size_t box = put_box(picture, frame, dg_text("add.Tensor"));

            if (box)
                dg_picture_add_link(picture, box - 1, box);
            if (k == 9)
                dg_picture_add_link(picture, box - 9, box);
        }
    }
    dg_picture_add_link(picture, 0, picture->n_boxes - 1);
}

/* What takes Graphviz minutes. */
static inline void make_tangle(struct dg_picture *picture)
{
    begin_picture(picture);
    for (size_t i = 0; i < 1500; i++) {
        put_box(picture, 0, dg_text("add"));
        for (size_t k = 1; k <= 4 && k * k * 7 <= i; k++)
            dg_picture_add_link(picture, i - k * k * 7, i);
    }
}

#endif
