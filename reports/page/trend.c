#include "reports/page/trend.h"

#include <inttypes.h>
#include <math.h>

#include "base/quantity.h"

/* Of a store that nobody wrote by `load` numbers may be any. */
static bool is_whole(double value)
{
    return fabs(value) < 9e18;
}

void dg_write_quantity(struct dg_writer *out, enum dg_trend_unit unit, double value)
{
    if (unit == DG_TREND_SHARE)
        dg_print(out, "%.1f %%", 100 * value);
    else if (!is_whole(value))
        dg_print(out, "%.3g", value);
    else if (unit == DG_TREND_BYTES)
        dg_write_size(out, (int64_t)value);
    else if (unit == DG_TREND_TIME)
        dg_write_duration(out, value);
    else
        dg_write_count(out, (int64_t)value);
}

void dg_write_exact(struct dg_writer *out, enum dg_trend_unit unit, double value)
{
    static const char *const bytes[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};
    static const char *const times[] = {"ns", "us", "ms", "s", NULL};
    static const char *const shares[] = {"%", NULL}, *const counts[] = {"", NULL};
    const char *const *name = unit == DG_TREND_BYTES   ? bytes
                              : unit == DG_TREND_TIME  ? times
                              : unit == DG_TREND_SHARE ? shares
                                                       : counts;
    double step = unit == DG_TREND_BYTES ? 1024 : 1000;

    value *= unit == DG_TREND_SHARE ? 100 : 1;
    for (; name[1] && fabs(value) >= step; name++)
        value /= step;
    dg_print(out, "%.8g%s%s", value, **name ? " " : "", *name);
}

/* What would round to nothing, or has more digits than people count, is told as it is.
 */
static void write_signed(struct dg_writer *out, double part, const char *unit)
{
    dg_print(out, fabs(part) < 0.05 || fabs(part) >= 1e6 ? "%+.2g" : "%+.1f", part);
    dg_print(out, " %s", unit);
}

void dg_write_change(struct dg_writer *out, enum dg_trend_unit unit, double old,
                     double new)
{
    double more = new - old;

    if (more == 0) {
        dg_print(out, "as before");
    } else if (unit == DG_TREND_SHARE) {
        write_signed(out, 100 * more, "points");
    } else if (unit != DG_TREND_FEW && old != 0) {
        write_signed(out, 100 * more / fabs(old), "%");
    } else {
        dg_print(out, more > 0 ? "+" : "-");
        dg_write_quantity(out, unit, fabs(more));
    }
}

double dg_trend_worse(const struct dg_trend *trend, double old, double new)
{
    double more = trend->more_is_better ? old - new : new - old;

    if (!isfinite(more))
        return 0;
    if (trend->unit == DG_TREND_SHARE || trend->unit == DG_TREND_FEW)
        return more;
    return old != 0 ? more / fabs(old) : more > 0 ? 1 : 0;
}

double dg_trend_newest(const struct dg_trend *trend)
{
    return trend->n ? trend->values[trend->n - 1] : NAN;
}

double dg_trend_before(const struct dg_trend *trend)
{
    for (size_t i = trend->n; i-- > 1;)
        if (isfinite(trend->values[i - 1]))
            return trend->values[i - 1];
    return NAN;
}

struct dg_value_range dg_trend_range(const struct dg_trend *trend)
{
    struct dg_value_range range = {NAN, NAN};

    for (size_t i = 0; i < trend->n; i++) {
        if (!isfinite(trend->values[i]))
            continue;
        range.least = fmin(range.least, trend->values[i]);
        range.most = fmax(range.most, trend->values[i]);
    }
    return range;
}

/* Halves: the whole of a range may have no number. */
double dg_range_height(const struct dg_value_range *range, double value)
{
    return (value / 2 - range->least / 2) / (range->most / 2 - range->least / 2);
}

/* The lowest and the highest of a stretch, in order; its first where none is known. */
static size_t pick_ends(size_t picked[2], const double *values, size_t from, size_t to)
{
    size_t low = from, high = from;

    for (size_t i = from + 1; i < to; i++) {
        if (isfinite(values[i]) && !(values[i] >= values[low]))
            low = i;
        if (isfinite(values[i]) && !(values[i] <= values[high]))
            high = i;
    }
    picked[0] = low < high ? low : high;
    picked[1] = low < high ? high : low;
    return 1 + (low != high);
}

size_t dg_trend_sample(size_t *picked, const struct dg_trend *trend, size_t most)
{
    size_t inner = trend->n - 2, n_stretches = (most - 2) / 2, n = 0;

    if (trend->n <= most) {
        for (; n < trend->n; n++)
            picked[n] = n;
        return n;
    }
    picked[n++] = 0;
    for (size_t i = 0; i < n_stretches; i++)
        n += pick_ends(picked + n, trend->values, 1 + inner * i / n_stretches,
                       1 + inner * (i + 1) / n_stretches);
    picked[n++] = trend->n - 1;
    return n;
}

void dg_write_trend_line(struct dg_writer *out, const struct dg_trend *trend)
{
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    struct dg_value_range range = dg_trend_range(trend);
    size_t picked[DG_TREND_COLUMNS], n;

    if (!(range.least < range.most))
        return;
    n = dg_trend_sample(picked, trend, DG_TREND_COLUMNS);
    for (size_t i = 0; i < n; i++) {
        double value = trend->values[picked[i]];

        if (isfinite(value))
            dg_print(out, "%s", heights[(int)(7.99 * dg_range_height(&range, value))]);
        else
            dg_print(out, " ");
    }
}
