/* Blocks that are the same but for names: one of them is drawn, and a box stands for
 * those that repeat it. */
#include "reports/picture/repeat.h"

#include <stdlib.h>

#include "base/repeats.h"
#include "reports/picture/collapse.h"
#include "reports/picture/visible.h"

struct folding {
    struct dg_picture *picture;
    struct dg_blocks blocks;
    size_t *model; /* by block: the first that is the same */
};

static struct dg_text name_of(const struct folding *folding, size_t block)
{
    return folding->picture->frames[folding->blocks.items[block].frame].key;
}

/* Its last two parts: what is around it is in the labels of frames. */
static struct dg_text short_name(const struct folding *folding, size_t block)
{
    struct dg_text name = name_of(folding, block);
    size_t begin = name.size, n_dots = 0;

    while (begin && (name.data[begin - 1] != '.' || n_dots < 1))
        n_dots += name.data[--begin] == '.';
    return (struct dg_text){name.data + begin, name.size - begin};
}

static size_t parent_of(const struct folding *folding, size_t block)
{
    return folding->picture->frames[folding->blocks.items[block].frame].parent;
}

static bool is_hidden(const struct folding *folding, size_t frame)
{
    while (frame && !folding->picture->frames[frame].closed)
        frame = folding->picture->frames[frame].parent;
    return frame;
}

/* Find which of the siblings from `begin` to `end` are the same; how many repeat. */
static size_t find_models(struct folding *folding, size_t begin, size_t end)
{
    uint64_t *keys = dg_zeroed(end - begin, sizeof(*keys));
    size_t n_repeats = 0, *first;

    for (size_t i = begin; i < end; i++)
        keys[i - begin] = folding->blocks.items[i].hash;
    first = dg_first_equal(keys, end - begin);
    for (size_t i = begin; i < end; i++) {
        folding->model[i] = begin + first[i - begin];
        n_repeats += folding->model[i] != i;
    }
    free(keys);
    free(first);
    return n_repeats;
}

/* "the same as layers.0", or as several. */
static void say_same(struct folding *folding, struct dg_box *box, size_t begin,
                     size_t end)
{
    struct dg_arena *memory = &folding->picture->memory;
    struct dg_text name = short_name(folding, folding->model[begin]);
    size_t n_others = 0;

    for (size_t i = begin; i < end; i++)
        n_others += folding->model[i] != folding->model[begin];
    dg_box_add_line(folding->picture, box,
                    end - begin == 1
                        ? dg_text("the same as")
                        : dg_format(memory, "%zu times the same as", end - begin));
    dg_box_add_line(folding->picture, box,
                    n_others ? dg_format(memory, "%s and others", name.data) : name);
}

/* One box for the blocks from `begin` to `end`. */
static void fold_blocks(struct folding *folding, size_t begin, size_t end)
{
    struct dg_picture *picture = folding->picture;
    struct dg_text first = short_name(folding, begin);
    struct dg_text last = short_name(folding, end - 1);
    struct dg_text command =
        dg_command_of_frame(picture, folding->blocks.items[begin].frame,
                            folding->blocks.items[begin].boxes[0]);
    struct dg_box *box = dg_picture_add_box(picture, DG_BOX_BLOCK);
    uint64_t order = picture->boxes[folding->blocks.items[begin].boxes[0]].order;

    box->frame = parent_of(folding, begin);
    box->graph = picture->boxes[folding->blocks.items[begin].boxes[0]].graph;
    box->part = picture->boxes[folding->blocks.items[begin].boxes[0]].part;
    box->order = order / DG_ORDER * DG_ORDER + DG_ORDER_BESIDE;
    box->n_repeats = end - begin;
    box->title = begin + 1 == end ? first
                                  : dg_format(&picture->memory, "%s \xe2\x80\xa6 %s",
                                              first.data, last.data);
    box->command = command;
    say_same(folding, box, begin, end);
    for (size_t i = begin; i < end; i++) {
        struct dg_frame *frame = &picture->frames[folding->blocks.items[i].frame];

        frame->closed = true;
        frame->box = picture->n_boxes - 1;
    }
}

