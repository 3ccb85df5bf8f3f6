/* Reading shapes, with what symbols may be in each method. */
#include "graph/cost_sizes.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static double bound(const struct dg_rows *rows, int column, double otherwise)
{
    char type = dg_rows_type(rows, column);

    return type == 'i' || type == 'f' ? dg_rows_double(rows, column) : otherwise;
}

static enum dg_status read_ranges(struct dg_cost_sizes *sizes, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        store,
        "SELECT method_id, symbol, min, max FROM range_constraint JOIN graph ON"
        " graph.id = graph_id ORDER BY method_id, symbol",
        err);

    while (dg_rows_next(&rows)) {
        struct dg_text symbol = dg_rows_slice(&rows, 1);

        *DG_APPEND(sizes->range_methods, sizes->n_range_methods) =
            dg_rows_int(&rows, 0);
        *DG_APPEND(sizes->ranges, sizes->n_ranges) =
            (struct dg_range){{dg_copy(&sizes->memory, symbol), symbol.size},
                              bound(&rows, 2, -INFINITY),
                              bound(&rows, 3, INFINITY)};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_graphs(struct dg_cost_sizes *sizes, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM graph", 0, &sizes->n_graphs, err);

    if (status)
        return status;
    sizes->methods =
        dg_alloc(&sizes->memory, (size_t)sizes->n_graphs, sizeof(*sizes->methods));
    status = dg_rows_open(&rows, store, "SELECT id, method_id FROM graph", err);
    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id >= 1 && id <= sizes->n_graphs)
            sizes->methods[id - 1] = dg_rows_int(&rows, 1);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_cost_sizes_begin(struct dg_cost_sizes *sizes, struct dg_store *store,
                                   struct dg_error *err)
{
    enum dg_status status = read_ranges(sizes, store, err);

    return status ? status : read_graphs(sizes, store, err);
}

void dg_cost_sizes_end(struct dg_cost_sizes *sizes)
{
    free(sizes->ranges);
    free(sizes->range_methods);
    dg_arena_clear(&sizes->memory);
}

/* The first range whose method is not before `method`; or is behind it. */
static size_t first_of(const struct dg_cost_sizes *sizes, int64_t method, bool behind)
{
    size_t low = 0, high = sizes->n_ranges;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sizes->range_methods[middle] < method ||
            (behind && sizes->range_methods[middle] == method))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void dg_cost_sizes_of_graph(struct dg_cost_sizes *sizes, int64_t graph)
{
    size_t begin, end;

    if (graph == sizes->graph || graph < 1 || graph > sizes->n_graphs)
        return;
    sizes->graph = graph;
    begin = first_of(sizes, sizes->methods[graph - 1], false);
    end = first_of(sizes, sizes->methods[graph - 1], true);
    sizes->present.items = sizes->ranges ? sizes->ranges + begin : NULL;
    sizes->present.n_items = end - begin;
}

static const char *after_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == ','))
        at++;
    return at;
}

static int64_t parse_number(const char **at, const char *end)
{
    int64_t number = 0;

    for (; *at < end && isdigit((unsigned char)**at); ++*at)
        number = number < 0 || number > (INT64_MAX - 9) / 10
                     ? -1
                     : number * 10 + (**at - '0');
    return number;
}

static int64_t parse_size(const struct dg_cost_sizes *sizes, const char **at,
                          const char *end)
{
    const char *begin = *at + 1, *quote;

    if (isdigit((unsigned char)**at))
        return parse_number(at, end);
    quote = **at == '"' ? memchr(begin, '"', (size_t)(end - begin)) : NULL;
    if (!quote) {
        while (*at < end && **at != ',' && **at != ']')
            ++*at;
        return -1;
    }
    *at = quote + 1;
    return dg_upper_bound(&sizes->present,
                          (struct dg_text){begin, (size_t)(quote - begin)});
}

bool dg_cost_sizes_parse(const struct dg_cost_sizes *sizes, struct dg_size_list *list,
                         struct dg_text text)
{
    const char *at = text.data, *end;

    if (!text.size || *at++ != '[')
        return false;
    end = text.data + text.size;
    for (at = after_spaces(at, end); at < end && *at != ']'; at = after_spaces(at, end))
        *DG_APPEND(list->items, list->n) = parse_size(sizes, &at, end);
    return at < end;
}
