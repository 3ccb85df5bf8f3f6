/* The judgement of budgets: whether a number keeps a limit, breaks it, or cannot tell.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verifiers/budget_was.h"

enum verdict { KEPT, BROKEN, OPEN };

/* A number of the program, from its measure's SQL. */
struct number {
    int64_t artifact, method;
    const char *name, *device; /* of the method */
    bool known;
    double number;
    const char *text, *note, *unknown, *basis;
};

struct judging {
    const struct dg_findings *found;
    const struct dg_measure *measure;
    struct dg_limit_list limits;
    struct dg_was_list was;
    struct dg_arena memory; /* of a row */
};

/* What limits round: 2 % of 1000 are 20.000000000000004. */
static const double slack[] = {
    [DG_UNIT_COUNT] = 1e-3, [DG_UNIT_BYTES] = 1e-3, [DG_UNIT_SHARE] = 1e-9};

static enum dg_status find(const struct judging *judging, const struct number *number,
                           struct dg_text message, struct dg_error *err)
{
    struct dg_finding finding = {
        .artifact = number->artifact, .method = number->method, .message = message};

    return dg_find(judging->found, &finding, err);
}

/* "0.6 (60%)", what was written where it is no plain number. */
static struct dg_text limit_text(struct judging *judging, const struct dg_limit *limit)
{
    if (limit->grows || !limit->text[strspn(limit->text, "0123456789.eE+-")])
        return dg_text(limit->text);
    return dg_format(&judging->memory, "%.15g (%s)", limit->number, limit->text);
}

static enum dg_status find_open(struct judging *judging, const struct number *number,
                                const struct dg_limit *limit, struct dg_text why,
                                struct dg_error *err)
{
    return find(judging, number,
                dg_format(&judging->memory, "the limit of %s cannot be judged: %s",
                          limit_text(judging, limit).data, why.data),
                err);
}

/* A number with a reason why it may be more is the least that it can be, and `exact` is
 * false; `bound_exact` says the same of the bound. */
static enum verdict hold(const struct dg_measure *measure, double number, bool exact,
                         double bound, bool bound_exact)
{
    if (measure->least ? number >= bound : number <= bound)
        return (measure->least ? bound_exact : exact) ? KEPT : OPEN;
    return (measure->least ? exact : bound_exact) ? BROKEN : OPEN;
}

static enum dg_status judge_number(struct judging *judging, const struct number *number,
                                   const struct dg_limit *limit, struct dg_error *err)
{
    enum verdict verdict = number->known ? hold(judging->measure, number->number,
                                                !number->unknown, limit->number, true)
                                         : OPEN;

    if (verdict == KEPT)
        return DG_OK;
    if (verdict == OPEN)
        return find_open(judging, number, limit, dg_text(number->unknown), err);
    return find(judging, number,
                dg_format(&judging->memory, "%s; the %s is %s%s", number->text,
                          judging->measure->least ? "least" : "most",
                          limit_text(judging, limit).data,
                          number->note ? number->note : ""),
                err);
}

/* "48 (18.8 %) more than the 256 of old.pte" */
static struct dg_text tell_change(struct judging *judging, double change, double was)
{
    struct dg_arena *memory = &judging->memory;
    const char *path = judging->was.path;
    double percent = 100 * fabs(change) / was;

    if (judging->measure->unit == DG_UNIT_SHARE)
        return dg_format(memory, "%.2g percentage points less than the %.4g of %s",
                         -100 * change, was, path);
    if (was <= 0)
        return dg_format(memory, "%.15g more than the 0 of %s", change, path);
    return dg_format(memory,
                     percent < 10 ? "%.15g (%.2g %%) more than the %.15g of %s"
                                  : "%.15g (%.0f %%) more than the %.15g of %s",
                     change, percent, was, path);
}

/* Why a number and what it was cannot be compared. */
static struct dg_text why_open(struct judging *judging, const struct number *number,
                               const struct dg_was *was)
{
    const char *path = judging->was.path;

    if (!path)
        return dg_text("nothing is given to compare it with (--against OLD)");
    if (!was)
        return dg_format(&judging->memory, "%s has no such method", path);
    if (number->unknown)
        return dg_text(number->unknown);
    return dg_format(&judging->memory, "%s: %s", path,
                     was->unknown ? was->unknown : judging->measure->unlike);
}

static bool is_alike(const struct number *number, const struct dg_was *was)
{
    if (!number->basis || !was->basis)
        return true;
    return !strcmp(number->basis, was->basis);
}

static double bound_of(const struct dg_measure *measure, const struct dg_limit *limit,
                       double was)
{
    double change = limit->relative ? was * limit->number : limit->number;

    change += slack[measure->unit];
    return measure->least ? was - change : was + change;
}