static uint64_t *hashes_of(struct folding *folding, size_t block)
{
    size_t count = folding->blocks.items[block].n_boxes;
    uint64_t *hashes = dg_zeroed(count, sizeof(*hashes));

    dg_block_hashes(hashes, &folding->blocks, folding->picture, block);
    return hashes;
}

/* What of two boxes in the same place of their blocks tells them apart. */
static struct dg_text what_differs(const struct dg_box *box, const struct dg_box *model)
{
    if (!dg_text_equal(box->title, model->title))
        return model->title;
    if (model->value.data && !dg_text_equal(box->value, model->value))
        return model->value;
    return dg_text("other inputs");
}

/* Say at the first box that differs what the other block has in its place. */
static void say_different(struct folding *folding, size_t block, size_t model)
{
    struct dg_picture *picture = folding->picture;
    const struct dg_repeat_block *a = &folding->blocks.items[block];
    const struct dg_repeat_block *b = &folding->blocks.items[model];
    uint64_t *hashes = hashes_of(folding, block), *others = hashes_of(folding, model);
    struct dg_text name = short_name(folding, model), what = dg_text("more follows");
    size_t i = 0;

    while (i < a->n_boxes && i < b->n_boxes && hashes[i] == others[i])
        i++;
    if (i < a->n_boxes && i < b->n_boxes)
        what = what_differs(&picture->boxes[a->boxes[i]], &picture->boxes[b->boxes[i]]);
    else if (i < a->n_boxes)
        what = dg_text("ends before");
    i -= i == a->n_boxes;
    dg_box_say(picture, &picture->boxes[a->boxes[i]], "\xe2\x89\xa0 %s: %s", name.data,
               what.data ? what.data : "another");
    free(hashes);
    free(others);
}

static bool is_sequence(const struct folding *folding, size_t block)
{
    return folding->picture->frames[folding->blocks.items[block].frame].repeats;
}

/* Fold what repeats among the siblings from `begin` to `end`. */
static void fold_siblings(struct folding *folding, size_t begin, size_t end)
{
    struct dg_picture *picture = folding->picture;
    struct dg_text name = name_of(folding, begin);
    size_t run = begin, n_repeats = 0;

    for (size_t i = begin; i <= end; i++) {
        if (i < end && folding->model[i] != i) {
            n_repeats++;
            continue;
        }
        if (run < i)
            fold_blocks(folding, run, i);
        if (i < end && i != begin && !is_sequence(folding, i))
            say_different(folding, i, begin);
        run = i + 1;
    }
    dg_picture_hint(picture,
                    "%zu blocks are the same as %s or another that is drawn; "
                    "--no-fold draws all; one: delegraph dot %s %s",
                    n_repeats, name.data,
                    picture->path.data ? picture->path.data : "FILE",
                    picture->boxes[picture->n_boxes - 1].command.data);
}

static void find_repeats(struct folding *folding, size_t least)
{
    size_t n_blocks = folding->blocks.n_items;

    for (size_t begin = 0, end; begin < n_blocks; begin = end) {
        size_t parent = parent_of(folding, begin);

        for (end = begin; end < n_blocks && parent_of(folding, end) == parent;)
            end++;
        if (!is_hidden(folding, parent) && find_models(folding, begin, end) >= least)
            fold_siblings(folding, begin, end);
    }
}

void dg_picture_fold_repeats(struct dg_picture *picture, size_t least)
{
    struct folding folding = {.picture = picture};

    dg_blocks_find(&folding.blocks, picture);
    folding.model = dg_zeroed(folding.blocks.n_items + 1, sizeof(*folding.model));
    find_repeats(&folding, least);
    dg_picture_collapse(picture);
    free(folding.model);
    dg_blocks_clear(&folding.blocks);
}
