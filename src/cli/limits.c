/* Limits as people write them: 256KiB of memory, a share of 90%, 3 partitions. */
#include "cli/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"
#include "verifiers/verifier.h"

#define PREFIX "limit."

enum measure { COUNT, BYTES, SHARE };

struct unit {
    const char *name;
    enum measure measure;
    double factor;
};

static const struct unit units[] = {
    {"B", BYTES, 1},       {"kB", BYTES, 1e3},         {"MB", BYTES, 1e6},
    {"GB", BYTES, 1e9},    {"KiB", BYTES, 1024},       {"MiB", BYTES, 1048576},
    {"%", SHARE, 1 / 1e2}, {"GiB", BYTES, 1073741824},
};

enum { N_UNITS = sizeof(units) / sizeof(*units) };

static const char *const expected[] = {
    [COUNT] = "a number, for instance 3",
    [BYTES] = "a number of bytes, with B, KiB, MiB, GiB (of 1024) or kB, MB, GB (of"
              " 1000) behind it or nothing, for instance 256KiB",
    [SHARE] = "a share, for instance 0.9 or 90%",
};

static enum measure measure_of(const char *name)
{
    static const char *const bytes[] = {"boundary-bytes", "file-size", "peak-memory"};

    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
        if (!strcmp(name, bytes[i]))
            return BYTES;
    }
    return strcmp(name, "delegated-share") ? COUNT : SHARE;
}

/* A limit that no rule looks at is a mistake: tell which one is near. */
static enum dg_status check_name(const char *name, struct dg_error *err)
{
    const char **names = NULL, *near;
    size_t n = 0;
    bool found = false;

    for (const struct dg_rule *rule = dg_verifier_budget.rules; rule->name; rule++) {
        found = found || !strcmp(rule->name, name);
        *DG_APPEND(names, n) = rule->name;
    }
    near = dg_nearest(name, names, n);
    free(names);
    if (found)
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE, "--limit: no rule budget/%s%s%s%s", name,
                   near ? "; did you mean " : "; see delegraph rules budget",
                   near ? near : "", near ? "?" : "");
}

/* Only digits, a point and an exponent: what strtod() reads else is no limit. */
static bool read_number(double *number, const char *text, enum measure measure)
{
    size_t digits = strspn(text, "0123456789.");
    char *end = NULL;

    if (!digits)
        return false;
    *number = strtod(text, &end);
    if (end == text || strcspn(text, "xX") < (size_t)(end - text))
        return false;
    for (size_t i = 0; i < N_UNITS && *end; i++) {
        if (units[i].measure != measure || strcasecmp(end, units[i].name) != 0)
            continue;
        *number *= units[i].factor;
        end += strlen(end);
    }
    return !*end && isfinite(*number) && (measure != SHARE || *number <= 1);
}

static enum dg_status apply(const char *item, struct dg_store *store,
                            struct dg_error *err)
{
    const char *equals = strchr(item, '=');
    char name[64] = PREFIX, value[128];
    enum measure measure;
    double number;

    if (!equals || equals - item > 40)
        return dg_fail(err, DG_ERR_USAGE,
                       "--limit %.80s: expected NAME=NUMBER, for instance "
                       "peak-memory=256KiB",
                       item);
    memcpy(name + strlen(PREFIX), item, (size_t)(equals - item));
    if (check_name(name + strlen(PREFIX), err))
        return err->status;
    measure = measure_of(name + strlen(PREFIX));
    if (!read_number(&number, equals + 1, measure) || strlen(equals) > 40)
        return dg_fail(err, DG_ERR_USAGE, "--limit %.80s: expected %s", item,
                       expected[measure]);
    /* SQL casts it to the number that it begins with. */
    if (equals[1 + strspn(equals + 1, "0123456789.eE+-")])
        snprintf(value, sizeof(value), "%.15g (%s)", number, equals + 1);
    else
        snprintf(value, sizeof(value), "%s", equals + 1);
    return dg_store_set(store, name, dg_text(value), err);
}

enum dg_status dg_limit_check(const char *item, struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = dg_store_create(&store, err);

    if (!status)
        status = apply(item, store, err);
    dg_store_close(store);
    return status;
}

enum dg_status dg_limits_apply(const struct dg_list *limits, struct dg_store *store,
                               struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < limits->n_items && !status; i++)
        status = apply(limits->items[i], store, err);
    return status;
}
