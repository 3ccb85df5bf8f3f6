/* Treemaps of a page: rectangles as large as what they stand for, close to squares. */
#include <math.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "reports/page/html_parts.h"
#include "reports/picture/svg.h"

enum {
    WIDTH = 960,
    HEIGHT = 420,
    HEAD = 17, /* of a rectangle that holds others */
    LEAST_SIDE = 3,
    LETTER = 7, /* a label's character, at most */
    HUES = 6,   /* .t0 to .t5 of report.css */
};

struct tile {
    double x, y, w, h, bytes;
    size_t hue;
    bool holds; /* others */
};

struct ranked { /* areas ordered by parent, then the largest first */
    size_t parent, area;
    double bytes;
};

struct map {
    const struct dg_block *block;
    struct tile *tiles;
    struct ranked *ranked;
    double bytes; /* of all */
};

static int compare_ranked(const void *one, const void *other)
{
    const struct ranked *a = one, *b = other;

    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->area < b->area ? -1 : a->area > b->area;
}

static void add_child(struct tile *parent, double bytes)
{
    parent->bytes += bytes;
    parent->holds = true;
}

/* An area is as large as it says, or as what it holds where that is more. */
static void measure(struct map *map)
{
    size_t n = map->block->n_areas;

    for (size_t i = n; i-- > 0;) {
        const struct dg_area *area = &map->block->areas[i];

        map->tiles[i].bytes = fmax(map->tiles[i].bytes, (double)area->bytes);
        if (area->parent == SIZE_MAX)
            map->bytes += map->tiles[i].bytes;
        else
            add_child(&map->tiles[area->parent], map->tiles[i].bytes);
        map->ranked[i] = (struct ranked){area->parent + 1, i, map->tiles[i].bytes};
    }
    dg_sort(map->ranked, n, sizeof(*map->ranked), compare_ranked);
}

/* How far the worst of a row's tiles is from a square: `sum` fills `side`. */
static double worst(double least, double most, double sum, double side)
{
    double depth = sum / side;

    return fmax(depth / (least / depth), most / depth / depth);
}

/* Lay `n` areas of together `sum` square points along the short side of *room. */
static void lay_row(struct map *map, const struct ranked *row, size_t n, double sum,
                    double scale, struct tile *room)
{
    bool down = room->w >= room->h;
    double depth = sum / (down ? room->h : room->w), at = down ? room->y : room->x;

    for (size_t i = 0; i < n; i++) {
        struct tile *tile = &map->tiles[row[i].area];
        double length = row[i].bytes * scale / depth;

        tile->x = down ? room->x : at;
        tile->y = down ? at : room->y;
        tile->w = down ? depth : length;
        tile->h = down ? length : depth;
        at += length;
    }
    if (down) {
        room->x += depth;
        room->w -= depth;
    } else {
        room->y += depth;
        room->h -= depth;
    }
}

/* Squarified: a row grows as long as its worst tile gets no worse. */
static void fill(struct map *map, const struct ranked *ranked, size_t n,
                 struct tile room, double bytes)
{
    double scale = room.w * room.h / bytes;
    size_t from = 0;

    while (from < n && ranked[from].bytes > 0 && room.w > 0 && room.h > 0) {
        double side = fmin(room.w, room.h), sum = ranked[from].bytes * scale;
        double most = sum;
        size_t to = from + 1;

        for (; to < n && ranked[to].bytes > 0; to++) {
            double last = ranked[to - 1].bytes * scale, next = ranked[to].bytes * scale;

            if (worst(next, most, sum + next, side) > worst(last, most, sum, side))
                break;
            sum += next;
        }
        lay_row(map, ranked + from, to - from, sum, scale, &room);
        from = to;
    }
}

static bool has_head(const struct tile *tile)
{
    return tile->w > 48 && tile->h > 2 * HEAD + 8;
}

