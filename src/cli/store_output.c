#include "cli/store_output.h"

#include <inttypes.h>

enum dg_status dg_builds_spare(const char *path, struct dg_error *err)
{
    int64_t n = 0;
    struct dg_error why = {0};

    if (dg_store_count_builds(&n, path, &why))
        return dg_fail(err, DG_ERR_USAGE,
                       "%.200s: a store that may hold builds, which would be lost:"
                       " %.200s; expected another name, or remove it first",
                       path, why.text);
    return !n ? DG_OK
              : dg_fail(err, DG_ERR_USAGE,
                        "%.200s: it holds %" PRId64 " build%s, which would be lost;"
                        " load --append adds to it; else expected another name, or"
                        " remove it first",
                        path, n, n == 1 ? "" : "s");
}

enum dg_status dg_store_output_check(const char *path, struct dg_error *err)
{
    enum dg_status status = dg_store_check_place(path, err);

    return status ? status : dg_builds_spare(path, err);
}

enum dg_status dg_store_output_begin(struct dg_output *output, const char *path,
                                     struct dg_error *err)
{
    enum dg_status status = dg_store_output_check(path, err);

    return status ? status : dg_output_begin(output, path, err);
}
