/* Where the values of a .pte come from: who wrote them, or the bytes where they lie. */
#include <stdlib.h>

#include "base/order.h"
#include "diff/side_scan.h"

static int64_t place_key(const void *things, uint32_t i, unsigned key)
{
    const struct dg_model_values *values = things;
    const struct dg_model_value *value = &values->items[i];

    return key == 0 ? values->graph_of[i] : key == 1 ? value->mem_id : value->offset;
}

static bool same_place(const struct dg_model_values *values, uint32_t a, uint32_t b)
{
    return place_key(values, a, 0) == place_key(values, b, 0) &&
           place_key(values, a, 1) == place_key(values, b, 1) &&
           place_key(values, a, 2) == place_key(values, b, 2);
}

void dg_diff_scan_places(struct dg_diff_scan *scan)
{
    const struct dg_model_values *values = scan->side->values;
    uint32_t n = (uint32_t)scan->n_values, n_places = 0;
    struct dg_arena memory = {0};
    const uint32_t *order = dg_order(n, place_key, 3, values, &memory);

    scan->sources = dg_zeroed(n, sizeof(*scan->sources));
    scan->place_of = dg_zeroed(n, sizeof(*scan->place_of));
    scan->places = dg_zeroed(n, sizeof(*scan->places));
    for (uint32_t k = 0; k < n; k++) {
        const struct dg_model_value *value = &values->items[order[k]];

        scan->sources[k].writer = scan->places[k].writer = DG_DIFF_NOBODY;
        if (k && !same_place(values, order[k - 1], order[k]))
            n_places++;
        scan->place_of[order[k]] = value->mem_id == DG_NONE || value->offset == DG_NONE
                                       ? DG_DIFF_NOBODY
                                       : n_places;
    }
    dg_arena_clear(&memory);
}

static bool is_known(const struct dg_diff_source *source)
{
    return source->writer != DG_DIFF_NOBODY || source->input;
}

const struct dg_diff_source *dg_diff_scan_shown(const struct dg_diff_scan *scan,
                                                size_t row)
{
    uint32_t place = scan->place_of[row];

    return place != DG_DIFF_NOBODY && is_known(&scan->places[place])
               ? &scan->places[place]
               : NULL;
}

static void note_written(struct dg_diff_scan *scan, uint32_t node, size_t row)
{
    uint32_t place = scan->place_of[row];

    if (scan->sources[row].writer == node)
        return;
    scan->sources[row].writer = node;
    scan->sources[row].result = scan->n_written;
    if (place != DG_DIFF_NOBODY)
        scan->places[place] = scan->sources[row];
}

void dg_diff_scan_written(struct dg_diff_scan *scan, uint32_t node, size_t row)
{
    const struct dg_model_values *values = scan->side->values;
    const struct dg_model_value *value = &values->items[row];
    const int64_t *items = dg_numbers_of(values, value->content);
    const struct dg_value_graph *graph =
        &values->graphs[values->graph_of[row] ? values->graph_of[row] - 1 : 0];
    bool opens = dg_value_holds_values(value) && scan->opens_lists;

    note_written(scan, node, row);
    for (int64_t i = 0; opens && i < value->content.n; i++, scan->n_written++) {
        if (items[i] >= 0 && (uint64_t)items[i] < graph->n)
            note_written(scan, node, graph->first + (size_t)items[i]);
    }
    scan->n_written += !opens;
}
