/* Limits as people write them: 256KiB of memory, a share of 90%, 2 % more than before.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"
#include "verifiers/budget_parts.h"

struct suffix {
    const char *name;
    enum dg_unit unit;
    double factor;
};

static const struct suffix suffixes[] = {
    {"B", DG_UNIT_BYTES, 1},       {"kB", DG_UNIT_BYTES, 1e3},
    {"MB", DG_UNIT_BYTES, 1e6},    {"GB", DG_UNIT_BYTES, 1e9},
    {"KiB", DG_UNIT_BYTES, 1024},  {"MiB", DG_UNIT_BYTES, 1048576},
    {"%", DG_UNIT_SHARE, 1 / 1e2}, {"GiB", DG_UNIT_BYTES, 1073741824},
};

enum { N_SUFFIXES = sizeof(suffixes) / sizeof(*suffixes) };

static const char *const expected[] = {
    [DG_UNIT_COUNT] = "a number, for instance 3",
    [DG_UNIT_BYTES] = "a number of bytes, with B, KiB, MiB, GiB (of 1024) or kB, MB, GB"
                      " (of 1000) behind it or nothing, for instance 256KiB",
    [DG_UNIT_SHARE] = "a share, for instance 0.9 or 90%",
};

/* Of limits that say how much worse it may become. */
static const char *const expected_growth[] = {
    [DG_UNIT_COUNT] = "+3, so many more than before, or +2%, a part of what it was",
    [DG_UNIT_BYTES] = "+64KiB, so much more than before, or +2%, a part of what it was",
    [DG_UNIT_SHARE] = "-1% or -0.01, so many points less than before",
};

/* A limit that no rule looks at is a mistake: tell which one is near. */
static enum dg_status find_measure(struct dg_limit *limit, struct dg_text name,
                                   struct dg_error *err)
{
    const char **names = NULL, *near;
    struct dg_arena memory = {0};
    size_t n = 0;

    limit->measure = dg_measure_find(name);
    if (limit->measure)
        return DG_OK;
    for (const struct dg_measure *measure = dg_measures; measure->name; measure++)
        *DG_APPEND(names, n) = measure->name;
    near = dg_nearest(dg_copy(&memory, dg_cut(name, 80)), names, n);
    dg_fail(err, DG_ERR_USAGE, "no rule budget/%.*s%s%s%s",
            name.size < 80 ? (int)name.size : 80, name.data,
            near ? "; did you mean " : "; see delegraph rules budget", near ? near : "",
            near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return err->status;
}

/* "cpu", "cuda", "cuda:1". */
static bool is_device(const char *name)
{
    const char *number = name + strlen("cuda:");

    if (!strcmp(name, "cpu") || !strcmp(name, "cuda"))
        return true;
    return !strncmp(name, "cuda:", strlen("cuda:")) && *number &&
           !number[strspn(number, "0123456789")];
}

/* What stands behind the measure's name and a dot. */
static enum dg_status read_device(struct dg_limit *limit, struct dg_text device,
                                  struct dg_error *err)
{
    if (!limit->measure->by_device)
        return dg_fail(err, DG_ERR_USAGE, "%s has no devices; planned-memory has",
                       limit->measure->name);
    if (device.size < sizeof(limit->device))
        memcpy(limit->device, device.data, device.size);
    if (!is_device(limit->device))
        return dg_fail(err, DG_ERR_USAGE,
                       "expected cpu, cuda or a device such as cuda:0 behind %s.",
                       limit->measure->name);
    return DG_OK;
}

/* Only digits, a point and an exponent: what strtod() reads else is no limit. */
static bool read_number(struct dg_limit *limit, const char *text)
{
    enum dg_unit unit = limit->measure->unit;
    char *end = NULL;

    if (!strspn(text, "0123456789."))
        return false;
    limit->number = strtod(text, &end);
    if (end == text || strcspn(text, "xX") < (size_t)(end - text))
        return false;
    if (limit->grows && unit != DG_UNIT_SHARE && !strcmp(end, "%")) {
        limit->relative = true;
        limit->number /= 100;
        end++;
    }
    for (size_t i = 0; i < N_SUFFIXES && *end; i++) {
        if (suffixes[i].unit != unit || strcasecmp(end, suffixes[i].name) != 0)
            continue;
        limit->number *= suffixes[i].factor;
        end += strlen(end);
    }
    return !*end && isfinite(limit->number) &&
           (unit != DG_UNIT_SHARE || limit->number <= 1);
}

bool dg_limit_grows(struct dg_text value)
{
    return value.size && (*value.data == '+' || *value.data == '-');
}

static enum dg_status read_value(struct dg_limit *limit, const char *value,
                                 struct dg_error *err)
{
    const struct dg_measure *measure = limit->measure;
    char worse = measure->least ? '-' : '+';