/* What is left inside of an area for those it holds; w 0: too small. */
static struct tile inside(const struct tile *tile)
{
    if (!has_head(tile))
        return (struct tile){0};
    return (struct tile){tile->x + 3, tile->y + HEAD, tile->w - 6, tile->h - HEAD - 3,
                         0,           tile->hue};
}

/* Parents come before what they hold: so do the areas in this order. */
static void lay_out(struct map *map)
{
    size_t n = map->block->n_areas;

    for (size_t from = 0, to; from < n; from = to) {
        size_t parent = map->ranked[from].parent;
        struct tile room = {.w = WIDTH, .h = HEIGHT};

        for (to = from; to < n && map->ranked[to].parent == parent; to++)
            map->tiles[map->ranked[to].area].hue =
                parent ? map->tiles[parent - 1].hue : (to - from) % HUES;
        if (parent)
            room = inside(&map->tiles[parent - 1]);
        if (room.w > 0)
            fill(map, map->ranked + from, to - from, room,
                 parent ? map->tiles[parent - 1].bytes : map->bytes);
    }
}

static void write_label(struct dg_html *html, const struct tile *tile,
                        struct dg_text name)
{
    double letters = (tile->w - 8) / LETTER;

    if (letters < 3 || tile->h < 14)
        return;
    dg_print(html->out, "<text x=\"%.1f\" y=\"%.1f\">", tile->x + 4, tile->y + 13);
    dg_write_xml(html->out, dg_elide(&html->memory, name, (size_t)letters));
    dg_print(html->out, "</text>");
    if (tile->holds || letters < 10 || tile->h < 30)
        return;
    dg_print(html->out, "<text x=\"%.1f\" y=\"%.1f\">", tile->x + 4, tile->y + 28);
    dg_html_amount(html->out, tile->bytes, true);
    dg_print(html->out, "</text>");
}

static void write_tile(struct dg_html *html, const struct map *map, size_t area)
{
    const struct tile *tile = &map->tiles[area];
    const struct dg_area *what = &map->block->areas[area];

    if (tile->w < LEAST_SIDE || tile->h < LEAST_SIDE)
        return;
    dg_write_element(html->out, "<g><title>", dg_elide(&html->memory, what->name, 200),
                     ": ");
    dg_html_amount(html->out, tile->bytes, true);
    dg_print(html->out, ", %.1f %%", 100 * tile->bytes / map->bytes);
    dg_print(html->out,
             "</title><rect class=\"t%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
             "height=\"%.1f\"/>",
             tile->hue, tile->x, tile->y, tile->w, tile->h);
    write_label(html, tile, what->name);
    dg_print(html->out, "</g>\n");
}

static void write_drawing(struct dg_html *html, const struct map *map, const char *id)
{
    dg_html_drawing(html, "treemap", WIDTH, HEIGHT, id, map->block->title);
    dg_print(html->out, "Treemap of ");
    dg_html_amount(html->out, map->bytes, true);
    dg_print(html->out, "; the list below has the same in words.</desc>\n");
    for (size_t i = 0; i < map->block->n_areas; i++)
        write_tile(html, map, map->ranked[i].area);
    dg_print(html->out, "</svg></div>\n");
}

void dg_html_treemap(struct dg_html *html, const struct dg_block *block)
{
    struct map map = {.block = block};
    const char *id = dg_html_id(html, block);

    map.tiles = dg_alloc(&html->memory, block->n_areas + 1, sizeof(*map.tiles));
    map.ranked = dg_alloc(&html->memory, block->n_areas + 1, sizeof(*map.ranked));
    measure(&map);
    if (map.bytes <= 0)
        return;
    lay_out(&map);
    dg_html_figure(html, "graph", dg_text(id), block->title);
    write_drawing(html, &map, id);
    dg_print(html->out, "<details><summary>The same as a list</summary>\n");
    dg_html_areas(html, block);
    dg_print(html->out, "</details>\n</figure>\n");
    dg_html_command(html, block->command);
}
