/* Blocks: numbered sibling modules, such as layers.0, layers.1, ..., and runs of a
 * sequence that repeats. */
#ifndef DG_REPORTS_PICTURE_REPEAT_H
#define DG_REPORTS_PICTURE_REPEAT_H

#include "base/csr.h"
#include "reports/picture/picture.h"

struct dg_repeat_block {
    size_t frame;
    size_t *boxes; /* inside, in the order of the picture */
    size_t n_boxes;
    uint64_t hash; /* equal for blocks that are the same but for names */
};

/* Where a box lies in the block visited last. */
struct dg_repeat_place {
    size_t visit;
    size_t position; /* outside of the block: counted down, in the order of use */
};

/* The blocks of a picture, those of one parent side by side and in order; a parent
 * comes before the parents inside it. */
struct dg_blocks {
    struct dg_repeat_block *items;
    size_t n_items;
    struct dg_csr links; /* to each box */
    struct dg_repeat_place *places;
    size_t n_visits;
    struct dg_arena memory; /* of `links` */
};

/* Of what a box is, apart from names and from what it reads. */
uint64_t dg_box_hash(const struct dg_box *box);

/* The same with the lines of its label and the name of its module, but for numbers. */
uint64_t dg_label_hash(const struct dg_picture *picture, const struct dg_box *box);

void dg_blocks_find(struct dg_blocks *blocks, const struct dg_picture *picture);
void dg_blocks_clear(struct dg_blocks *blocks);

/* Of one block, what each box is and reads; `hashes` has room for all its boxes. */
void dg_block_hashes(uint64_t *hashes, struct dg_blocks *blocks,
                     const struct dg_picture *picture, size_t block);

#endif