    limit->grows = dg_limit_grows(dg_text(value));
    if (limit->grows && *value != worse)
        return dg_fail(err, DG_ERR_USAGE,
                       "the limit is by how much %s may %s; expected %s", measure->name,
                       measure->least ? "fall" : "grow",
                       expected_growth[measure->unit]);
    if (strlen(value) >= sizeof(limit->text) ||
        !read_number(limit, value + limit->grows))
        return dg_fail(err, DG_ERR_USAGE, "expected %s",
                       limit->grows ? expected_growth[measure->unit]
                                    : expected[measure->unit]);
    snprintf(limit->text, sizeof(limit->text), "%s", value);
    return DG_OK;
}

enum dg_status dg_limit_read(struct dg_limit *limit, struct dg_text name,
                             const char *value, struct dg_error *err)
{
    const char *dot = memchr(name.data, '.', name.size);
    size_t size = dot ? (size_t)(dot - name.data) : name.size;
    enum dg_status status;

    *limit = (struct dg_limit){0};
    status = find_measure(limit, (struct dg_text){name.data, size}, err);
    if (!status && dot)
        status =
            read_device(limit, (struct dg_text){dot + 1, name.size - size - 1}, err);
    return status ? status : read_value(limit, value, err);
}

/* Of two for the same, the later holds. */
static void add(struct dg_limit_list *limits, const struct dg_limit *limit)
{
    for (size_t i = 0; i < limits->n_items; i++) {
        if (limits->items[i].grows == limit->grows &&
            !strcmp(limits->items[i].device, limit->device)) {
            limits->items[i] = *limit;
            return;
        }
    }
    *DG_APPEND(limits->items, limits->n_items) = *limit;
}

enum dg_status dg_limits_of(struct dg_limit_list *limits,
                            const struct dg_measure *measure, struct dg_store *store,
                            struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store,
                    "SELECT substr(name, length('limit.') + 1), value FROM setting"
                    " WHERE name = 'limit.' || ?1 OR name GLOB 'limit.' || ?1 || '.*'"
                    " ORDER BY rowid",
                    err);
    enum dg_status status = DG_OK;

    dg_rows_bind_text(&rows, 1, dg_text(measure->name));
    while (!status && dg_rows_next(&rows)) {
        struct dg_limit limit;

        status =
            dg_limit_read(&limit, dg_rows_slice(&rows, 0), dg_rows_text(&rows, 1), err);
        if (!status)
            add(limits, &limit);
    }
    return dg_rows_close(&rows, status, err);
}

/* How well it fits: cuda:0 names a device better than cuda does; 0: not at all. */
static size_t fit(const struct dg_limit *limit, const char *device)
{
    size_t size = strlen(limit->device);

    if (!size)
        return 1;
    if (!device || strncmp(device, limit->device, size) != 0 ||
        (device[size] && device[size] != ':'))
        return 0;
    return 1 + size;
}

const struct dg_limit *dg_limit_on(const struct dg_limit_list *limits,
                                   const char *device, bool grows)
{
    const struct dg_limit *best = NULL;
    size_t most = 0;

    for (size_t i = 0; i < limits->n_items; i++) {
        size_t fits =
            limits->items[i].grows == grows ? fit(&limits->items[i], device) : 0;

        if (fits > most) {
            most = fits;
            best = &limits->items[i];
        }
    }
    return best;
}
