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

/* The steps of an item, as far as the chart has them. */
static int64_t first_step(const struct dg_alive *item)
{
    return item->first > 0 ? item->first : 0;
}

static int64_t last_step(const struct dg_alive *item, size_t n_steps)
{
    return item->last < (int64_t)n_steps ? item->last : (int64_t)n_steps - 1;
}

static void draw(struct dg_series *series, double *rest, double *of_kind,
                 const struct dg_alive *item, size_t n_steps)
{
    for (int64_t step = first_step(item); step <= last_step(item, n_steps); step++) {
        double *value = &series->values[(size_t)step - series->first];

        if (*value > 0)
            continue;
        *value = fmin((double)item->nbytes, rest[step]);
        rest[step] -= *value;
        if (of_kind)
            of_kind[step] -= *value;
    }
}

/* Of all steps; `values` are to come, and belong to the page. */
static struct dg_series *add_series(struct dg_chart *chart, struct dg_text name)
{
    struct dg_series *series = &chart->series[chart->n_series++];

    *series = (struct dg_series){.name = name, .n = chart->n_steps};
    return series;
}

static double *copy_steps(struct dg_page *page, const double *values, size_t n)
{
    double *copy = values ? dg_alloc(&page->memory, n, sizeof(*copy)) : NULL;

    if (n && values)
        memcpy(copy, values, n * sizeof(*copy));
    return copy;
}

/* What a kind has left, as far as nothing else claims it; the largest. */
static double take_kind(double *kind, double *rest, size_t n_steps)
{
    double most = 0;

    for (size_t i = 0; i < n_steps; i++) {
        kind[i] = fmin(fmax(kind[i], 0), rest[i]);
        rest[i] -= kind[i];
        most = fmax(most, kind[i]);
    }
    return most;
}

/* What is left at each step goes to the kinds that have so much left, results last: to
 * these belongs what nothing else claims. */
static void add_rest(struct dg_page *page, struct dg_chart *out, double *rest,
                     double *const *kinds, bool all)
{
    static const char *const names[] = {"state", "inputs", "results"};

    for (int kind = 0; kind < DG_N_ALIVE; kind++) {
        double *values = kind == DG_ALIVE_RESULTS ? rest : kinds[kind], most = 0;

        for (size_t i = 0; i < out->n_steps && values == rest; i++)
            most = fmax(most, rest[i]);
        if (values && values != rest)
            most = take_kind(values, rest, out->n_steps);
        if (most > 0)
            add_series(
                out, dg_format(&page->memory, "%s%s", all ? "" : "other ", names[kind]))
                ->values = values;
    }
}

/* From the first step of any item of `row` to the last: few of many. */
static void find_stretch(struct dg_series *series, const struct dg_alive_chart *chart,
                         int64_t row)
{
    int64_t first = INT64_MAX, last = -1;

    for (size_t i = 0; i < chart->n_items; i++) {
        const struct dg_alive *item = &chart->items[i];

        if (item->row != row)
            continue;
        first = first_step(item) < first ? first_step(item) : first;
        last = last_step(item, chart->n_steps) > last ? last_step(item, chart->n_steps)
                                                      : last;
    }
    series->first = first <= last ? (size_t)first : 0;
    series->n = first <= last ? (size_t)(last - first) + 1 : 0;
}

/* Items of one row are drawn as one. */
static void add_item(struct dg_page *page, struct dg_chart *out,
                     const struct dg_alive_chart *chart, const struct dg_alive *chosen,
                     double *rest, double *const *kinds)
{
    struct dg_text name = dg_copy_text(&page->memory, chosen->name);
    struct dg_series *series = add_series(out, name.data ? name : dg_text(""));

    find_stretch(series, chart, chosen->row);
    series->values = dg_alloc(&page->memory, series->n, sizeof(*series->values));
    for (size_t i = 0; i < chart->n_items; i++) {
        if (chart->items[i].row == chosen->row)
            draw(series, rest, kinds[chart->items[i].kind], &chart->items[i],
                 chart->n_steps);
    }
}

static void add_items(struct dg_page *page, struct dg_chart *out,
                      const struct dg_alive_chart *chart)
{
    struct chosen chosen = {0};
    size_t n = chart->n_steps;
    double *rest = copy_steps(page, chart->totals, n), *kinds[DG_N_ALIVE] = {0};

    out->series =
        dg_alloc(&page->memory, DG_ALIVE_SERIES + DG_N_ALIVE, sizeof(*out->series));
    for (int kind = 0; kind < DG_ALIVE_RESULTS; kind++)
        kinds[kind] = copy_steps(page, chart->kinds[kind], n);
    choose(&chosen, chart);
    for (size_t k = 0; k < chosen.n; k++)
        add_item(page, out, chart, chosen.items[k], rest, kinds);
    add_rest(page, out, rest, kinds, !chosen.n);
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
