/* Differences of two programs: as lines, as Markdown, as JSON. */
#ifndef DG_CLI_DIFF_PRINT_H
#define DG_CLI_DIFF_PRINT_H

#include "base/text.h"
#include "diff/diff.h"

struct dg_diff_answer {
    const struct dg_diff *diff;
    const char *paths[2]; /* old, new */
};

void dg_write_diff_text(struct dg_writer *out, const struct dg_diff_answer *answer);

/* In at most so many lines; 0: in as many as it takes. */
void dg_write_diff_markdown(struct dg_writer *out, const struct dg_diff_answer *answer,
                            size_t max_lines);
void dg_write_diff_json(struct dg_writer *out, const struct dg_diff_answer *answer);

#endif
