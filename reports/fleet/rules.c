/* Findings by rule, which `load` keeps as numbers "error:memory/extent" of a build. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_set.h"
#include "reports/fleet/fleet.h"

/* No program of ours breaks so many; a store that somebody made may say so. */
enum { MOST_RULES = 1000 };

static const char rules_sql[] =
    "SELECT name, value FROM measure WHERE build_id = ?1 AND"
    " (name >= 'error:' AND name < 'error;' OR name >= 'warning:' AND name < "
    "'warning;')"
    " ORDER BY name";

struct reader {
    struct dg_fleet *fleet;
    struct dg_fleet_name *name;
    struct dg_text_set keys; /* of its rules */
    struct dg_rows rows;
    size_t window, first; /* builds of the name that are looked at, and their first */
};

static struct dg_fleet_rule *add_rule(struct reader *reader, struct dg_text key)
{
    struct dg_arena *memory = &reader->fleet->memory;
    struct dg_text kept = dg_copy_text(memory, key);
    const char *colon = memchr(kept.data, ':', kept.size);
    size_t size = (size_t)(colon - kept.data);
    struct dg_fleet_rule *rule = DG_APPEND(reader->name->rules, reader->name->n_rules);

    dg_text_set_add(&reader->keys, kept);
    *rule = (struct dg_fleet_rule){
        .key = kept,
        .severity = dg_copy_text(memory, (struct dg_text){kept.data, size}),
        .rule = {colon + 1, kept.size - size - 1},
        .trend = {.values = dg_alloc(memory, reader->window, sizeof(double)),
                  .n = reader->window,
                  .unit = DG_TREND_FEW}};
    return rule;
}

/* Adds the findings of a build; *total: how many. */
static enum dg_status read_build(struct reader *reader, size_t build, double *total,
                                 struct dg_error *err)
{
    struct dg_rows *rows = &reader->rows;
    struct dg_fleet_name *name = reader->name;

    dg_rows_bind_int(rows, 1, name->builds[reader->first + build].id);
    *total = 0;
    while (dg_rows_next(rows)) {
        struct dg_text key = dg_rows_slice(rows, 0);
        uint32_t at = dg_text_set_find(&reader->keys, key);
        struct dg_fleet_rule *rule;

        if (at == DG_NO_TEXT && name->n_rules == MOST_RULES)
            continue;
        rule = at == DG_NO_TEXT ? add_rule(reader, key) : &name->rules[at];
        rule->trend.values[build] = dg_rows_double(rows, 1);
        *total += rule->trend.values[build];
    }
    return dg_rows_again(rows, err);
}

/* An earlier version kept only how many there are: then no rule is known. */
static bool is_known(const struct dg_fleet_name *name, size_t build, double total)
{
    double n = name->trends[DG_FLEET_ERRORS].values[build] +
               name->trends[DG_FLEET_WARNINGS].values[build];

    return n == total;
}

static enum dg_status read_name(struct reader *reader, struct dg_error *err)
{
    struct dg_fleet_name *name = reader->name;
    enum dg_status status = DG_OK;

    name->by_rule = true;
    for (size_t i = 0; i < reader->window && !status; i++) {
        double total;
        bool known;

        status = read_build(reader, i, &total, err);
        known = is_known(name, reader->first + i, total);
        if (i + 2 >= reader->window)
            name->by_rule = name->by_rule && known;
        name->newest_by_rule = known; /* the last one stays */
        for (size_t k = 0; k < name->n_rules && !known; k++)
            name->rules[k].trend.values[i] = NAN;
    }
    return status;
}

enum dg_status dg_fleet_load_rules(struct dg_fleet *fleet, struct dg_store *store,
                                   struct dg_error *err)
{
    struct reader reader = {.fleet = fleet};
    enum dg_status status = dg_rows_open(&reader.rows, store, rules_sql, err);

    if (status)
        return status;
    for (size_t i = 0; i < fleet->n_names && !status; i++) {
        reader.name = &fleet->names[i];
        reader.window = fleet->window < reader.name->n_builds ? fleet->window
                                                              : reader.name->n_builds;
        reader.first = reader.name->n_builds - reader.window;
        status = read_name(&reader, err);
        dg_text_set_clear(&reader.keys);
    }
    return dg_rows_close(&reader.rows, status, err);
}
