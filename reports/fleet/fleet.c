/* Reading builds, and the table of numbers that they are compared by. */
#include "reports/fleet/fleet.h"

#include <math.h>
#include <stdlib.h>

#include "reports/picture/picture.h"

enum { LONGEST_LABELS = 80 };

const struct dg_fleet_measure dg_fleet_measures[] = {
    [DG_FLEET_SIZE] = {"File size", DG_TREND_BYTES, false, 0.01},
    [DG_FLEET_DELEGATED] = {"Delegated operators", DG_TREND_SHARE, true, 0.01},
    [DG_FLEET_PARTITIONS] = {"Partitions", DG_TREND_FEW, false, 1},
    [DG_FLEET_PEAK] = {"Peak of planned memory", DG_TREND_BYTES, false, 0.01},
    [DG_FLEET_HOST_CALLS] = {"Host calls", DG_TREND_FEW, false, 1},
    [DG_FLEET_FLOPS] = {"FLOPs", DG_TREND_AMOUNT, false, 0.01},
    [DG_FLEET_TIME] = {"Latency", DG_TREND_TIME, false, 0.1},
    [DG_FLEET_ERRORS] = {"Errors", DG_TREND_FEW, false, 1},
    [DG_FLEET_WARNINGS] = {"Warnings", DG_TREND_FEW, false, 1},
};

enum column { NAME, BUILD, ARTIFACT, PATH, LABELS, NTH, N_BUILDS, NUMBERS };

static const char builds_sql[] =
    DG_SQL_BUILDS " SELECT name, build_id, artifact_id, path, " DG_SQL_LABEL_WORDS ","
                  " nth, n_builds, file_size, delegated_ops, partitions, peak_memory,"
                  " host_calls, flops, time, errors, warnings"
                  " FROM build ORDER BY name, build_id";

/* The first row of a name says how many there are. */
static struct dg_fleet_name *begin_name(struct dg_fleet *fleet,
                                        const struct dg_rows *rows)
{
    struct dg_fleet_name *name = DG_APPEND(fleet->names, fleet->n_names);
    size_t n = (size_t)dg_rows_int(rows, NTH);

    *name = (struct dg_fleet_name){
        .name = dg_rows_keep(&fleet->memory, rows, NAME),
        .n_all = (size_t)dg_rows_int(rows, N_BUILDS),
        .builds = dg_alloc(&fleet->memory, n, sizeof(*name->builds))};
    for (size_t i = 0; i < DG_FLEET_NUMBERS; i++)
        name->trends[i] =
            (struct dg_trend){.values = dg_alloc(&fleet->memory, n, sizeof(double)),
                              .unit = dg_fleet_measures[i].unit,
                              .more_is_better = dg_fleet_measures[i].more_is_better};
    return name;
}

static void add_build(struct dg_fleet *fleet, struct dg_fleet_name *name,
                      const struct dg_rows *rows)
{
    struct dg_text labels =
        dg_elide(&fleet->memory, dg_rows_slice(rows, LABELS), LONGEST_LABELS);

    name->builds[name->n_builds++] = (struct dg_fleet_build){
        dg_rows_int(rows, BUILD), dg_rows_int(rows, ARTIFACT),
        labels.data ? dg_copy_text(&fleet->memory, labels) : labels};
    for (int i = 0; i < DG_FLEET_NUMBERS; i++) {
        struct dg_trend *trend = &name->trends[i];
        double value =
            dg_rows_null(rows, NUMBERS + i) ? NAN : dg_rows_double(rows, NUMBERS + i);

        trend->values[trend->n++] = isfinite(value) ? value : NAN;
    }
    if (dg_rows_int(rows, NTH) == 2)
        name->before = dg_rows_keep(&fleet->memory, rows, PATH);
    if (dg_rows_int(rows, NTH) == 1)
        name->path = dg_rows_keep(&fleet->memory, rows, PATH);
}

enum dg_status dg_fleet_load(struct dg_fleet *fleet, struct dg_store *store,
                             const struct dg_build_choice *choice, struct dg_error *err)
{
    struct dg_rows rows;
    struct dg_fleet_name *name = NULL;
    size_t n_left = 0; /* builds of that name */
    enum dg_status status = dg_builds_open(&rows, store, builds_sql, choice, err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        if (!n_left) {
            name = begin_name(fleet, &rows);
            n_left = (size_t)dg_rows_int(&rows, NTH);
        }
        add_build(fleet, name, &rows);
        n_left--;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

void dg_fleet_clear(struct dg_fleet *fleet)
{
    for (size_t i = 0; i < fleet->n_names; i++)
        free(fleet->names[i].rules);
    free(fleet->names);
    dg_arena_clear(&fleet->memory);
    *fleet = (struct dg_fleet){0};
}

const char *dg_build_words(struct dg_arena *memory, const struct dg_fleet_build *build)
{
    return dg_format(memory, build->labels.data ? "%lld (%s)" : "%lld",
                     (long long)build->id, build->labels.data)
        .data;
}
