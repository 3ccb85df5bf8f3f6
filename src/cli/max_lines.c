/* --max-lines N: Markdown that has room in a comment. */
#include "cli/max_lines.h"

#include "reports/page/markdown.h"

enum dg_status dg_max_lines_check(int64_t max_lines, bool markdown,
                                  struct dg_error *err)
{
    if (max_lines && !markdown)
        return dg_fail(err, DG_ERR_USAGE, "--max-lines is about --format md");
    if (max_lines && max_lines < DG_MARKDOWN_LEAST)
        return dg_fail(err, DG_ERR_USAGE,
                       "--max-lines %lld: expected at least %d, or 0 for no limit",
                       (long long)max_lines, DG_MARKDOWN_LEAST);
    return DG_OK;
}