static enum dg_status judge_growth(struct judging *judging, const struct number *number,
                                   const struct dg_limit *limit, struct dg_error *err)
{
    const struct dg_measure *measure = judging->measure;
    const struct dg_was *was =
        judging->was.path ? dg_was_find(&judging->was, number->name, number->device)
                          : NULL;
    enum verdict verdict = OPEN;

    if (was && was->known && number->known && is_alike(number, was))
        verdict = hold(measure, number->number, !number->unknown,
                       bound_of(measure, limit, was->number), !was->unknown);
    if (verdict == KEPT)
        return DG_OK;
    if (verdict == OPEN)
        return find_open(judging, number, limit, why_open(judging, number, was), err);
    return find(
        judging, number,
        dg_format(&judging->memory, "%s, %s; the most is %s%s", number->text,
                  tell_change(judging, number->number - was->number, was->number).data,
                  limit->text, number->note ? number->note : ""),
        err);
}

static enum dg_status judge(struct judging *judging, const struct dg_rows *rows,
                            struct dg_error *err)
{
    const struct number number = {
        .artifact = dg_rows_int_or(rows, 0, 0),
        .method = dg_rows_int_or(rows, 1, 0),
        .device = dg_rows_text(rows, 2),
        .known = !dg_rows_null(rows, 3),
        .number = dg_rows_double(rows, 3),
        .text = dg_rows_text(rows, 4),
        .note = dg_rows_text(rows, 5),
        .unknown = dg_rows_text(rows, 6),
        .basis = dg_rows_text(rows, 7),
        .name = dg_rows_text(rows, 8),
    };
    const struct dg_limit *limit = dg_limit_on(&judging->limits, number.device, false);
    enum dg_status status = limit ? judge_number(judging, &number, limit, err) : DG_OK;

    limit = dg_limit_on(&judging->limits, number.device, true);
    if (!status && limit)
        status = judge_growth(judging, &number, limit, err);
    dg_arena_clear(&judging->memory);
    return status;
}

static enum dg_status begin(struct judging *judging, const struct dg_findings *found,
                            struct dg_error *err)
{
    *judging = (struct judging){.found = found,
                                .measure = dg_measure_find(dg_text(found->rule->name))};
    return dg_limits_of(&judging->limits, judging->measure, found->store, err);
}

static void end(struct judging *judging)
{
    free(judging->limits.items);
    dg_was_clear(&judging->was);
    dg_arena_clear(&judging->memory);
}

static enum dg_status judge_rows(struct judging *judging, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_text sql = dg_format(
        &memory,
        "SELECT m.artifact, m.method, m.device, m.number, m.text, m.note, m.unknown,"
        " m.basis, method.name FROM (%s) AS m LEFT JOIN method ON method.id = m.method"
        " ORDER BY m.artifact, m.method, m.device",
        judging->measure->sql);
    struct dg_rows rows = dg_rows_all(judging->found->store, sql.data, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = judge(judging, &rows, err);
    status = dg_rows_close(&rows, status, err);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_budget_judge(const struct dg_findings *found, struct dg_error *err)
{
    struct judging judging;
    enum dg_status status = begin(&judging, found, err);

    if (!status)
        status = dg_was_read(&judging.was, judging.measure, found->store, err);
    if (!status)
        status = dg_measure_prepare(judging.measure, found->store, err);
    if (!status)
        status = judge_rows(&judging, err);
    end(&judging);
    return status;
}

/* Of each limit, one finding for the program that cannot show it. */
static enum dg_status find_unjudged(struct judging *judging, int64_t artifact,
                                    struct dg_error *err)
{
    const struct number number = {.artifact = artifact};
    struct dg_text why =
        dg_format(&judging->memory, "that takes %s", judging->measure->takes);
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < judging->limits.n_items && !status; i++)
        status = find_open(judging, &number, &judging->limits.items[i], why, err);
    return status;
}

enum dg_status dg_budget_unjudged(const struct dg_findings *found, struct dg_error *err)
{
    struct judging judging;
    enum dg_status status = begin(&judging, found, err);
    struct dg_rows rows;

    if (!status && judging.limits.n_items)
        status =
            dg_rows_open(&rows, found->store,
                         dg_format(&judging.memory,
                                   "SELECT a.id FROM artifact AS a WHERE"
                                   " a.companion_of IS NULL AND (%s) ORDER BY a.id",
                                   judging.measure->cannot)
                             .data,
                         err);
    if (!status && judging.limits.n_items) {
        while (!status && dg_rows_next(&rows))
            status = find_unjudged(&judging, dg_rows_int(&rows, 0), err);
        status = dg_rows_close(&rows, status, err);
    }
    end(&judging);
    return status;
}
