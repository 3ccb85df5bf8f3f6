/* The parts of a file as a treemap, by the module tree of their names. */
#include <stdlib.h>

#include "base/sorted.h"
#include "reports/sections/size_parts.h"

enum {
    DEEPEST = 5,      /* group and four levels of modules */
    LEAST_PART = 250, /* of the file: smaller areas are shown as one */
    NO_AREA = UINT32_MAX,
};

struct area {
    struct dg_text name, dtype;
    uint32_t parent;
    int64_t bytes, count;
    int64_t small_bytes, small_count; /* of children that are not shown */
    size_t shown;                     /* in the block */
};

struct map {
    const struct dg_file_parts *parts;
    struct area *areas;
    size_t n_areas;
    uint32_t open[DEEPEST];
    size_t n_open;
};

static int compare_parts(const void *a, const void *b)
{
    const struct dg_file_part *x = *(const struct dg_file_part *const *)a;
    const struct dg_file_part *y = *(const struct dg_file_part *const *)b;
    int order = dg_text_compare(x->group, y->group);

    if (!order)
        order = dg_text_compare(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

/* The next level of a dotted name; the last level takes all that is left. A number is
 * told with the name before it: "layers.0". */
static struct dg_text next_level(struct dg_text name, size_t *at, bool last)
{
    size_t begin = *at, end = begin;

    while (end < name.size && (last || name.data[end] != '.'))
        end++;
    *at = end < name.size ? end + 1 : end;
    if (begin > 1 && name.data[begin] >= '0' && name.data[begin] <= '9')
        for (begin--; begin && name.data[begin - 1] != '.';)
            begin--;
    return (struct dg_text){name.data + begin, end - begin};
}

/* The area of this name at this level: the open one, or a new one. */
static void enter(struct map *map, size_t level, struct dg_text name)
{
    if (level < map->n_open && dg_text_equal(map->areas[map->open[level]].name, name))
        return;
    *DG_APPEND(map->areas, map->n_areas) =
        (struct area){.name = name, .parent = level ? map->open[level - 1] : NO_AREA};
    map->open[level] = (uint32_t)map->n_areas - 1;
    map->n_open = level + 1;
}

static void add_part(struct map *map, const struct dg_file_part *part, int64_t bytes)
{
    size_t at = 0, level = 1;
    struct area *area;

    enter(map, 0, part->group);
    while (at < part->name.size && level < DEEPEST) {
        struct dg_text name = next_level(part->name, &at, level + 1 == DEEPEST);

        enter(map, level++, name);
    }
    map->n_open = level;
    area = &map->areas[map->open[level - 1]];
    area->bytes += bytes;
    area->count++;
    area->dtype = part->dtype;
}

static void build(struct map *map)
{
    const struct dg_file_parts *parts = map->parts;
    const struct dg_file_part **order = NULL;
    size_t n = 0;

    for (size_t i = 0; i < parts->n_items; i++)
        if (parts->stretches[i].own > 0)
            *DG_APPEND(order, n) = &parts->items[i];
    dg_sort(order, n, sizeof(*order), compare_parts);
    for (size_t i = 0; i < n; i++)
        add_part(map, order[i], parts->stretches[order[i] - parts->items].own);
    free(order);
    for (size_t i = map->n_areas; i-- > 0;) {
        struct area *area = &map->areas[i];

        if (area->parent != NO_AREA) {
            map->areas[area->parent].bytes += area->bytes;
            map->areas[area->parent].count += area->count;
        }
    }
}

static void show(struct dg_page *page, struct map *map)
{
    int64_t least = map->parts->size / LEAST_PART;

    for (size_t i = 0; i < map->n_areas; i++) {
        struct area *area = &map->areas[i];
        struct area *parent =
            area->parent == NO_AREA ? NULL : &map->areas[area->parent];

        area->shown = SIZE_MAX;
        if (parent && area->bytes < least) {
            parent->small_bytes += area->bytes;
            parent->small_count += area->count;
            continue;
        }
        dg_page_area(page, parent ? parent->shown : SIZE_MAX, area->name, area->bytes,
                     area->count)
            ->note =
            (struct dg_text){dg_copy(&page->memory, area->dtype), area->dtype.size};
        area->shown = page->blocks[page->n_blocks - 1].n_areas - 1;
    }
    for (size_t i = 0; i < map->n_areas; i++) {
        const struct area *area = &map->areas[i];

        if (area->shown != SIZE_MAX && area->small_bytes < area->bytes &&
            area->small_count)
            dg_page_area(
                page, area->shown,
                dg_format(&page->memory, "%lld smaller", (long long)area->small_count),
                area->small_bytes, area->small_count);
    }
}

void dg_size_map(struct dg_page *page, const struct dg_file_parts *parts)
{
    struct map map = {.parts = parts};

    build(&map);
    if (map.n_areas) {
        dg_page_block(page, DG_BLOCK_TREEMAP, "size-map",
                      "The file by what its bytes belong to");
        show(page, &map);
        if (parts->nobody)
            dg_page_area(page, SIZE_MAX, dg_text("headers, alignment"), parts->nobody,
                         -1);
    }
    free(map.areas);
}
