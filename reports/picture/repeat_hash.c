/* Finding blocks, and hashing what is in them apart from names. Each box is visited
 * once for each block around it. */
#include "reports/picture/repeat.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "reports/picture/structural_hash.h"
#include "reports/picture/visible.h"

enum { LEAST_BOXES = 2 }; /* of a module: fewer are drawn as they are */

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* A number in a name does not count. */
static uint64_t mix_name(uint64_t hash, struct dg_text name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!is_digit(name.data[i]))
            hash = dg_mix_byte(hash, name.data[i]);
    return dg_mix(hash, name.data != NULL);
}

/* "layers.3.fc.weight f32[8,4]" */
static uint64_t mix_line(uint64_t hash, struct dg_text line)
{
    size_t n_name = line.size;

    while (n_name && line.data[n_name - 1] != ' ')
        n_name--;
    hash = mix_name(hash, (struct dg_text){line.data, n_name});
    return dg_mix_text(hash, (struct dg_text){line.data + n_name, line.size - n_name});
}

static bool is_block(const struct dg_frame *frame)
{
    size_t i = frame->key.size;

    while (i && is_digit(frame->key.data[i - 1]))
        i--;
    return frame->repeats || (frame->kind == DG_FRAME_MODULE && i < frame->key.size &&
                              (!i || frame->key.data[i - 1] == '.'));
}

struct sorted {
    struct dg_repeat_block block;
    size_t parent;
    uint64_t order;
};

static int by_parent(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;

    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Frames are made after their parents, so that sorting by parent sorts by depth. */
static void sort_blocks(struct dg_blocks *blocks, const struct dg_picture *picture)
{
    struct sorted *all = NULL;
    size_t n_all = 0;

    for (size_t i = 0; i < blocks->n_items; i++)
        if (blocks->items[i].n_boxes >= LEAST_BOXES ||
            picture->frames[blocks->items[i].frame].repeats)
            *DG_APPEND(all, n_all) = (struct sorted){
                blocks->items[i], picture->frames[blocks->items[i].frame].parent,
                picture->boxes[blocks->items[i].boxes[0]].order};
        else
            free(blocks->items[i].boxes);
    dg_sort(all, n_all, sizeof(*all), by_parent);
    blocks->n_items = n_all;
    for (size_t i = 0; i < n_all; i++)
        blocks->items[i] = all[i].block;
    free(all);
}

/* Put each box into every block around it. */
static void fill_blocks(struct dg_blocks *blocks, const struct dg_picture *picture)
{
    size_t *block_of = dg_zeroed(picture->n_frames, sizeof(*block_of)), n_boxes = 0;
    size_t *boxes = dg_boxes_in_order(picture, &n_boxes);

    for (size_t i = 0; i < picture->n_frames; i++)
        if (is_block(&picture->frames[i])) {
            *DG_APPEND(blocks->items, blocks->n_items) =
                (struct dg_repeat_block){.frame = i};
            block_of[i] = blocks->n_items;
        }
    for (size_t i = 0; i < n_boxes; i++)
        for (size_t f = picture->boxes[boxes[i]].frame; f;
             f = picture->frames[f].parent)
            if (block_of[f]) {
                struct dg_repeat_block *block = &blocks->items[block_of[f] - 1];

                *DG_APPEND(block->boxes, block->n_boxes) = boxes[i];
            }
    free(boxes);
    free(block_of);
}

/* Links to each box, and those from it to a graph: such a box is like no other. */
static void index_links(struct dg_blocks *blocks, const struct dg_picture *picture)
{
    uint32_t *ends = dg_alloc(&blocks->memory, picture->n_links, sizeof(*ends));

    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];

        ends[i] = (uint32_t)(link->kind == DG_LINK_GRAPH ? link->from : link->to);
    }
    dg_csr_by_key(&blocks->links, ends, (uint32_t)picture->n_links,
                  (uint32_t)picture->n_boxes, &blocks->memory);
}

