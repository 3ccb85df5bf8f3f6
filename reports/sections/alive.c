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

static void draw(struct dg_series *series, double *rest, double *of_kind,
                 const struct dg_alive *item, size_t n_steps)
{
    int64_t last = item->last < (int64_t)n_steps ? item->last : (int64_t)n_steps - 1;

    for (int64_t step = item->first > 0 ? item->first : 0; step <= last; step++) {
        if (series->values[step] > 0)
            continue;
        series->values[step] = fmin((double)item->nbytes, rest[step]);
        rest[step] -= series->values[step];
        of_kind[step] -= series->values[step];
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

/* What is left at each step goes to the kinds that have so much left, results last: to
 * these belongs what nothing else claims. */
static void add_rest(struct dg_page *page, struct dg_chart *out, double *rest,
                     double *const *kinds, bool all)
{
    static const char *const names[] = {"state", "inputs", "results"};

    for (int kind = 0; kind < DG_N_ALIVE; kind++) {
        struct dg_series *series;
        double most = 0;

        for (size_t i = 0; i < out->n_steps; i++) {
            double has = kind == DG_ALIVE_RESULTS ? rest[i] : fmax(kinds[kind][i], 0);

            kinds[kind][i] = fmin(has, rest[i]);
            rest[i] -= kinds[kind][i];
            most = fmax(most, kinds[kind][i]);
        }
        if (most <= 0)
            continue;
        series = add_series(
            page, out,
            dg_format(&page->memory, "%s%s", all ? "" : "other ", names[kind]));
        memcpy(series->values, kinds[kind], out->n_steps * sizeof(*series->values));
    }
}

static void add_items(struct dg_page *page, struct dg_chart *out,
                      const struct dg_alive_chart *chart)
{
    struct chosen chosen = {0};
    struct dg_arena memory = {0};
    size_t n = chart->n_steps;
    double *rest = dg_alloc(&memory, n, sizeof(*rest)), *kinds[DG_N_ALIVE];

    out->series =
        dg_alloc(&page->memory, DG_ALIVE_SERIES + DG_N_ALIVE, sizeof(*out->series));
    memcpy(rest, chart->totals, n * sizeof(*rest));
    for (int kind = 0; kind < DG_N_ALIVE; kind++) {
        kinds[kind] = dg_alloc(&memory, n, sizeof(*rest));
        if (chart->kinds[kind])
            memcpy(kinds[kind], chart->kinds[kind], n * sizeof(*rest));
    }
    choose(&chosen, chart);
    for (size_t k = 0; k < chosen.n; k++) {
        struct dg_series *series = add_series(page, out, chosen.items[k]->name);

        for (size_t i = 0; i < chart->n_items; i++)
            if (chart->items[i].row == chosen.items[k]->row)
                draw(series, rest, kinds[chart->items[i].kind], &chart->items[i], n);
    }
    add_rest(page, out, rest, kinds, !chosen.n);
    dg_arena_clear(&memory);
}

void dg_alive_chart(struct dg_page *page, const struct dg_alive_chart *chart)
{
    struct dg_block *block =
        dg_page_block(page, DG_BLOCK_CHART, chart->id, chart->caption);

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
