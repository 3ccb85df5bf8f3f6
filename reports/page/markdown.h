/* Text of a program in Markdown as GitHub reads it: never markup, a link or a mention.
 */
#ifndef DG_REPORTS_MARKDOWN_H
#define DG_REPORTS_MARKDOWN_H

#include "base/text.h"

void dg_write_markdown(struct dg_writer *out, struct dg_text text);

/* The same within HTML, where Markdown is not read. */
void dg_write_markdown_html(struct dg_writer *out, struct dg_text text);

/* `text` as code, in a table, too. */
void dg_write_markdown_code(struct dg_writer *out, struct dg_text text);

/* Lines between fences that `text` cannot close. */
void dg_write_markdown_lines(struct dg_writer *out, struct dg_text text,
                             const char *language);

/* Leave so many lines of it, at least DG_MARKDOWN_LEAST; the last says how many more
 * there were. A fence that is open is closed. */
enum { DG_MARKDOWN_LEAST = 5 };
void dg_markdown_cut(struct dg_writer *out, size_t most);

#endif
