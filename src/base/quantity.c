/* Bytes and counts as people read them. */
#include "base/quantity.h"

#include <inttypes.h>

#include "base/arena.h"

void dg_write_size(struct dg_writer *out, int64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        dg_print(out, "%" PRId64 " B", bytes);
        return;
    }
    for (; size >= 1023.95 && unit < 5; unit++)
        size /= 1024;
    dg_print(out, "%.1f %s", size, units[unit]);
}

struct dg_text dg_size_text(struct dg_arena *memory, int64_t bytes)
{
    struct dg_writer text = {0};

    dg_write_size(&text, bytes);
    return dg_keep(memory, &text);
}

void dg_write_count(struct dg_writer *out, int64_t count)
{
    static const char units[] = "kMGTPE";
    double rest = (double)count / 1000;
    size_t unit = 0;

    if (count < 1000) {
        dg_print(out, "%" PRId64, count);
        return;
    }
    for (; rest >= 999.95 && unit + 2 < sizeof(units); unit++)
        rest /= 1000;
    dg_print(out, "%.1f %c", rest, units[unit]);
}

void dg_write_duration(struct dg_writer *out, double ns)
{
    if (ns < 1e3)
        dg_print(out, "%.0f ns", ns);
    else if (ns < 1e6)
        dg_print(out, "%.1f us", ns / 1e3);
    else if (ns < 1e9)
        dg_print(out, "%.1f ms", ns / 1e6);
    else
        dg_print(out, "%.2f s", ns / 1e9);
}