static uint64_t hash_links(struct dg_blocks *blocks, const struct dg_picture *picture,
                           size_t box, size_t *n_outside)
{
    uint64_t hash = 0;

    for (uint32_t i = blocks->links.begins[box]; i < blocks->links.begins[box + 1];
         i++) {
        const struct dg_link *link = &picture->links[blocks->links.items[i]];
        struct dg_repeat_place *place = &blocks->places[link->from];

        if (place->visit != blocks->n_visits)
            *place =
                (struct dg_repeat_place){blocks->n_visits, SIZE_MAX - (*n_outside)++};
        hash = dg_mix(dg_mix(hash, place->position), (uint64_t)link->kind);
        hash = dg_mix_text(dg_mix_text(hash, link->value), link->label);
        if (link->kind == DG_LINK_GRAPH)
            hash = dg_mix(hash, link->to);
    }
    return hash;
}

uint64_t dg_box_hash(const struct dg_box *box)
{
    uint64_t hash = dg_mix((uint64_t)box->kind, (uint64_t)box->highlighted);

    hash = box->kind == DG_BOX_GROUP ? mix_name(hash, box->title)
                                     : dg_mix_text(hash, box->title);
    hash = dg_mix_text(hash, box->value);
    return dg_mix_text(hash, box->backend);
}

uint64_t dg_label_hash(const struct dg_picture *picture, const struct dg_box *box)
{
    uint64_t hash = dg_box_hash(box);

    if (picture->frames[box->frame].kind == DG_FRAME_MODULE)
        hash = mix_name(hash, picture->frames[box->frame].key);
    for (const struct dg_line *line = box->lines; line; line = line->next)
        if (box->kind != DG_BOX_DELEGATE)
            hash = mix_line(hash, line->text);
    return hash;
}

void dg_block_hashes(uint64_t *hashes, struct dg_blocks *blocks,
                     const struct dg_picture *picture, size_t block)
{
    const struct dg_repeat_block *of = &blocks->items[block];
    size_t n_outside = 0;

    blocks->n_visits++;
    for (size_t i = 0; i < of->n_boxes; i++)
        blocks->places[of->boxes[i]] = (struct dg_repeat_place){blocks->n_visits, i};
    for (size_t i = 0; i < of->n_boxes; i++)
        hashes[i] = dg_mix(dg_label_hash(picture, &picture->boxes[of->boxes[i]]),
                           hash_links(blocks, picture, of->boxes[i], &n_outside));
}

static size_t largest(const struct dg_blocks *blocks)
{
    size_t most = 0;

    for (size_t i = 0; i < blocks->n_items; i++)
        if (blocks->items[i].n_boxes > most)
            most = blocks->items[i].n_boxes;
    return most;
}

void dg_blocks_find(struct dg_blocks *blocks, const struct dg_picture *picture)
{
    uint64_t *hashes;

    *blocks = (struct dg_blocks){0};
    fill_blocks(blocks, picture);
    sort_blocks(blocks, picture);
    index_links(blocks, picture);
    blocks->places = dg_zeroed(picture->n_boxes + 1, sizeof(*blocks->places));
    hashes = dg_zeroed(largest(blocks) + 1, sizeof(*hashes));
    for (size_t i = 0; i < blocks->n_items; i++) {
        struct dg_repeat_block *block = &blocks->items[i];

        dg_block_hashes(hashes, blocks, picture, i);
        block->hash = block->n_boxes;
        for (size_t k = 0; k < block->n_boxes; k++)
            block->hash = dg_mix(block->hash, hashes[k]);
    }
    free(hashes);
}

void dg_blocks_clear(struct dg_blocks *blocks)
{
    for (size_t i = 0; i < blocks->n_items; i++)
        free(blocks->items[i].boxes);
    free(blocks->items);
    free(blocks->places);
    dg_arena_clear(&blocks->memory);
    *blocks = (struct dg_blocks){0};
}
