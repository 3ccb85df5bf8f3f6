#include "reports/fleet/regressions.h"

#include <math.h>
#include <stdlib.h>

#include "base/sorted.h"

/* Of the builds before the newest. */
static double best_of(const struct dg_trend *trend)
{
    struct dg_trend older = *trend;
    struct dg_value_range range;

    older.n--;
    range = dg_trend_range(&older);
    return trend->more_is_better ? range.most : range.least;
}

/* Behind the last one that was as good as the best. */
static size_t worse_since(const struct dg_trend *trend, double best, double threshold)
{
    size_t i = trend->n - 1;

    while (i > 0 && !(isfinite(trend->values[i - 1]) &&
                      dg_trend_worse(trend, best, trend->values[i - 1]) < threshold))
        i--;
    while (!isfinite(trend->values[i]))
        i++;
    return i;
}

/* `regression` has what the numbers are of; `first` is the build that they begin at. */
static void judge(struct dg_regressions *found, struct dg_regression regression,
                  const struct dg_trend *trend, size_t first)
{
    double threshold = regression.measure->threshold, worse;

    if (!trend->n)
        return;
    regression.newest = dg_trend_newest(trend);
    regression.before = dg_trend_before(trend);
    regression.best = best_of(trend);
    worse = dg_trend_worse(trend, regression.best, regression.newest);
    if (!(worse >= threshold))
        return;
    regression.badness = worse / threshold;
    regression.since =
        &regression.name
             ->builds[first + worse_since(trend, regression.best, threshold)];
    *DG_APPEND(found->items, found->n_items) = regression;
}

static int rank_of_rule(const struct dg_fleet_rule *rule)
{
    return dg_text_is(rule->severity, "error") ? 0 : 1;
}

static void judge_name(struct dg_regressions *found, const struct dg_fleet_name *name,
                       size_t window)
{
    size_t n = window < name->n_builds ? window : name->n_builds;
    size_t first = name->n_builds - n;

    for (int i = 0; i < DG_FLEET_NUMBERS; i++) {
        struct dg_trend newest = name->trends[i];
        bool counts_findings = i == DG_FLEET_ERRORS || i == DG_FLEET_WARNINGS;

        if (counts_findings && name->by_rule)
            continue;
        newest.values += first;
        newest.n = n;
        judge(found,
              (struct dg_regression){.name = name,
                                     .measure = &dg_fleet_measures[i],
                                     .rank = !counts_findings       ? 2
                                             : i == DG_FLEET_ERRORS ? 0
                                                                    : 1},
              &newest, first);
    }
    for (size_t i = 0; i < name->n_rules && name->by_rule; i++) {
        const struct dg_fleet_rule *rule = &name->rules[i];
        int rank = rank_of_rule(rule);

        judge(found,
              (struct dg_regression){
                  .name = name,
                  .rule = rule,
                  .rank = rank,
                  .measure =
                      &dg_fleet_measures[rank ? DG_FLEET_WARNINGS : DG_FLEET_ERRORS]},
              &rule->trend, first);
    }
}

static int worst_first(const void *a, const void *b)
{
    const struct dg_regression *one = a, *other = b;

    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    if (one->badness != other->badness)
        return one->badness > other->badness ? -1 : 1;
    if (one->name != other->name)
        return one->name < other->name ? -1 : 1;
    if (one->measure != other->measure)
        return one->measure < other->measure ? -1 : 1;
    return one->rule < other->rule ? -1 : one->rule > other->rule;
}

/* Errors come before any number. */
static double weight(const struct dg_regression *regression)
{
    enum { FIRST = 1000000 };
    double badness = fmin(regression->badness, FIRST);

    return badness + (2 - regression->rank) * (double)FIRST;
}

void dg_regressions_find(struct dg_regressions *found, struct dg_fleet *fleet)
{
    for (size_t i = 0; i < fleet->n_names; i++) {
        struct dg_fleet_name *name = &fleet->names[i];
        size_t n = found->n_items;

        judge_name(found, name, fleet->window);
        found->n_names += found->n_items > n;
        for (; n < found->n_items; n++)
            name->worst = fmax(name->worst, weight(&found->items[n]));
    }
    dg_sort(found->items, found->n_items, sizeof(*found->items), worst_first);
}

void dg_regressions_clear(struct dg_regressions *found)
{
    free(found->items);
    *found = (struct dg_regressions){0};
}
