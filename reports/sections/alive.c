/* Charts of what is alive when. */
#include "reports/sections/alive.h"

#include <math.h>
#include <string.h>

struct chosen {
    const struct dg_alive *items[DG_ALIVE_SERIES];
    size_t n;
};

static bool shares_bytes(const struct dg_alive *a, const struct dg_alive *b)
{
    if (a->begin < 0 || b->begin < 0)
        return false;
    return a->begin < b->begin + b->nbytes && b->begin < a->begin + a->nbytes;
}

/* Two that share bytes would count these twice: the later one is among the rest. */
static void choose(struct chosen *chosen, const struct dg_alive_chart *chart)
{
    for (size_t i = 0; i < chart->n_items && chosen->n < DG_ALIVE_SERIES; i++) {
        const struct dg_alive *item = &chart->items[i];
        bool free = item->first <= (int64_t)chart->peak &&
                    (int64_t)chart->peak <= item->last && item->nbytes > 0;

        for (size_t k = 0; k < chosen->n && free; k++)
            free = item->row != chosen->items[k]->row &&
                   !shares_bytes(item, chosen->items[k]);
        if (free)
            chosen->items[chosen->n++] = item;
    }
}

static void draw(struct dg_series *series, double *rest, const struct dg_alive *item,
                 size_t n_steps)
{
    int64_t last = item->last < (int64_t)n_steps ? item->last : (int64_t)n_steps - 1;

    for (int64_t step = item->first > 0 ? item->first : 0; step <= last; step++) {
        if (series->values[step] > 0)
            continue;
        series->values[step] = fmin((double)item->nbytes, rest[step]);
        rest[step] -= series->values[step];
    }
}

static struct dg_series *add_series(struct dg_page *page, struct dg_chart *chart,
                                    struct dg_text name)
{
    struct dg_series *series = &chart->series[chart->n_series++];

    series->name =
        (struct dg_text){name.data ? dg_copy(&page->memory, name) : "", name.size};
    series->values = dg_alloc(&page->memory, chart->n_steps, sizeof(*series->values));
    return series;
}

static void add_items(struct dg_page *page, struct dg_chart *out,
                      const struct dg_alive_chart *chart)
{
    struct chosen chosen = {0};
    double *rest = dg_alloc(&page->memory, chart->n_steps, sizeof(*rest));

    out->series = dg_alloc(&page->memory, DG_ALIVE_SERIES + 1, sizeof(*out->series));
    memcpy(rest, chart->totals, chart->n_steps * sizeof(*rest));
    choose(&chosen, chart);
    for (size_t k = 0; k < chosen.n; k++) {
        struct dg_series *series = add_series(page, out, chosen.items[k]->name);

        for (size_t i = 0; i < chart->n_items; i++)
            if (chart->items[i].row == chosen.items[k]->row)
                draw(series, rest, &chart->items[i], chart->n_steps);
    }
    memcpy(add_series(page, out, dg_text(chosen.n ? "all others" : "all"))->values,
           rest, chart->n_steps * sizeof(*rest));
}

void dg_alive_chart(struct dg_page *page, const struct dg_alive_chart *chart)
{
    struct dg_block *block = dg_page_chart(page, chart->id, chart->caption);

    block->chart = (struct dg_chart){
        .x_name = dg_text(chart->x_name),
        .bytes = true,
        .n_steps = chart->n_steps,
        .peak = chart->peak,
        .limit = (double)chart->limit,
        .limit_name = dg_text(chart->limit_name),
    };
    add_items(page, &block->chart, chart);
}
